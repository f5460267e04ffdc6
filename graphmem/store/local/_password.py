"""The password of the local server: random, in a file that only its owner can read."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

from graphmem._errors import LocalServerError

PASSWORD_FILE = "password"


def ensure_password(home: Path) -> None:
    """Make a password unless there is one. Never leaves an empty or a readable file behind."""
    place = home / PASSWORD_FILE
    if place.is_file() and place.stat().st_size:
        place.chmod(0o600)
        return
    number, draft = tempfile.mkstemp(prefix=f".{PASSWORD_FILE}-", dir=home)  # O_EXCL and 0600
    with os.fdopen(number, "w", encoding="ascii") as file:
        file.write(f"{secrets.token_urlsafe(24)}\n")
    Path(draft).replace(place)


def read_password(home: Path) -> str:
    """The password, or a `LocalServerError` when the server was never started."""
    try:
        return (home / PASSWORD_FILE).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise LocalServerError(
            f"There is no password of the local Neo4j in {home} ({error.strerror}): "
            "run `graphmem up` first, as the user whose Neo4j it is."
        ) from error
