"""Names in a sentence, by plain rules that would rather miss one than invent one.

==============  ====================================================  ==========================
rule            what is a name                                        example
==============  ====================================================  ==========================
capital         a capitalised word, or several in a row, after a      in **New York**, met
                word or a comma; of two letters or more               **Ludwig van Beethoven**
known           the same at the start of a sentence, if the other     **Ann** left. (after: I
                texts have it as a name                               met Ann)
title           a title and what follows it, anywhere                 **Dr. Li**, **Frau Müller**
inner capital   a word with capitals or digits inside, anywhere       **Neo4j**, **GPT-4**
mark            what stands in 《》 〈〉 『』                             《**三体**》
quoted          capitalised words in quotes; any short name in        "**Blue Moon**", 一只叫
                quotes after a word such as named, heißt, 叫           “**花花**”的猫
handle          a word after @                                        **@ann_lee**
introduced      in German, a capitalised word after heiße, namens …   ich heiße **Jonas**
Latin in CJK    a capitalised Latin word in a Chinese, Japanese or    我在用**Python**
                Korean sentence, also at its start
==============  ====================================================  ==========================

German writes every noun with a capital, so there *capital* counts for nothing. Nor does it in a
heading or in shouting, where every word has one. Chinese and Japanese names without a mark are not
found: telling them from words takes a dictionary. Never names: pronouns, weekdays, months,
greetings, common abbreviations (OK, PDF), and what stands in code, addresses and paths.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

from graphmem._models import Mention

_LETTER = r"A-Za-z\u00aa-\u024f\u0370-\u03ff\u0400-\u052f"
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_NOISE = re.compile(r"`[^`]*`|\w+://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.]+|(?:[~.]?/|\\)[\w./\\-]+")
_WORD = re.compile(
    rf"(?<![{_LETTER}\d_@#$\\/])"
    rf"[{_LETTER}](?:[{_LETTER}\d]|[-'’&](?=[{_LETTER}\d])|\.(?=[a-z]{{2}}))*"
    rf"(?![{_LETTER}\d_/\\(])"
)
_HANDLE = re.compile(rf"(?<![{_LETTER}\d_@./])@[{_LETTER}][\w-]{{1,38}}(?![\w.]*[/(])")
_MARKED = re.compile("[《〈『]([^《》〈〉『』\r\n]{1,40})[》〉』]")
_QUOTED = re.compile('“([^“”]{1,40})”|「([^「」]{1,40})」|„([^„“]{1,40})“|"([^"]{1,40})"')
_NAMING = re.compile(
    r"(?:\b(?:named|called|titled|nicknamed|heiße|heißt|heißen|namens|genannt|names)|叫|叫做|名叫"
    r"|名为|名為|稱為|称为)\s*\Z",
    re.IGNORECASE,
)
_INTRODUCING = re.compile(r"\b(?:heiße|heißt|heißen|namens)\s\Z")
_POSSESSIVE = re.compile(r"['’][sS]\Z")

_KNOWN_WORDS = tomllib.loads((files("graphmem.extract") / "words.toml").read_text("utf-8"))
_TITLES = frozenset(_KNOWN_WORDS["titles"].split())
_PARTICLES = frozenset(_KNOWN_WORDS["particles"].split())
_SMALL = frozenset(_KNOWN_WORDS["small"].split())
_GREETINGS = frozenset(_KNOWN_WORDS["greetings"].split())
_FUNCTION = frozenset(_KNOWN_WORDS["function"].split())
_NOISE_WORDS = frozenset(" ".join(_KNOWN_WORDS["noise"].values()).split())
_CLAUSE = re.compile(r"[^:*|()\[\]\"“”—–]+")
_GERMAN = re.compile(
    r"\b(?:ich|und|nicht|ist|das|dem|ein|eine|einen|einem|einer|mit|für|auf|mein|meine|meinen|"
    r"meinem|meiner|dein|deine|wir|zu|zum|zur|im|sich|auch|habe|hat|haben|bin|sind|wird|werden|"
    r"wurde|heute|gestern|morgen|bei|beim|nach|über|wie|wo|warum|noch|nur|aber|oder|kein|keine|"
    r"er|sie|es|uns|wenn|weil|dass|schon|sehr|kann|muss|der|den|vom|ab)\b",
    re.IGNORECASE,
)


class _Word(NamedTuple):
    text: str
    start: int
    end: int

    @property
    def plain(self) -> str:
        return self.text.casefold().replace("’", "'")


def _words(text: str) -> list[_Word]:
    """Return the words of a text, without the ``'s`` of a possessive."""
    found = ((_POSSESSIVE.sub("", word[0]), word.start()) for word in _WORD.finditer(text))
    return [_Word(word, start, start + len(word)) for word, start in found]


