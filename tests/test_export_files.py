"""Export files as they are found: broken, packed, many, unknown."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem import ImportFormatError
from graphmem.importers import ImportedConversation, SkippedConversation, read_export
from graphmem.importers._json import Unreadable, json_objects
from tests.chatgpt_export import Json, chat, one_line, texts, written

# --- files that are broken


def outcomes_of(path: Path, data: bytes) -> tuple[list[ImportedConversation], list[str]]:
    file = path / "export.json"
    file.write_bytes(data)
    outcomes = list(read_export(file, "chatgpt"))
    good = [outcome for outcome in outcomes if isinstance(outcome, ImportedConversation)]
    return good, [
        outcome.reason for outcome in outcomes if isinstance(outcome, SkippedConversation)
    ]


def test_a_file_that_breaks_off_gives_what_stands_before(tmp_path: Path) -> None:
    one = json.dumps(one_line()).encode()
    data = b"[" + one + b", " + one + b"]"

    for length in (1, 30, len(one), len(one) + 1, len(one) + 2, len(one) + 40, len(data) - 1):
        good, reasons = outcomes_of(tmp_path, data[:length])
        assert len(good) == (length - 1) // len(one), length
        assert len(reasons) == 1, length
        assert "breaks off" in reasons[0]
    assert [len(part) for part in outcomes_of(tmp_path, data)] == [2, 0]


def test_a_piece_that_is_no_json_costs_no_other(tmp_path: Path) -> None:
    one = json.dumps(one_line()).encode()
    broken = one.replace(b'"create_time": 1', b'"create_time": one')

    good, reasons = outcomes_of(tmp_path, b"[" + b", ".join([one, broken, b"null", one]) + b"]")

    assert len(good) == 2
    assert len(reasons) == 2


def test_deep_nesting_and_long_numbers_cost_one_conversation(tmp_path: Path) -> None:
    one = json.dumps(one_line()).encode()
    deep = b'{"mapping": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    number = b'{"mapping": ' + b"9" * 10_000 + b"}"

    good, reasons = outcomes_of(tmp_path, b"[" + b",".join([deep, number, one]) + b"]")

    assert (len(good), len(reasons)) == (1, 2)


@pytest.mark.parametrize(
    ("written_as", "read_as"),
    [
        (rb"ok \ud83d", "ok �"),
        (rb"\udf78 ok", "� ok"),
        (rb"\ud83d\u0041", "�A"),
        (rb"\ud83c\udf78", "\U0001f378"),
        (b"bad \xff byte", "bad � byte"),
        (rb"a\u0000b", "a\x00b"),
        (b"a\x00b\nc", "a\x00b\nc"),
        (rb"quote \" and brace } {", 'quote " and brace } {'),
        (rb"ends in a backslash \\", "ends in a backslash \\"),
    ],
)
def test_strings_of_every_kind(tmp_path: Path, written_as: bytes, read_as: str) -> None:
    one = json.dumps(one_line()).encode().replace(b"I moved to Chengdu.", written_as)

    good, reasons = outcomes_of(tmp_path, b"[" + one + b"," + one + b"]")

    assert [texts(found)[0] for found in good] == [read_as, read_as]
    assert reasons == []


def test_half_a_surrogate_pair_is_not_lost(tmp_path: Path) -> None:
    one = json.dumps(one_line()).encode().replace(b"I moved to Chengdu.", rb"ok \ud83d")

    [found], _ = outcomes_of(tmp_path, one)

    assert found.turns[0].raw_text == r'"ok \ud83d"'


@settings(max_examples=200, deadline=None)
@given(values=st.lists(st.dictionaries(st.text(), st.text() | st.none())), size=st.integers(1, 9))
def test_objects_are_cut_alike_whatever_the_size_of_the_blocks(
    values: list[Json], size: int
) -> None:
    data = json.dumps(values).encode()

    assert list(json_objects(Blocks(data, size))) == values
    assert list(json_objects(Blocks(data[:-1], size)))[: len(values)] == values


@given(data=st.text('{}[]",:\\ a').map(str.encode), size=st.integers(1, 9))
def test_no_bytes_stop_the_reader(data: bytes, size: int) -> None:
    assert all(isinstance(found, dict | Unreadable) for found in json_objects(Blocks(data, size)))


class Blocks(io.BytesIO):
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size

    def read(self, _: int | None = None, /) -> bytes:
        return super().read(self._size)


# --- files, folders and zips


def test_a_lone_conversation_a_byte_order_mark_and_any_name(tmp_path: Path) -> None:
    file = tmp_path / "from-my-browser.txt"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(one_line()).encode())

    [found] = read_export(file)

    assert isinstance(found, ImportedConversation)


@pytest.mark.parametrize("pack", ["folder", "zip"])
def test_a_folder_and_a_zip_give_all_their_conversations_in_order(
    tmp_path: Path, pack: str
) -> None:
    members = {
        f"sub/conversations-{number:03}.json": json.dumps(
            [one_line(conversation_id=f"c{number}"), one_line(conversation_id=f"d{number}")]
        )
        for number in (2, 0, 1)
    }
    members |= {
        "user.json": '{"id": "user-1", "email": "a@b.example"}',
        "message_feedback.json": '[{"id": "x", "conversation_id": "c1", "create_time": 1}]',
        "shared_conversations.json": '[{"id": "x", "conversation_id": "c1", "title": "t"}]',
        "empty.json": "",
        "chat.html": json.dumps([one_line()]),
    }
    path = packed(tmp_path / "export", members, pack)

    found = list(read_export(path))

    assert [outcome.id for outcome in found] == [f"chatgpt/{x}{n}" for n in range(3) for x in "cd"]


def packed(path: Path, members: dict[str, str], pack: str) -> Path:
    if pack == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        return path
    for name, content in members.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(content)
    return path


def test_a_damaged_first_conversation_does_not_hide_the_format(tmp_path: Path) -> None:
    damaged = chat({})
    del damaged["mapping"], damaged["current_node"]

    bad, good = read_export(written(tmp_path / "x.json", damaged, one_line()))
    [alone] = read_export(written(tmp_path / "x.json", damaged))

    assert bad == alone
    assert isinstance(bad, SkippedConversation)
    assert isinstance(good, ImportedConversation)


@pytest.mark.parametrize(
    "content", ["", "[]", "hello", '{"mapping": 1}', '[{"chat_messages": []}]', "\x00\x01{"]
)
def test_a_file_that_nobody_knows_is_an_error_that_names_what_is_read(
    tmp_path: Path, content: str
) -> None:
    file = tmp_path / "x.json"
    file.write_text(content)

    with pytest.raises(ImportFormatError, match="chatgpt"):
        read_export(file)


def test_an_empty_folder_a_broken_zip_and_an_unknown_importer_are_errors(tmp_path: Path) -> None:
    good = packed(tmp_path / "good.zip", {"conversations.json": json.dumps([one_line()])}, "zip")
    broken = tmp_path / "broken.zip"
    broken.write_bytes(good.read_bytes()[:-30])
    (tmp_path / "empty").mkdir()

    assert len(list(read_export(good))) == 1
    with pytest.raises(ImportFormatError, match="no conversations"):
        read_export(tmp_path / "empty")
    with pytest.raises(ImportFormatError, match=r"broken zip"):
        read_export(broken)
    with pytest.raises(ImportFormatError, match="no importer 'x'"):
        read_export(good, "x")


def test_an_encrypted_zip_is_an_error(tmp_path: Path) -> None:
    path = packed(tmp_path / "x.zip", {"conversations.json": json.dumps([one_line()])}, "zip")
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1  # the flag in the directory that says "encrypted"
    path.write_bytes(data)

    with pytest.raises(ImportFormatError, match="encrypted"):
        read_export(path)


def test_a_member_that_is_damaged_further_on_is_reported(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(400_000).hex()
    chats = [one_line(conversation_id=f"c{number}", noise=noise) for number in range(4)]
    path = packed(tmp_path / "x.zip", {"conversations.json": json.dumps(chats)}, "zip")
    data = bytearray(path.read_bytes())
    data[-5000:-4000] = bytes(1000)
    path.write_bytes(data)

    outcomes = list(read_export(path))

    assert isinstance(outcomes[0], ImportedConversation)
    assert isinstance(outcomes[-1], SkippedConversation)
    assert "could not be read to its end" in outcomes[-1].reason


def test_progress_counts_the_bytes_of_what_is_imported(tmp_path: Path) -> None:
    members = {
        "a.json": json.dumps([one_line()] * 9),
        "b.json": json.dumps([one_line()]),
        "c.json": "{}",
    }
    path = packed(tmp_path / "x.zip", members, "zip")
    calls: list[tuple[int, int]] = []

    list(read_export(path, progress=lambda done, total: calls.append((done, total))))

    assert calls[-1] == (len(members["a.json"]) + len(members["b.json"]),) * 2
    assert calls == sorted(calls)


def test_memory_is_bounded_by_one_conversation(tmp_path: Path) -> None:
    filler = "word " * 20_000
    chats = [one_line(conversation_id=f"c{number}", filler=filler) for number in range(300)]
    path = written(tmp_path / "x.json", *chats)
    size = path.stat().st_size
    del chats

    tracemalloc.start()
    try:
        count = sum(1 for _ in read_export(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == 300
    assert size > 30_000_000
    assert peak < 10_000_000
