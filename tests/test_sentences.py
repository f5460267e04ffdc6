"""Sentences and their places, in the languages and the markup that chats are written in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.extract import sentences


def split(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved to Chengdu. It rains!  Why?", ["I moved to Chengdu.", "It rains!", "Why?"]),
        ("Dr. Li pays 3.50 e.g. for tea. OK.", ["Dr. Li pays 3.50 e.g. for tea.", "OK."]),
        ("我搬到成都了。😀你好吗？很好！", ["我搬到成都了。", "😀你好吗？", "很好！"]),
        ("東京に住んでいます。元気？", ["東京に住んでいます。", "元気？"]),
        ("서울에 산다. 나는 좋아!", ["서울에 산다.", "나는 좋아!"]),
        ("one line\nanother line\r\nthird", ["one line", "another line", "third"]),
        ("no full stop", ["no full stop"]),
    ],
)
def test_sentences_of_several_languages(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize(
    "text", ["", "  \n\t", "---", "```", "***\n===", "|---|:-:|", "...", "- \n>"]
)
def test_what_holds_no_word_gives_nothing(text: str) -> None:
    assert split(text) == []
    assert split(f"{text}\n\nYes.\n")[-1:] == ([] if "```" in text else ["Yes."])


def test_fenced_code_gives_nothing_and_the_text_around_it_does() -> None:
    code = "```python\nx = 1. y\n~~~\n```"
    longer = "~~~~\ncode. code\n~~~\n~~~~"

    text = f"Before.\n{code}\nBetween.\n{longer}\nAfter.\n```\nopen."

    assert split(text) == ["Before.", "Between.", "After."]


def test_code_within_a_line_stays() -> None:
    assert split("Run `make test` now.") == ["Run `make test` now."]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- I moved. I stayed.", ["I moved.", "I stayed."]),
        ("1. First. 2) Second.", ["First.", "Second."]),
        ("## A heading", ["A heading"]),
        ("> - [x] Done twice.", ["Done twice."]),
        ("-5 degrees. #tag", ["-5 degrees.", "#tag"]),
        ("1984. A novel.", ["1984.", "A novel."]),
    ],
)
def test_marks_before_a_sentence_are_left_out(line: str, expected: list[str]) -> None:
    assert split(line) == expected


def test_offsets_count_characters() -> None:
    text = "😀 Hi. 你好。\n  Ça va?  "

    assert [tuple(sentence) for sentence in sentences(text)] == [
        ("😀 Hi.", 0, 5),
        ("你好。", 6, 9),
        ("Ça va?", 12, 18),
    ]


def test_what_the_library_cannot_take_is_split_all_the_same() -> None:
    assert split("The K\u00a0. He left.")[-1] == "He left."
    assert split("Half \ud83d a pair. Yes.") == ["Half \ud83d a pair.", "Yes."]
    assert split("a\x00b. C.") == ["a\x00b.", "C."]


@settings(max_examples=500)
@given(
    st.text()
    | st.text("aK. !?。「」\"'()\n\r-*#>1`~😀你はKo\u00a0\u3000\u2028\x85\ud83d", max_size=60)
)
def test_every_sentence_stands_where_it_says(text: str) -> None:
    end = 0
    for sentence in sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text == sentence.text.strip()
        assert end <= sentence.start < sentence.end
        end = sentence.end


@given(
    st.lists(st.sampled_from(["Yes it is.", "我搬家了。", "はい。", "Why?", "좋아!"]), max_size=9)
)
def test_nothing_that_was_said_is_lost(said: list[str]) -> None:
    assert split("\n".join(said)) == said