def mentions(sentence: str, *, known: frozenset[str] = frozenset()) -> Iterator[Mention]:
    """Yield what a sentence names, in its order, each entity once.

    ``known`` are names (as `names` gives them) that other texts have: they also count where a
    capital alone would not, at the start of a sentence or in German.

    >>> [mention.name for mention in mentions("On Monday I met Dr. Li in New York.")]
    ['Dr. Li', 'New York']
    """
    found = {Mention(name=name).key: name for name in reversed(names(sentence, known=known))}
    yield from (Mention(name=name) for name in reversed(found.values()))


def names(sentence: str, *, known: frozenset[str] = frozenset()) -> list[str]:
    """Return the names in a sentence, as `mentions` does, repeated where they are repeated."""
    text = _NOISE.sub(lambda noise: " " * len(noise[0]), sentence)
    spans = dict(_marked(text))
    text = _blanked(text, spans)
    return [name for _, name in sorted({**dict(_by_capitals(text, known)), **spans}.items())]


def _blanked(text: str, spans: dict[int, str]) -> str:
    """Return the text with full stops in place of names, which stand for no word before a word."""
    for start, name in spans.items():
        text = text[:start] + "." * len(name) + text[start + len(name) :]
    return text


def _marked(text: str) -> Iterator[tuple[int, str]]:
    for mark in _MARKED.finditer(text):
        if _is_short_name(mark[1]):
            yield mark.start(1), mark[1]
    for quote in _QUOTED.finditer(text):
        inside = quote[quote.lastindex or 0]
        introduced = bool(_NAMING.search(text[: quote.start()]))
        if _is_short_name(inside) and (introduced or _is_title(inside)):
            yield quote.start(quote.lastindex or 0), inside
    for handle in _HANDLE.finditer(text):
        yield handle.start(), handle[0]


def _is_short_name(inside: str) -> bool:
    return (
        inside == inside.strip()
        and any(map(str.isalnum, inside))
        and not re.search(r"[.!?。！？，,;；]", inside)
        and inside.casefold() not in _NOISE_WORDS | _FUNCTION
    )


def _is_title(inside: str) -> bool:
    """Say whether quoted words look like a title: two or more, all the long ones capitalised."""
    words = _words(inside)
    large = [word for word in words if word.plain not in _SMALL]
    return (
        len(large) > 1
        and words[0].text[0].isupper()
        and all(word.text[0].isupper() for word in large)
        and not any(word.plain in _NOISE_WORDS | _FUNCTION for word in large)
    )


def _by_capitals(text: str, known: frozenset[str]) -> Iterator[tuple[int, str]]:
    words = _words(text)
    judge = _Judge(text, words, known)
    for run in _runs(text, words):
        for part in judge.names_in(run):
            yield part[0].start, text[part[0].start : part[-1].end]


def _runs(text: str, words: list[_Word]) -> Iterator[list[_Word]]:
    """Yield the words with capitals that stand in a row, particles between them included."""
    run: list[_Word] = []
    for word in words:
        adjoins = bool(run) and _adjoin(text, run[-1], word)
        if adjoins and (_is_large(word) or word.plain in _PARTICLES):
            run.append(word)
            continue
        yield from _trimmed(run)
        run = [word] if _is_large(word) else []
    yield from _trimmed(run)


