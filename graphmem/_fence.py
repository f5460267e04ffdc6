"""The marks around what memory gives a model, so that it never takes its own words for news.

Recalled claims go into a prompt between two lines, and clients send them back inside later
messages. What stands between the marks was not said by anyone: no record is derived from it.
"""

from __future__ import annotations

import re

OPEN = "<graphmem-memory"
"""How the mark begins that opens a passage of memory; attributes and ``>`` follow."""
CLOSE = "</graphmem-memory>"
"""The mark that closes it."""

_BEGIN = rf"{re.escape(OPEN)}(?![\w-])"
_LINE_START = r"(?:\A|(?<=[\r\n]))[ \t]*"
_INJECTED = re.compile(rf"{_BEGIN}.*?{re.escape(CLOSE)}|{_LINE_START}{_BEGIN}.*", re.DOTALL)


def without_injected(text: str) -> str:
    """Return ``text`` with every passage of memory in it blanked, so that offsets stay.

    Line ends are kept. A passage begins wherever its mark stands: clients indent, quote and wrap
    what they send back. One that nothing closes begins with a line, and reaches to the end of the
    text.

    >>> without_injected("Hi.\\n<graphmem-memory>\\nAnn\\n</graphmem-memory>\\nBye.").split()
    ['Hi.', 'Bye.']
    """
    return _INJECTED.sub(lambda passage: re.sub(r"[^\r\n]", " ", passage[0]), text)


def cut_injected(text: str) -> str:
    """Return ``text`` without the passages of memory in it, for a reader that counts nothing."""
    return _INJECTED.sub("", text)
