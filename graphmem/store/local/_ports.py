"""Ports for the server: the last ones or Neo4j's usual ones when free, else any that is free."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from typing import NamedTuple

from graphmem.store.local._state import HOST


class Ports(NamedTuple):
    """Where the server listens."""

    bolt: int
    http: int


USUAL = Ports(bolt=7687, http=7474)


def choose_ports(last: Ports | None) -> Ports:
    """Free ports, those of the last run first. Another program can still be faster."""
    wanted = [last, USUAL] if last else [USUAL]
    bolt = _first_free([ports.bolt for ports in wanted])
    http = _first_free([ports.http for ports in wanted if ports.http != bolt])
    return Ports(bolt, http)


def _first_free(wanted: Iterable[int]) -> int:
    return next((port for port in wanted if _is_free(port)), None) or _bind(0)


def _is_free(port: int) -> bool:
    if _answers(port):  # somebody listens on all addresses, or behind a container's port mapping
        return False
    try:
        _bind(port)
    except OSError:
        return False
    return True


def _answers(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True


def _bind(port: int) -> int:
    """Bind the port for a moment and return it; for 0 the system chooses a free one."""
    with socket.socket() as listener:
        if os.name == "posix":  # connections that linger after a stop do not hinder Neo4j either
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        return int(listener.getsockname()[1])
