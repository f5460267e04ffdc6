"""A summary without a model: the few sentences that say most of what the others speak of.

- A word weighs as much as it is common among the sentences, and nothing when it is in all of them:
  ``n · log(N / n)`` for a word in ``n`` of ``N`` sentences. So the stop words of any language drop
  out by themselves, and so does what is said only once in a long text.
- A sentence scores the weight of its words by the square root of how many they are, so that neither
  the longest nor the shortest wins. A word that a chosen sentence holds weighs nothing any more:
  the next one says something else.
- Chinese, Japanese and Korean are written without spaces between words, or with few: there every
  pair of characters is a word.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from graphmem.extract import sentences

MOST_SENTENCES = 4
MOST_CHARACTERS = 600
LONGEST = MOST_CHARACTERS // 2
"""Characters of the longest sentence that is taken whole, so that there is always room for two."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")


class ExtractiveSummariser:
    """Takes two to four sentences out of the texts, verbatim and in their order, one to a line.

    At most 600 characters; sentences of more than 300 are passed over. Fenced code has none.
    """

    name = "extractive"

    def summarise(self, texts: Sequence[str]) -> str:
        """Return the sentences that say most, or nothing when the texts hold none.

        >>> ExtractiveSummariser().summarise(["The cat is ill.", "Hm.", "The vet saw it. Good."])
        'The cat is ill.\\nHm.\\nThe vet saw it.\\nGood.'
        """
        said = list(dict.fromkeys(sentence.text for text in texts for sentence in sentences(text)))
        short = [sentence for sentence in said if len(sentence) <= LONGEST]
        if not short:
            return said[0][: LONGEST - 1] + "…" if said else ""
        return "\n".join(short[place] for place in sorted(_chosen(short)))


def _chosen(said: Sequence[str]) -> list[int]:
    """Return the places of the sentences that say most, the best first."""
    words = [frozenset(_words(sentence)) for sentence in said]
    weights = _weights(words)
    chosen: list[int] = []
    room = MOST_CHARACTERS
    while len(chosen) < MOST_SENTENCES and (
        fitting := [i for i, one in enumerate(said) if i not in chosen and len(one) < room]
    ):
        best = max(fitting, key=lambda place: (_score(words[place], weights), -place))
        chosen.append(best)
        room -= len(said[best]) + 1
        weights = {word: weight for word, weight in weights.items() if word not in words[best]}
    return chosen


def _words(sentence: str) -> Iterator[str]:
    for run in _RUN.findall(sentence.casefold()):
        if len(run) > 1 and re.match(f"[{_CJK}]", run):
            yield from map("".join, pairwise(run))
        else:
            yield run


def _weights(sentences: Sequence[frozenset[str]]) -> dict[str, float]:
    common = Counter(word for words in sentences for word in words)
    return {word: n * math.log(len(sentences) / n) for word, n in common.items()}


def _score(words: frozenset[str], weights: Mapping[str, float]) -> float:
    return sum(weights.get(word, 0.0) for word in sorted(words)) / math.sqrt(len(words) or 1)
