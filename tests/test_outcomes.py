"""What worked follows the branch: rewards, the window of a prompt, and the rows of the report.

The report (an abandoned answer that goes on in a log) is told in docs/learning-from-outcomes.md,
whose figures are those worked out here.
"""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from graphmem import (
    AsyncMemory,
    BatchError,
    ConflictError,
    CreditPart,
    InvalidInputError,
    Memory,
    PurgedError,
    Turn,
    UnknownTurnError,
)
from graphmem._turns import content_hash
from tests.forest import dump, grow, look, texts

Make = Callable[..., Memory]
PAGE = Path(__file__).parents[1] / "docs" / "learning-from-outcomes.md"

ROWS = ["correct-step", "orphan-answer", *(f"window-{n}" for n in range(8))]
SHARES = {"correct-step": 0.8, "orphan-answer": 0.6, "window-7": 0.9}
R, GAMMA = -0.8, 0.9
OLD_HEAD, NEW_HEAD = "orphan-answer", "window-7"


def chronological(rows: Sequence[str], shares: dict[str, float]) -> dict[str, float]:
    """Return what a log gives: one reward, shared along all that was ever stored in it."""
    values: dict[str, float] = {}
    following = None
    for row in reversed(rows):
        own = shares[row]
        following = R if following is None else own * R + (1 - own) * GAMMA * following
        values[row] = round(following, 10)
    return values


def reported(memory: Memory) -> Memory:
    """Store the rows as the tree that they were: the answer was discarded, the chat went on."""
    parents = {"correct-step": "question", "orphan-answer": "correct-step", "question": None}
    for before, row in zip(["edited", *ROWS[2:]], ROWS[2:], strict=False):
        parents[row] = before
    parents["edited"] = "correct-step"
    memory.add_turns(
        {
            "id": turn,
            "role": "user" if turn in ("question", "edited") else "assistant",
            "text": f"What happened in {turn}: the deployment was tried.",
            "parent": parent,
            "credit_share": SHARES.get(turn),
        }
        for turn, parent in parents.items()
    )
    for row in ROWS:
        memory.remember(f"the deployment in {row}", sources=[row], id=f"fact of {row}")
    return memory


def earned(memory: Memory, anchor: str | None) -> dict[str, float]:
    return {one.turn: round(one.value, 10) for one in memory.at(anchor).credit()}


def in_log(memory: Memory) -> Memory:
    """Store the three rows with a share as one chain, as a log keeps them."""
    chain = ["correct-step", "orphan-answer", "window-7"]
    for row, before in zip(chain, [None, *chain], strict=False):
        memory.add_turn(row, role="assistant", text=row, parent=before, credit_share=SHARES[row])
    return memory


# --- the rows of the report


def test_a_log_lowers_the_step_that_was_right() -> None:
    chain = ["correct-step", "orphan-answer", "window-7"]
    assert chronological(chain, SHARES) == {
        "window-7": -0.8,
        "orphan-answer": -0.768,
        "correct-step": -0.77824,
    }
    for wrong_repair, still in ((0.0, -0.7696), (-1.0, -0.7552)):
        values = chronological(chain, SHARES | {"orphan-answer": wrong_repair})
        assert values["correct-step"] == still


def test_blame_for_all_of_one_chain_is_what_the_formula_says(memory: Memory) -> None:
    in_log(memory).reward(R, turn="correct-step", head="window-7", gamma=GAMMA)
    assert earned(memory, "window-7") == chronological(
        ["correct-step", "orphan-answer", "window-7"], SHARES
    )


def test_the_orphan_gets_nothing_and_the_right_step_is_not_lowered(memory: Memory) -> None:
    reported(memory).reward(R, head=NEW_HEAD, gamma=GAMMA)
    assert earned(memory, NEW_HEAD) == {"window-7": -0.8}
    assert earned(memory, OLD_HEAD) == earned(memory, "correct-step") == {}


def test_praise_raises_the_right_step_along_the_new_path_only(memory: Memory) -> None:
    reported(memory).reward(1.0, head=NEW_HEAD)
    values = earned(memory, NEW_HEAD)
    assert list(values) == ["question", "correct-step", "edited", *ROWS[2:]]
    assert values["correct-step"] == round(0.8 + 0.2 * 0.9**9, 10)
    assert earned(memory, OLD_HEAD) == {}


