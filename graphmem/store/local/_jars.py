"""Fetches Neo4j's jars from a Maven repository, and takes none that the lock file does not name.

A jar is downloaded into a folder of its own, hashed there and only then moved to its place, so a
file in its place was right when it arrived. A stamp remembers sizes and times of all jars after
they were hashed: as long as it fits, a start costs 238 ``stat`` calls instead of 238 hashes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from graphmem._errors import LocalServerError
from graphmem.store.local._extras import OWN_NEO4J, require_extras
from graphmem.store.local._lock import LOCK_FILE, LockedJar, read_lock

with suppress(ImportError):  # `require_extras` tells the user
    import truststore
    from filelock import FileLock

if TYPE_CHECKING:
    from jgo.maven import MavenContext

Progress = Callable[[int, int], None]
"""Is called with how many jars are there and how many there will be."""

THREADS = 16
ATTEMPTS = 2
TIMEOUT_SECONDS = 30


def fetch_jars(
    directory: Path, progress: Progress | None = None, *, lock_file: Path = LOCK_FILE
) -> list[Path]:
    """Fetch the locked jars that are missing or damaged, and return the paths of all.

    The directory gets Maven's layout and may be shared: several processes can call this at once.
    ``GRAPHMEM_MAVEN_URL`` names a mirror to fetch from.

    Raises `LocalServerError` when a jar cannot be fetched or is not the locked one. What has
    arrived stays, so the next call goes on from there.
    """
    require_extras()
    jars = read_lock(lock_file)
    stamp = directory / f".{lock_file.stem}.verified"
    if not _stamp_fits(stamp, directory, jars):
        try:
            _fetch_locked(directory, jars, stamp, progress)
        except OSError as error:
            raise LocalServerError(
                f"The jars of Neo4j cannot be kept in {directory} ({error}). "
                f"Make room or set GRAPHMEM_HOME to a writable directory, or {OWN_NEO4J}."
            ) from error
    return [jar.path(directory) for jar in jars]


def _fetch_locked(
    directory: Path, jars: Sequence[LockedJar], stamp: Path, progress: Progress | None
) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    with FileLock(directory / ".lock"):
        if not _stamp_fits(stamp, directory, jars):  # another process was faster
            _fetch_all(directory, jars, progress)
            stamp.write_text(_fingerprint(directory, jars), encoding="ascii")


def _fetch_all(directory: Path, jars: Sequence[LockedJar], progress: Progress | None) -> None:
    incoming = directory / ".incoming"
    shutil.rmtree(incoming, ignore_errors=True)  # left by a process that was killed
    context = _maven(incoming)
    pool = ThreadPoolExecutor(THREADS)
    truststore.inject_into_ssl()  # the system's certificates, a company's own among them
    try:
        futures = [pool.submit(_obtain, jar, directory, context) for jar in jars]
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            if progress is not None:
                progress(done, len(jars))
    finally:
        pool.shutdown(cancel_futures=True)
        truststore.extract_from_ssl()
        shutil.rmtree(incoming, ignore_errors=True)


def _obtain(jar: LockedJar, directory: Path, context: MavenContext) -> None:
    place = jar.path(directory)
    if jar.fits(place):
        return
    place.unlink(missing_ok=True)
    arrived = _download(jar, context)
    place.parent.mkdir(parents=True, exist_ok=True)
    arrived.replace(place)


def _download(jar: LockedJar, context: MavenContext) -> Path:
    """Download into the incoming folder, twice if need be, and return a file that fits."""
    artifact = context.project(jar.group, jar.artifact).at_version(jar.version)
    arrived = jar.path(context.repo_cache)
    cause: Exception | None = None
    for _ in range(ATTEMPTS):
        arrived.unlink(missing_ok=True)  # half a file: jgo would take it for the whole
        try:
            artifact.artifact(jar.classifier, "jar").resolve()
        except Exception as error:  # jgo: RuntimeError for a status, any error of requests
            cause = error
            continue
        if jar.fits(arrived):
            return arrived
        cause = None
    raise _not_fetched(jar, cause) from cause


def _not_fetched(jar: LockedJar, cause: Exception | None) -> LocalServerError:
    if cause is None:
        return LocalServerError(
            f"{jar} was fetched but is not the file that graphmem was made with: its SHA-256 "
            "differs from the lock file. It was deleted. Something between here and the Maven "
            f"repository changes files: check GRAPHMEM_MAVEN_URL and the proxy, or {OWN_NEO4J}."
        )
    return LocalServerError(
        f"{jar} could not be fetched: {cause}. Check the network, the proxy and "
        "GRAPHMEM_MAVEN_URL, then run `graphmem up` again: it goes on where it stopped. "
        f"Or {OWN_NEO4J}."
    )


def _maven(cache: Path) -> MavenContext:
    from jgo.maven import MavenContext  # noqa: PLC0415  # slow, and only a download needs it

    mirror = os.environ.get("GRAPHMEM_MAVEN_URL", "").rstrip("/")
    repositories = {"mirror": mirror} if mirror else None
    return MavenContext(repo_cache=cache, remote_repos=repositories, timeout=TIMEOUT_SECONDS)


def _stamp_fits(stamp: Path, directory: Path, jars: Sequence[LockedJar]) -> bool:
    try:
        return stamp.read_text(encoding="ascii") == _fingerprint(directory, jars)
    except (OSError, ValueError):  # no stamp, or a jar is missing
        return False


def _fingerprint(directory: Path, jars: Iterable[LockedJar]) -> str:
    """What is locked, and size and time of each file: changes when a jar or the lock does."""
    digest = hashlib.sha256()
    for jar in jars:
        status = jar.path(directory).stat()
        digest.update(f"{jar} {jar.sha256} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
