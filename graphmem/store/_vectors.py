"""Vectors as the driver sends them."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable
from typing import Any

from neo4j.vector import Vector


def vector(values: Iterable[float]) -> Any:
    """Return values as a query parameter in the driver's own type, of 32 bits each.

    It is sent ten times faster than a list. The Community edition cannot store the type: a query
    writes ``toFloatList($vector)``.
    """
    return Vector(array("f", values).tobytes(), "f32", byteorder=sys.byteorder)