@pytest.mark.parametrize(
    ("start", "left"), [("window-0", []), ("window-5", [f"window-{n}" for n in range(5)])]
)
def test_recall_beside_a_window_brings_the_right_step_and_never_the_orphan(
    memory: Memory, start: str, left: list[str]
) -> None:
    view = reported(memory).at(NEW_HEAD)
    expected = {f"the deployment in {row}" for row in ("correct-step", *left)}
    window = ROWS[ROWS.index(start) :]
    for shown in ({"since": start}, {"exclude_window": window}):
        given: dict[str, Any] = shown
        assert texts(view.recall("the deployment", k=50, **given)) == expected
        told = view.context("the deployment", 5000, **given)
        assert {line[2:].split(" [")[0] for line in told.text.splitlines()[2:-1]} == expected
    assert texts(memory.at(OLD_HEAD).recall("the deployment", k=50)) == {
        "the deployment in correct-step",
        "the deployment in orphan-answer",
    }


def test_the_page_tells_these_figures(memory: Memory) -> None:
    text = PAGE.read_text("utf-8")
    told = {
        row: [float(number.replace("−", "-")) for number in re.findall(r"−\d\.\d+", rest)]
        for row, rest in re.findall(r"^\| `([a-z0-9-]+)` \|(.*)$", text, re.M)
    }
    chain = ["correct-step", "orphan-answer", "window-7"]
    logged = chronological(chain, SHARES)
    reported(memory).reward(R, head=NEW_HEAD, gamma=GAMMA)
    ours = earned(memory, NEW_HEAD)
    assert told == {row: [logged[row], *([ours[row]] if row in ours else [])] for row in chain}
    for wrong_repair in (0.0, -1.0):
        value = chronological(chain, SHARES | {"orphan-answer": wrong_repair})["correct-step"]
        assert f"{value}".replace("-", "−") in text


# --- rewards


def test_the_last_turn_of_the_assistant_is_meant(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2 u3")
    assert memory.reward(-1.0, head="u3").refers_to == "a2"
    assert list(earned(memory, "u3")) == ["a2", "u3"]
    assert memory.reward(1, head="a1").refers_to == "a1"
    with pytest.raises(InvalidInputError, match="name the turn that is meant"):
        memory.reward(1.0, head="u1")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"value": 1.01}, "reward"),
        ({"value": -1.01}, "reward"),
        ({"value": float("nan")}, "reward"),
        ({"value": float("inf")}, "reward"),
        ({"value": "1"}, "reward"),
        ({"value": True}, "reward"),
        ({"gamma": 1.1}, "gamma"),
        ({"gamma": -0.1}, "gamma"),
        ({"gamma": float("nan")}, "gamma"),
    ],
)
def test_a_number_out_of_range_is_refused(
    memory: Memory, given: dict[str, Any], named: str
) -> None:
    grow(memory, "u1 a1")
    before = dump(memory)
    with pytest.raises(InvalidInputError, match=named):
        memory.reward(given.pop("value", 1.0), head="a1", **given)
    assert dump(memory) == before


@pytest.mark.parametrize("share", [1.01, -0.01, -1, 2, float("nan"), float("inf"), True, "0.5"])
def test_a_share_out_of_range_is_refused(memory: Memory, share: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"credit_?[sS]hare"):
        memory.add_turn("a1", role="assistant", text="done", credit_share=share)
    turn = {"id": "a1", "role": "assistant", "text": "done", "credit_share": share}
    with pytest.raises((InvalidInputError, BatchError)):
        memory.add_turns([turn])
    with pytest.raises(UnknownTurnError):
        memory.turn("a1")


def test_a_share_is_part_of_what_a_turn_is(memory: Memory) -> None:
    memory.add_turn("a1", role="assistant", text="done", credit_share=1)
    assert memory.turn("a1").credit_share == 1.0
    assert memory.add_turn("a1", role="assistant", text="done", credit_share=1.0).known == 1
    with pytest.raises(ConflictError, match="never change"):
        memory.add_turn("a1", role="assistant", text="done", credit_share=0.5)
    assert memory.turn("a1") == memory.at("a1").path()[0]


def test_a_turn_that_is_not_there_or_not_on_the_path_is_refused(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "u1 b1")
    memory.add_turn("late", role="user", text="late", parent="missing")
    before = dump(memory)
    with pytest.raises(InvalidInputError, match="is not on the path of the head 'u2'"):
        memory.reward(1.0, turn="b1", head="u2")
    with pytest.raises(InvalidInputError, match="not on the path"):
        memory.reward(1.0, turn="u2", head="a1")
    for turn, head in (("nope", "u2"), ("a1", "nope"), ("a1", "missing"), ("missing", "late")):
        with pytest.raises(UnknownTurnError):
            memory.reward(1.0, turn=turn, head=head)
    assert dump(memory) == before


