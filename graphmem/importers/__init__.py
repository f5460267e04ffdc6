"""Importers: conversations with all their branches, from the exports that chat tools give.

`read_export` yields what an export holds and touches no store; `import_export` stores it.
"""

from graphmem.importers._conversation import (
    ImportedConversation,
    Importer,
    Outcome,
    SkippedConversation,
)
from graphmem.importers._export import IMPORTERS, read_export
from graphmem.importers._storing import ConversationReport, ImportReport, import_export

__all__ = [
    "IMPORTERS",
    "ConversationReport",
    "ImportReport",
    "ImportedConversation",
    "Importer",
    "Outcome",
    "SkippedConversation",
    "import_export",
    "read_export",
]
