"""Extraction: what a turn says, as facts and relations with the turns they come from.

An extractor reads one turn with its path and the claims that are visible there, and returns what
is to be stored. It touches no store. `SentenceExtractor` works offline; `OpenAIExtractor` asks a
model at any OpenAI-compatible endpoint.
"""

from graphmem.extract._chat import DEFAULT_MODEL, Chat, Message
from graphmem.extract._named import extractor_named
from graphmem.extract._openai import OpenAIExtractor
from graphmem.extract._reading import (
    ExtractedFact,
    ExtractedRelation,
    ExtractedSameAs,
    Extraction,
    Extractor,
    Reading,
    Retraction,
)
from graphmem.extract._spoken import SentenceExtractor, passages
from graphmem.extract.mentions import mentions, names
from graphmem.extract.sentences import Sentence, sentences

__all__ = [
    "DEFAULT_MODEL",
    "Chat",
    "ExtractedFact",
    "ExtractedRelation",
    "ExtractedSameAs",
    "Extraction",
    "Extractor",
    "Message",
    "OpenAIExtractor",
    "Reading",
    "Retraction",
    "Sentence",
    "SentenceExtractor",
    "extractor_named",
    "mentions",
    "names",
    "passages",
    "sentences",
]
