"""Where the store is.

Arguments come first, then ``NEO4J_*`` in the environment, then ``.env``, then the local server.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from graphmem._errors import InvalidInputError


class Neo4jSettings(BaseSettings):
    """Address and credentials of a Neo4j. Without ``uri`` the local server is meant."""

    model_config = SettingsConfigDict(
        env_prefix="NEO4J_",
        env_file=".env",
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
    )

    uri: str | None = None
    username: str = "neo4j"
    password: SecretStr = SecretStr("")
    database: str | None = None


def settings(
    uri: str | None = None,
    username: str | None = None,
    password: str | None = None,
    database: str | None = None,
) -> Neo4jSettings:
    """Return the settings; arguments that are given win over the environment and ``.env``."""
    given = {"uri": uri, "username": username, "password": password, "database": database}
    try:
        return Neo4jSettings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValueError as error:  # a file that is no UTF-8, a value of another type
        raise InvalidInputError(f"the settings of the store cannot be read: {error}") from error


def home(path: str | Path | None = None) -> Path:
    """Return the folder of local state: ``path``, ``GRAPHMEM_HOME`` or the system's data folder."""
    if chosen := path or os.environ.get("GRAPHMEM_HOME"):
        return Path(chosen).expanduser().resolve()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "graphmem"