def _trimmed(run: list[_Word]) -> Iterator[list[_Word]]:
    """Yield the run without function words at its start and particles at its end."""
    while run and run[0].plain in _FUNCTION | _GREETINGS:
        run = run[1:]
    while run and not _is_large(run[-1]):
        run = run[:-1]
    if run:
        yield run


def _adjoin(text: str, first: _Word, second: _Word) -> bool:
    between = text[first.end : second.start]
    dotted = first.plain in _TITLES or (len(first.text) == 1 and first.text.isupper())
    return between == " " or (dotted and between in (". ", "."))


def _is_large(word: _Word) -> bool:
    return word.text[0].isupper() or _has_inner_capital(word.text)


def _has_inner_capital(text: str) -> bool:
    """Say whether a word is written as only names are: ``iPhone``, ``NASA``, ``GPT-4``."""
    if re.search(r"[a-zäöüß](?:In|Innen)\Z", text):  # German: MitarbeiterInnen
        return False
    numbered = any(map(str.isdigit, text)) and any(map(str.isupper, text))
    return any(map(_stands_out, text.split("-"))) or (numbered and _letters(text) > 1)


def _stands_out(part: str) -> bool:
    """Say whether a part of a word has a capital that no sentence's start explains."""
    capitals = sum(map(str.isupper, part))
    known_short = part.casefold() in _NOISE_WORDS
    return not known_short and (capitals > 1 or (capitals == 1 and part[0].islower()))


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


class _Judge:
    """Decides for the words with capitals in one sentence whether they are names."""

    def __init__(self, text: str, words: list[_Word], known: frozenset[str]) -> None:
        self._text = text
        self._known = known
        self._cjk = bool(_CJK.search(text))
        self._shouted = not self._cjk and _is_shouted(words)
        self._german = bool(_GERMAN.search(text))

    def names_in(self, run: list[_Word]) -> Iterator[list[_Word]]:
        """Yield the names that a run of words holds: itself, what its title names, or one word."""
        title = next((at for at, word in enumerate(run) if word.plain in _TITLES), None)
        if title is not None and title < len(run) - 1:
            yield run[title:]
        elif self._is_name(run):
            yield run
        else:
            yield from ([word] for word in run if self._is_strong(word))

    def _is_name(self, run: list[_Word]) -> bool:
        if any(word.plain in _NOISE_WORDS for word in run):
            return False
        name = self._text[run[0].start : run[-1].end]
        if max(_letters(word.text) for word in run) < 2:
            return False
        if name in self._known or _INTRODUCING.search(self._text[: run[0].start]):
            return True
        return self._cjk or not (self._german or self._begins(run[0]) or self._in_headline(run[0]))

    def _is_strong(self, word: _Word) -> bool:
        noise = self._shouted or word.plain in _NOISE_WORDS
        return not noise and _has_inner_capital(word.text)

    def _begins(self, word: _Word) -> bool:
        """Say whether something else than a word or a comma stands before a word."""
        before = self._text[: word.start].rstrip()
        return not before or not (before[-1].isalpha() or before[-1] == ",")

    def _in_headline(self, word: _Word) -> bool:
        """Say whether every word around but the small ones has a capital, as in a heading."""
        clauses = _CLAUSE.finditer(self._text)
        clause = next((one for one in clauses if one.start() <= word.start < one.end()), None)
        large = [one for one in _words(clause[0] if clause else "") if one.text not in _SMALL]
        return len(large) > 1 and all(one.text[0].isupper() for one in large)


def _is_shouted(words: list[_Word]) -> bool:
    """Say whether a sentence of several words is written in capitals for the most part."""
    loud = sum(word.text.isupper() and len(word.text) > 1 for word in words)
    return len(words) > 2 and loud * 2 > len(words)
