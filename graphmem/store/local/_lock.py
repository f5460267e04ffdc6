"""The lock file: which jars make up this Neo4j, and what each must hash to."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

NEO4J_VERSION = "2026.08.1"
LOCK_FILE = Path(__file__).with_name(f"neo4j-{NEO4J_VERSION}.lock")


@dataclass(frozen=True)
class LockedJar:
    """One line of the lock file: Maven coordinates and the SHA-256 of the jar."""

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str

    def __str__(self) -> str:
        return ":".join(filter(None, (self.group, self.artifact, self.version, self.classifier)))

    def path(self, directory: Path) -> Path:
        """Where the jar lies in a directory with Maven's layout."""
        suffix = f"-{self.classifier}" if self.classifier else ""
        folder = directory.joinpath(*self.group.split("."), self.artifact, self.version)
        return folder / f"{self.artifact}-{self.version}{suffix}.jar"

    def fits(self, path: Path) -> bool:
        """Whether the file is there and is the locked jar, byte for byte."""
        try:
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256
        except (FileNotFoundError, IsADirectoryError):
            return False


def read_lock(path: Path = LOCK_FILE) -> list[LockedJar]:
    """The jars of a lock file, in its order (which is the order of the class path)."""
    return [_parse(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _parse(line: str) -> LockedJar:
    coordinates, sha256 = line.split()
    group, artifact, version, *classifier = coordinates.split(":")
    return LockedJar(group, artifact, version, "".join(classifier), sha256)
