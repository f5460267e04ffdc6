"""The command line: `graphmem`. Each command is a verb of the library.

Exit codes: 0 fine, 1 the user's mistake, 2 the store's trouble or a model's, 3 partly done.
"""

from __future__ import annotations

import io
import sys

from graphmem._errors import GraphmemError, ModelError, StoreError
from graphmem.cli import (
    _demo,
    _forget,
    _graph,
    _import,
    _learn,
    _outcomes,
    _read,
    _recall,
    _server,
    _vectors,
)
from graphmem.cli._app import app
from graphmem.cli._output import fail

__all__ = ["app", "main"]

for room in (_server, _demo, _import, _read, _recall, _graph, _learn, _outcomes, _vectors, _forget):
    room.register(app)

USERS_MISTAKE, TROUBLE = 1, 2


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="replace"
            )  # a terminal that lacks a character still gets the rest
    try:
        app()
    except GraphmemError as error:
        fail(str(error))
        sys.exit(TROUBLE if isinstance(error, StoreError | ModelError) else USERS_MISTAKE)
    except BrokenPipeError:
        sys.stderr.close()  # the reader has seen enough; Python would complain at exit
    except SystemExit as end:
        # The parser ends with 2 for a wrong option; here 2 says that the store has trouble.
        sys.exit(USERS_MISTAKE if end.code == TROUBLE else end.code)
