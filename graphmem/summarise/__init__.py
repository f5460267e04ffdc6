"""Summing texts up: what goes in is several texts, what comes out is a shorter one.

It touches no store. `ExtractiveSummariser` works offline; `OpenAISummariser` asks a model at any
OpenAI-compatible endpoint.
"""

from graphmem.summarise._extractive import ExtractiveSummariser
from graphmem.summarise._named import summariser_named
from graphmem.summarise._openai import OpenAISummariser
from graphmem.summarise._summariser import Summariser

__all__ = [
    "ExtractiveSummariser",
    "OpenAISummariser",
    "Summariser",
    "summariser_named",
]