def test_a_second_feedback_on_a_head_takes_the_place_of_the_first(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2")
    first = memory.reward(1.0, head="a2")
    assert earned(memory, "a2")["u1"] == round(0.9**3, 10)
    second = memory.reward(-0.5, head="a2")
    assert earned(memory, "a2") == {"a2": -0.5}
    assert memory.at("a2").explain(first.id).invalidated[0].replaced_by == second.id
    third = memory.reward(1.0, head="a2")
    assert third.id != first.id
    assert earned(memory, "a2")["a2"] == 1.0
    assert len(memory.at("a2").visible(kinds=["credit"])) == 3


def test_the_same_feedback_again_writes_nothing(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2")
    first = memory.reward(0.25, head="a2")
    before = dump(memory)
    assert memory.reward(0.25, head="a2", turn="a2") == first
    assert dump(memory) == before
    assert memory.reward(0.25, head="a2", gamma=0.5) != first


def test_a_credit_taken_back_on_one_branch_counts_once_on_the_others(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 b2")
    given = memory.reward(0.5, head="a1")
    memory.retract(given.id, sources=["b2"])
    assert memory.reward(0.5, head="a1") == given
    assert (earned(memory, "u2")["a1"], earned(memory, "b2")) == (0.5, {})
    second = memory.reward(1.0, head="a1")
    assert earned(memory, "u2")["a1"] == earned(memory, "b2")["a1"] == 1.0
    memory.revoke(records=[second.id])
    assert (earned(memory, "u2")["a1"], earned(memory, "b2")) == (0.5, {})


def test_feedback_along_a_path_adds_up(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2")
    early, late = memory.reward(1.0, head="a1"), memory.reward(0.5, head="a2", gamma=0.5)
    found = {one.turn: one for one in memory.at("a2").credit()}
    assert [part.id for part in found["a1"].parts] == sorted([early.id, late.id])
    assert {part.head: part.value for part in found["a1"].parts} == {"a1": 1.0, "a2": 0.125}
    assert found["a1"].value == 1.125
    assert isinstance(found["a1"].parts[0], CreditPart)
    assert earned(memory, "a1") == {"u1": 0.9, "a1": 1.0}


def test_going_back_and_forth_writes_nothing(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2", "a1 u3 a3")
    memory.reward(1.0, head="a2")
    memory.reward(-1.0, head="a3")
    before = dump(memory)
    for _ in range(2):
        assert earned(memory, "a2")["u2"] == 0.9
        assert earned(memory, "a3") == {"a3": -1.0}
        assert earned(memory, "a1") == {}
    assert dump(memory) == before
    assert memory.at(None).credit() == []
    with pytest.raises(UnknownTurnError):
        memory.at("nope").credit()


def test_a_revoked_turn_earns_nothing_and_a_purged_one_takes_its_feedback_along(
    memory: Memory,
) -> None:
    grow(memory, "u1 a1 u2 a2")
    given = memory.reward(1.0, head="a2")
    memory.revoke(turns=["u2"])
    assert list(earned(memory, "a2")) == ["u1", "a1", "a2"]
    memory.revoke(records=[given.id])
    assert earned(memory, "a2") == {}
    memory.restore(turns=["u2"], records=[given.id])
    assert len(earned(memory, "a2")) == 4
    memory.purge(turns=["a2"])
    assert look(memory, "MATCH (c:Credit {space: $space}) RETURN c") == []
    assert earned(memory, "u2") == {}
    with pytest.raises(PurgedError):
        memory.reward(1.0, head="a2", turn="a1")


def test_no_credit_is_remembered_or_made_by_hand(memory: Memory) -> None:
    grow(memory, "u1")
    for kind, verb in (("credit", "reward"), ("insight", "add_insight")):
        with pytest.raises(InvalidInputError, match=verb):
            memory.remember("praise", sources=["u1"], kind=kind)  # type: ignore[arg-type]


def test_of_two_at_once_one_takes_the_place_of_the_other(memory: Memory) -> None:
    grow(memory, "u1 a1")
    values = [n / 10 for n in range(1, 9)]
    threads = [
        threading.Thread(target=memory.reward, args=(value,), kwargs={"head": "a1"})
        for value in values
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert earned(memory, "a1")["a1"] in values
    assert len(memory.at("a1").visible(kinds=["credit"])) == len(values)


# --- on random trees


class Ledger:
    """What was given, and what follows from it, in plain Python."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.parents: dict[str, str | None] = {}
        self.shares: dict[str, float | None] = {}
        self.given: dict[str, tuple[float, str, float]] = {}
        for number in range(25):
            earlier = list(self.parents)
            parent = rng.choice([*earlier[-2:], *earlier]) if earlier else None
            self.parents[f"t{number}"] = parent
            self.shares[f"t{number}"] = rng.choice([None, 0.0, 1.0, round(rng.random(), 3)])

    def path(self, turn: str | None) -> list[str]:
        """Return a turn and those above it, itself first."""
        return [turn, *self.path(self.parents[turn])] if turn else []

    def turns(self) -> list[dict[str, Any]]:
        return [
            {
                "id": turn,
                "role": "assistant",
                "text": turn,
                "parent": parent,
                "credit_share": self.shares[turn],
            }
            for turn, parent in self.parents.items()
        ]

    def feedback(self) -> tuple[float, str, str, float]:
        head = self.rng.choice(list(self.parents))
        turn = self.rng.choice(self.path(head))
        value = self.rng.choice([1.0, -1.0, round(self.rng.uniform(-1, 1), 3)])
        gamma = self.rng.choice([0.9, 0.9, 0.0, 1.0, round(self.rng.random(), 3)])
        self.given[head] = (value, turn, gamma)
        return value, head, turn, gamma

    def earned(self, anchor: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for head in self.path(anchor):
            if head in self.given:
                value, refers_to, gamma = self.given[head]
                for turn, got in self._flow(head, value, gamma).items():
                    if value >= 0 or refers_to in self.path(turn):
                        found[turn] = found.get(turn, 0.0) + got
        return {turn: value for turn, value in found.items() if abs(value) > 1e-8}

    def _flow(self, head: str, value: float, gamma: float) -> dict[str, float]:
        got = {head: value}
        for below, turn in zip(self.path(head), self.path(head)[1:], strict=False):
            share = self.shares[turn] or 0.0
            got[turn] = share * value + (1 - share) * gamma * got[below]
        return got


@pytest.mark.parametrize("seed", range(12))
def test_on_random_trees_each_branch_keeps_its_own_account(memory: Memory, seed: int) -> None:
    ledger = Ledger(random.Random(seed))
    turns = ledger.turns()
    ledger.rng.shuffle(turns)
    memory.add_turns(turns)
    everywhere = list(ledger.parents)
    for _ in range(12):
        before = {anchor: earned(memory, anchor) for anchor in everywhere}
        value, head, turn, gamma = ledger.feedback()
        given = memory.reward(value, head=head, turn=turn, gamma=gamma)
        after = {anchor: earned(memory, anchor) for anchor in everywhere}
        for anchor in everywhere:
            told = {turn: got for turn, got in after[anchor].items() if abs(got) > 1e-8}
            assert told == pytest.approx(ledger.earned(anchor))
            assert after[anchor].keys() <= set(ledger.path(anchor))
            if head not in ledger.path(anchor):
                assert after[anchor] == before[anchor]
        assert memory.reward(value, head=head, turn=turn, gamma=gamma) == given
    anchor, path = head, ledger.path(head)
    assert {one: earned(memory, one) for one in everywhere} == after
    refers_to = ledger.rng.choice(path)
    memory.reward(0.0, head=anchor, turn=refers_to)
    neutral = earned(memory, anchor)
    memory.reward(-1.0, head=anchor, turn=refers_to)
    blamed = earned(memory, anchor)
    for turn in ledger.path(refers_to)[1:]:
        assert blamed.get(turn, 0.0) >= neutral.get(turn, 0.0)


# --- what is preferred, and what the prompt shows


def test_what_earned_credit_ranks_higher_and_nothing_is_left_out(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2 u3")
    for turn in ("a1", "a2"):
        memory.remember(f"the build was fixed ({turn})", sources=[turn])
    memory.reward(-1.0, head="a1")
    view = memory.at("u3")
    plain, valued = view.recall("the build"), view.recall("the build", prefer="valued")
    assert texts(plain) == texts(valued)
    assert [hit.text[-3:-1] for hit in valued] == ["a2", "a1"]
    memory.reward(1.0, head="a1")
    memory.reward(-1.0, head="a2")
    assert [hit.text[-3:-1] for hit in view.recall("the build", prefer="valued")] == ["a1", "a2"]
    scores = {hit.text: hit.score for hit in view.recall("the build", prefer="valued")}
    for hit in plain:
        assert 0 < scores[hit.text] <= 1.5 * hit.score
    with pytest.raises(InvalidInputError, match="prefer"):
        view.recall("the build", prefer="best")  # type: ignore[arg-type]


def test_only_what_comes_wholly_from_the_window_is_left_out(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2")
    memory.remember("the build is green now", sources=["u2"])
    memory.remember("the build went from red to green", sources=["a1", "a2"])
    view = memory.at("a2")
    assert texts(view.recall("the build", since="u2")) == {"the build went from red to green"}
    assert texts(view.recall("the build", since="u1")) == set()
    assert len(view.recall("the build", exclude_window=[])) == 2
    assert len(view.recall("the build", exclude_window=["u1", "never stored"])) == 2


def test_a_window_of_another_branch_leaves_nothing_out(memory: Memory, make_memory: Make) -> None:
    grow(memory, "u1 a1 u2", "a1 b2", conversation="one")
    grow(memory, "v1 v2", conversation="two")
    memory.remember("the build is green", sources=["v2"])
    memory.remember("the build is red", sources=["u2"])
    wide = memory.at("u2", scope="space")
    window = ["b2", "v1", "v2"]
    assert texts(wide.recall("the build", exclude_window=window)) == {
        "the build is green",
        "the build is red",
    }
    assert texts(wide.recall("the build", since="u2")) == {"the build is green"}
    for since, error in (("b2", InvalidInputError), ("nope", UnknownTurnError)):
        with pytest.raises(error):
            wide.recall("the build", since=since)
        with pytest.raises(error):
            wide.context("the build", since=since)
    with pytest.raises(InvalidInputError, match="not both"):
        wide.recall("the build", since="u2", exclude_window=["u2"])
    with pytest.raises(InvalidInputError, match="list"):
        wide.recall("the build", exclude_window="u2")
    with pytest.raises(InvalidInputError, match="list"):
        wide.recall("the build", exclude_window=[2])  # type: ignore[list-item]
    with pytest.raises(InvalidInputError, match="list"):
        wide.recall("the build", exclude_window=5)  # type: ignore[arg-type]
    with pytest.raises(UnknownTurnError):
        memory.at("nope").context("the build", since="u2")


def test_a_window_does_not_crowd_out_what_lies_before_it(memory: Memory) -> None:
    grow(memory, " ".join(f"u{n}" for n in range(200)))
    memory.remember_all(
        {"text": f"the build, again and again, build {n}", "sources": [f"u{n}"]}
        for n in range(1, 200)
    )
    memory.remember("a note on how the team once made the build", sources=["u0"])
    hits = memory.at("u199").recall("build", k=1, since="u1")
    assert texts(hits) == {"a note on how the team once made the build"}


def test_summaries_of_what_the_prompt_shows_are_left_out(memory: Memory) -> None:
    grow(memory, " ".join(f"u{n}" for n in range(45)))
    memory.summarise("u44")
    view = memory.at("u44")
    whole, late = view.context("text", 3000), view.context("text", 3000, since="u20")
    assert {"u0", "u20"} <= set(whole.sources)
    assert set(late.sources) <= {f"u{n}" for n in range(20)}


def test_the_awaited_verbs_do_the_same(memory: Memory) -> None:
    grow(memory, "u1 a1")
    twin = AsyncMemory(memory)

    async def use() -> None:
        given = await twin.reward(0.5, head="a1")
        assert given.refers_to == "a1"
        assert [one.value for one in await twin.at("a1").credit()] == [0.45, 0.5]
        insight = await twin.add_insight("tea", "Serve tea.", evidence=["a1"])
        merged = await twin.merge_insight(body="Serve hot tea.", target=insight, evidence=["a1"])
        assert (await twin.at("a1").insights()) == [merged]
        assert [one.status for one in await twin.at("u1").evidence(insight)] == ["revoked"]

    anyio.run(use)


def test_a_turn_without_a_share_has_the_hash_it_had_before_there_were_shares() -> None:
    turn = Turn(id="u1", role="user", text="hello")
    assert content_hash(turn) == "f9e50829c1cab2ae9119f63e8dd6e048"
    assert content_hash(turn.model_copy(update={"credit_share": 0.0})) != content_hash(turn)
