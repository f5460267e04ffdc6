"""Sentences of a turn's text, with their places in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import sentencex

_LINE = re.compile("[^\r\n\u2028\u2029]+")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
# Marks of quotes, headings, lists and tasks, and emphasis that a sentence's end left behind.
_MARKUP = re.compile(r"(?:\s|>|(?:[-*+•_]+|#{1,6}|\d{1,3}[.)]|\[[ xX]\])\s)*")
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("ko", re.compile("[\u1100-\u11ff\uac00-\ud7af]")),
)


class Sentence(NamedTuple):
    """A sentence and its offsets in characters: ``text[start:end]`` of the whole."""

    text: str
    start: int
    end: int


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of ``text`` without the space and the markup before and after them.

    A line's end ends a sentence. Fenced code, and lines without a letter or a digit, give nothing.
    The language is guessed per line by its script: kana is Japanese, else Han is Chinese, else
    Hangul is Korean; all others are split by the English rules.

    >>> [(s.text, s.start) for s in sentences("- Dr. Li moved.\\n---\\nI stayed. Why?")]
    [('Dr. Li moved.', 2), ('I stayed.', 20), ('Why?', 30)]
    """
    for line in _prose(text):
        yield from _in_line(line)


def _prose(text: str) -> Iterator[re.Match[str]]:
    """Yield the lines outside fenced code. A fence that nothing closes runs to the end."""
    fence = ""
    for line in _LINE.finditer(text):
        mark = _FENCE.match(line[0])
        if not fence and mark is None:
            yield line
        elif not fence and mark is not None:
            fence = mark[1]
        elif mark is not None and mark[1].startswith(fence) and line[0].strip() == mark[1]:
            fence = ""


def _in_line(line: re.Match[str]) -> Iterator[Sentence]:
    at = _skip_markup(line[0], 0)
    for piece in sentencex.segment(_language(line[0]), _plain(line[0][at:])):
        end = at + len(piece)
        start = min(_skip_markup(line[0], at), end)
        sentence = line[0][start:end].rstrip()
        if any(map(str.isalnum, sentence)):
            yield Sentence(sentence, line.start() + start, line.start() + start + len(sentence))
        at = end


def _skip_markup(line: str, at: int) -> int:
    mark = _MARKUP.match(line, at)
    return mark.end() if mark else at


def _plain(line: str) -> str:
    """Return the line character for character as sentencex can take it.

    It (1.0.32) panics when a wide space stands between an initial and a full stop, and takes no
    half of a surrogate pair.
    """
    if line.isascii():
        return line
    return re.sub(r"\s", " ", line).encode("utf-8", "replace").decode()


def _language(line: str) -> str:
    if line.isascii():
        return "en"
    return next((language for language, script in _SCRIPTS if script.search(line)), "en")
