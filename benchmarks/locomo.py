"""Evidence recall on the LoCoMo conversations: ``python -m benchmarks.locomo locomo10.json.gz``.

Each conversation becomes one tree, each turn one fact, and each question is asked at the last turn:
which of the turns that hold the answer are among the sources of the ten best hits? Beside recall
stand its parts alone, words (Lucene's BM25) and vectors, on the same store. The weights were chosen
on the conversations 0, 2, 4, 6, 8; reported are the others. Then every evidence turn is copied to a
sibling branch, and no copy may ever come back.

The data set is not part of this project (CC BY-NC 4.0); this takes a gzipped JSON list of
conversations ``{turns: [{id, speaker, text, caption}], qa: [{question, evidence, category}]}``.
"""

from __future__ import annotations

import gzip
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from graphmem import Memory, Store
from graphmem import _recall as recall_module
from graphmem.embed import Embedder, default_embedder, embedder_named
from graphmem.extract import mentions

K = 10
ADVERSARIAL = 5
CHOOSING, REPORTED = (0, 2, 4, 6, 8), (1, 3, 5, 7, 9)
WAYS: dict[str, dict[str, float]] = {
    "words alone": {"vector": 0.0, "text": 1.0, "graph": 0.0},
    "vectors alone": {"vector": 1.0, "text": 0.0, "graph": 0.0},
    "words and vectors": {"vector": 1.0, "text": 1.0, "graph": 0.0},
    "recall": dict(recall_module.WEIGHTS),
}

out = Console(highlight=False)


@dataclass(frozen=True)
class Asked:
    """A question, and the turns that hold its answer."""

    text: str
    evidence: frozenset[str]


def questions(conversation: dict[str, Any]) -> Iterator[Asked]:
    """Yield the questions that have an answer whose evidence is among the turns."""
    known = {turn["id"] for turn in conversation["turns"]}
    for item in conversation["qa"]:
        ids = {id_ for text in item["evidence"] for id_ in re.split(r"[;,\s]+", text)} & known
        if ids and item["category"] != ADVERSARIAL:
            yield Asked(item["question"], frozenset(ids))


def said(turn: dict[str, Any]) -> str:
    """Return what a turn says, and what its picture shows."""
    caption = f" [picture: {turn['caption']}]" if turn.get("caption") else ""
    return f"{turn['speaker']}: {turn['text']}{caption}"


def plant(memory: Memory, conversation: dict[str, Any]) -> str:
    """Store a conversation, each turn with a fact that says it; return the last turn."""
    turns = conversation["turns"]
    memory.add_turns(
        {
            "id": turn["id"],
            "role": "user",
            "text": said(turn),
            "parent": turns[number - 1]["id"] if number else None,
        }
        for number, turn in enumerate(turns)
    )
    memory.remember_all(fact(said(turn), turn["id"]) for turn in turns)
    return str(turns[-1]["id"])


def fact(text: str, turn: str) -> dict[str, Any]:
    """Return a fact with what it mentions."""
    return {"text": text, "sources": [turn], "mentions": list(mentions(text))}


def copy_evidence(memory: Memory, conversation: dict[str, Any], asked: Sequence[Asked]) -> int:
    """Put a copy of every evidence turn on a sibling branch; return how many there are."""
    turns = {turn["id"]: turn for turn in conversation["turns"]}
    wanted = sorted({id_ for one in asked for id_ in one.evidence})
    for id_ in wanted:
        stored = memory.turn(id_)
        memory.add_turn(
            f"copy/{id_}", role="user", text=stored.text, parent=stored.parent, replaces=id_
        )
    memory.remember_all(fact(said(turns[id_]), f"copy/{id_}") for id_ in wanted)
    return len(wanted)


def score(memory: Memory, anchor: str, asked: Sequence[Asked]) -> tuple[list[float], int]:
    """Return the share of the evidence found per question, and how many copies came back."""
    shares, copies = [], 0
    for one in asked:
        hits = memory.at(anchor).recall(one.text, k=K)
        found = {source.turn for hit in hits for source in hit.sources}
        shares.append(len(one.evidence & found) / len(one.evidence))
        copies += sum(str(turn).startswith("copy/") for turn in found)
    return shares, copies


def with_weights(weights: dict[str, float]) -> None:
    """Let recall weigh its parts so."""
    recall_module.WEIGHTS.update(weights)


def measure(
    store: Store, embedder: Embedder, conversations: Sequence[dict[str, Any]]
) -> dict[str, dict[int, list[float]]]:
    """Return the shares per way and conversation; raise if a copy ever comes back."""
    results: dict[str, dict[int, list[float]]] = {way: {} for way in WAYS}
    results["recall, copies beside"] = {}
    for number, conversation in enumerate(track(conversations, "Conversations", transient=True)):
        memory = Memory(store, space=f"locomo-{secrets.token_hex(6)}", embedder=embedder)
        asked = list(questions(conversation))
        try:
            anchor = plant(memory, conversation)
            memory.embed()
            for way, weights in WAYS.items():
                with_weights(weights)
                results[way][number] = score(memory, anchor, asked)[0]
            copy_evidence(memory, conversation, asked)
            memory.embed()
            shares, copies = score(memory, anchor, asked)
            results["recall, copies beside"][number] = shares
            if copies:
                raise AssertionError(f"{copies} copies of another branch came back")
        finally:
            memory.forget_space()
    return results


def table(results: dict[str, dict[int, list[float]]]) -> Table:
    """Draw the mean shares, per half."""
    drawn = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in (f"evidence recall@{K}", "chosen on", "reported", "all"):
        drawn.add_column(heading, justify="left" if "recall" in heading else "right")
    halves = (CHOOSING, REPORTED, (*CHOOSING, *REPORTED))
    for way, shares in results.items():
        means = [
            fmean(share for number in half for share in shares.get(number, [])) for half in halves
        ]
        drawn.add_row(way, *(f"{mean:.3f}" for mean in means))
    return drawn


def main(
    path: Annotated[Path, typer.Argument(help="The gzipped data set.")],
    embedder: Annotated[str | None, typer.Option(help="Else the best that is installed.")] = None,
) -> None:
    """Measure what share of the evidence recall finds, with its parts alone beside it."""
    conversations = json.loads(gzip.decompress(path.read_bytes()))
    chosen = embedder_named(embedder) if embedder else default_embedder()
    if chosen is None:
        raise typer.BadParameter("no embedder is installed")
    with Store.open() as store:
        results = measure(store, chosen, conversations)
    out.print(f"{chosen.name}, {len(conversations)} conversations, Neo4j {store.version}")
    out.print(table(results))
    out.print("No copy on a sibling branch was ever returned.")


if __name__ == "__main__":
    typer.run(main)
