"""A purged text comes back from no read path, from no index, and not after a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem import GraphmemError, Memory, Store
from graphmem.store.local import LocalServer
from tests.conftest import STRICT, share_jars
from tests.forest import Compass, look

CANARY = "zanzibarcanary"
KEPT = "keeps a tortoise"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LocalServer]:
    """A local server of this test's own, to be stopped and started."""
    server = LocalServer(share_jars(tmp_path / "home"))
    server.start()
    yield server
    server.stop()


def opened(server: LocalServer) -> Store:
    state = server.start()
    return Store.open(
        uri=state.uri, username=server.username, password=server.password, options=STRICT
    )


def plant(memory: Memory) -> None:
    memory.add_turns(
        [
            {"id": "u1", "role": "user", "text": f"I keep a tortoise. {CANARY}!", "parent": None},
            {"id": "u2", "role": "user", "text": f"My word is {CANARY}.", "parent": "u1"},
            {"id": "u3", "role": "user", "text": "Never mind.", "parent": "u2"},
        ]
    )
    memory.extract("sentences")
    fact = memory.remember(f"the word is {CANARY}", ["u2"], mentions=[CANARY])
    memory.remember(KEPT, ["u3"], mentions=["tortoise"])
    memory.relate("Ann", "says", CANARY, ["u2"])
    memory.correct(fact, f"the word was {CANARY}", ["u2"])
    told = memory.add_insight(CANARY, f"Say {CANARY}.", evidence=["u2"], kind=CANARY)
    memory.merge_insight(body=f"Never say {CANARY}.", evidence=["u3"], target=told)
    memory.reward(-1.0, turn="u2", head="u3")
    memory.remember(f"a summary of {CANARY}", [fact, "u3"], kind="summary")
    memory.embed()


def all_read(memory: Memory) -> str:
    """Return what every way to read gives, as one text."""
    said: list[object] = [memory.tree(None), memory.turn("u3"), memory.embedding_status()]
    for scope in ("path", "space"):
        view = memory.at("u3", scope=scope)
        said += [view.path(), view.visible(), view.facts(), view.summaries(), view.relations()]
        said += [view.insights(), view.credit()]
        for question in (f"the word is {CANARY}", KEPT):
            said += [view.recall(question, k=50, history=True), view.context(question)]
        said += [view.entities(), view.neighbours(CANARY), view.neighbours("Ann"), view.rolling()]
        said += [view.paths("Ann", CANARY), view.diff("u1"), view.cypher("RETURN fact")]
        for subject in (CANARY, "tortoise"):
            said.append(history(memory, subject))
    said.append(
        look(
            memory,
            "CALL db.index.fulltext.queryNodes('record_text', 'z*') YIELD node"
            " RETURN properties(node) AS node",
        )
    )
    said.append(nearest(memory))
    said.append(
        look(memory, "MATCH (n)-[link]-() RETURN properties(n) AS n, properties(link) AS l")
    )
    return "\n".join(map(str, said))


def history(memory: Memory, subject: str) -> object:
    try:
        return memory.at("u3").timeline(subject)
    except GraphmemError:
        return None


def nearest(memory: Memory) -> object:
    vector = [float(number) for number in Compass().query(f"the word is {CANARY}")]
    return look(
        memory,
        "CYPHER 25 MATCH (record:Record) SEARCH record IN (VECTOR INDEX record_vector_0 FOR "
        "$vector LIMIT 100) RETURN properties(record) AS record",
        vector=vector,
    )


def test_nothing_shows_it_again_also_after_a_restart(server: LocalServer) -> None:
    with opened(server) as store:
        memory = Memory(store, space="purged", embedder=Compass())
        plant(memory)
        assert all_read(memory).count(CANARY) > 20
        gone = memory.purge(turns=["u1", "u2"])
        assert (gone.turns, gone.vectors > 2, gone.entities > 0) == (2, True, True)
        said = all_read(memory)
        assert CANARY not in said and KEPT in said
    server.stop()
    with opened(server) as store:
        memory = Memory(store, space="purged", embedder=Compass())
        said = all_read(memory)
        assert CANARY not in said and KEPT in said
        assert memory.purge(turns=["u1", "u2"]).records == 0
