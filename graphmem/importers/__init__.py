"""Importers: conversations with all their branches, from the exports that chat tools give.

Nothing here touches a store. `read_export` yields what an export holds.
"""

from graphmem.importers._conversation import (
    ImportedConversation,
    Importer,
    Outcome,
    SkippedConversation,
)
from graphmem.importers._export import IMPORTERS, read_export
from graphmem.importers.sentences import Sentence, sentences

__all__ = [
    "IMPORTERS",
    "ImportedConversation",
    "Importer",
    "Outcome",
    "Sentence",
    "SkippedConversation",
    "read_export",
    "sentences",
]
