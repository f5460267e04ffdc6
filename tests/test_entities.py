"""Entities, neighbours and paths: what an anchor may see of the graph, and what not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest

from graphmem import InvalidInputError, Memory, UnknownTurnError
from graphmem._entities import entities, joined, neighbours, paths
from graphmem._gate import Gate
from graphmem._graph_models import Edge, Entity, GraphPath
from graphmem._models import Mention, Scope
from tests.forest import by_hand, grow

ODD = "a\"b'c`) DETACH DELETE n //\n\\u0027 $space {x: 1}"


def gate(memory: Memory, anchor: str | None, scope: Scope = "path") -> Gate:
    return Gate(memory.space, anchor, scope)


def seen(
    memory: Memory, anchor: str | None, query: str | None = None, scope: Scope = "path"
) -> list[Entity]:
    return memory.store.read(lambda tx: entities(tx, gate(memory, anchor, scope), query))


def names(memory: Memory, anchor: str | None, query: str | None = None) -> set[str]:
    return {name for entity in seen(memory, anchor, query) for name in entity.names}


def edges(
    memory: Memory,
    anchor: str | None,
    entity: str | Mention,
    scope: Scope = "path",
    limit: int | None = None,
) -> list[Edge]:
    return memory.store.read(
        lambda tx: neighbours(tx, gate(memory, anchor, scope), entity, limit=limit)
    )


def texts(found: Iterable[Edge]) -> set[str]:
    return {edge.text for edge in found}


def chains(
    memory: Memory,
    anchor: str | None,
    a: str | Mention,
    b: str | Mention,
    scope: Scope = "path",
    **options: int,
) -> list[GraphPath]:
    return memory.store.read(lambda tx: paths(tx, gate(memory, anchor, scope), a, b, **options))


def drawn(found: Iterable[GraphPath]) -> list[str]:
    return sorted(map(str, found))


def fork(memory: Memory) -> None:
    """Store a first turn that two others follow: ``u1 a1 u2`` and ``u1 a1 u2b``."""
    grow(memory, "u1 a1 u2", "a1 u2b")


# --- entities


def test_entities_are_listed_with_names_types_and_counts_of_this_branch(memory: Memory) -> None:
    fork(memory)
    city = Mention(name="Hangzhou", type="city")
    memory.remember("moves to Hangzhou", sources=["u1"], mentions=[city])
    memory.remember("HANGZHOU is warm", sources=["u2"], mentions=[city])
    memory.remember(
        "hangzhou rains", sources=["u2b"], mentions=[Mention(name="hangzhou", type="City")]
    )
    memory.remember("Ira called", sources=["u2"], mentions=["Ira"])
    here = seen(memory, "u2")
    assert [(one.key, one.names, one.types, one.records) for one in here] == [
        ("hangzhou (city)", ("Hangzhou",), ("city",), 2),
        ("ira", ("Ira",), (), 1),
    ]
    [there] = seen(memory, "u2b")
    assert there == Entity(
        key="hangzhou (city)",
        keys=("hangzhou (city)",),
        names=("Hangzhou", "hangzhou"),
        types=("City", "city"),
        records=2,
    )


def test_an_alias_that_only_a_hidden_record_uses_is_not_shown(memory: Memory) -> None:
    fork(memory)
    memory.remember("IRA sings", sources=["u2b"], mentions=["IRA"])
    memory.remember("Ira called", sources=["u2"], mentions=["Ira"])
    assert names(memory, "u2") == {"Ira"}
    assert names(memory, "u2b") == {"IRA"}
    assert names(memory, "u1") == names(memory, None) == set()


def test_an_entity_whose_records_were_corrected_stays_with_no_current_record(
    memory: Memory,
) -> None:
    fork(memory)
    old = memory.remember("Bo keeps an owl", sources=["u1"], mentions=["Bo"])
    memory.retract(old, sources=["u2"])
    assert [(one.names, one.records) for one in seen(memory, "u2")] == [(("Bo",), 0)]
    assert [(one.names, one.records) for one in seen(memory, "u2b")] == [(("Bo",), 1)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("ＨＡＮＧ", {"Hangzhou"}),
        ("city", {"Hangzhou"}),
        ("  ", {"Hangzhou", "Ira"}),
        ("owl", set()),
    ],
)
def test_a_query_keeps_entities_by_name_or_key(memory: Memory, query: str, found: set[str]) -> None:
    grow(memory, "u1")
    mentions: list[str | Mention] = [Mention(name="Hangzhou", type="city"), "Ira"]
    memory.remember("moves", sources=["u1"], mentions=mentions)
    assert names(memory, "u1", query) == found


def test_joined_entities_are_one_only_where_that_is_said(memory: Memory) -> None:
    fork(memory)
    for name in ("HZ", "Hangzhou", "杭州"):
        memory.remember(f"{name} is warm", sources=["u1"], mentions=[name])
    memory.remember("HZ is Hangzhou to locals", sources=["u1"], mentions=["HZ", "Hangzhou"])
    memory.same_as("HZ", "Hangzhou", sources=["u2"])
    memory.same_as("杭州", "Hangzhou", sources=["u2"])
    [one] = seen(memory, "u2")
    assert (one.key, set(one.keys)) == ("hangzhou", {"hz", "hangzhou", "杭州"})
    assert set(one.names) == {"HZ", "Hangzhou", "杭州"}
    assert one.records == 6  # four facts, two joins: each once
    assert {entity.keys for entity in seen(memory, "u2b")} == {("hz",), ("hangzhou",), ("杭州",)}


def test_a_retracted_join_joins_nothing_there(memory: Memory) -> None:
    fork(memory)
    memory.remember("HZ and Hangzhou", sources=["u1"], mentions=["HZ", "Hangzhou"])
    join = memory.same_as("HZ", "Hangzhou", sources=["u1"])
    memory.retract(join, sources=["u2"])
    assert {entity.keys for entity in seen(memory, "u2")} == {("hz",), ("hangzhou",)}
    assert [set(entity.keys) for entity in seen(memory, "u2b")] == [{"hz", "hangzhou"}]


def test_pairs_make_groups() -> None:
    leaders = joined([("a", "b"), ("c", "d"), ("d", "a"), ("x", "y"), ("z", "z")])
    assert len({leaders[key] for key in "abcd"}) == 1
    assert len(set(leaders.values())) == 3
    assert joined([]) == {}


# --- neighbours


def test_neighbours_are_the_relations_of_this_branch_in_both_directions(memory: Memory) -> None:
    fork(memory)
    memory.relate("Ira", "leads", "Helix", sources=["u1"])
    memory.relate("Bo", "knows", "IRA", sources=["u2"])
    memory.relate("Ira", "left", "Helix", sources=["u2b"])
    memory.relate("Bo", "left", "Helix", sources=["u2"])
    found = edges(memory, "u2", "ira")
    assert [(str(GraphPath(edges=(edge,))), edge.direction) for edge in found] == [
        ("(IRA)<-[knows]-(Bo)", "in"),
        ("(Ira)-[leads]->(Helix)", "out"),
    ]
    assert [source.turn for source in found[0].sources] == ["u2"]
    assert texts(edges(memory, "u2b", "Ira")) == {"Ira leads Helix", "Ira left Helix"}


def test_hidden_and_unknown_entities_have_no_neighbours(memory: Memory) -> None:
    fork(memory)
    memory.relate("Bo", "knows", "Cy", sources=["u2"])
    assert edges(memory, "u2b", "Bo") == edges(memory, "u2", "Nobody") == []
    assert edges(memory, None, "Bo") == edges(memory, "u2", "…") == []
    assert texts(edges(memory, "u2", "Bo")) == {"Bo knows Cy"}


def test_an_unknown_anchor_is_an_error(memory: Memory) -> None:
    fork(memory)
    memory.relate("Bo", "knows", "Cy", sources=["u2"])
    for ask in (
        lambda: seen(memory, "nope"),
        lambda: edges(memory, "nope", "Bo"),
        lambda: edges(memory, "nope", "Nobody"),
        lambda: chains(memory, "nope", "Bo", "Cy"),
        lambda: chains(memory, "nope", "Nobody", "Cy"),
    ):
        with pytest.raises(UnknownTurnError, match="nope"):
            ask()


def test_a_corrected_relation_is_no_edge_where_it_was_corrected(memory: Memory) -> None:
    fork(memory)
    old = memory.relate("Ira", "leads", "Helix", sources=["u1"])
    memory.correct(old, "Ira leads nothing", sources=["u2"])
    assert edges(memory, "u2", "Ira") == []
    assert texts(edges(memory, "u2b", "Ira")) == {"Ira leads Helix"}


def test_equal_relations_collapse_and_count_their_supports(memory: Memory) -> None:
    fork(memory)
    for turn in ("u1", "u2", "u2b"):
        memory.relate("Ira", "leads", "Helix", sources=[turn])
    memory.relate("IRA", "leads", "helix", sources=["u2"], text="She leads it.")
    memory.relate("Ira", "Leads", "Helix", sources=["u2"])  # another word
    found = {edge.predicate: edge for edge in edges(memory, "u2", "Ira")}
    assert (found["leads"].supports, len(found["leads"].records)) == (2, 3)
    assert {source.turn for source in found["leads"].sources} == {"u1", "u2"}
    assert found["Leads"].supports == 1


def test_the_limit_is_of_what_is_visible_and_keeps_the_nearest(memory: Memory) -> None:
    fork(memory)
    memory.relate("Ira", "met", "Old", sources=["u1"])
    memory.relate("Ira", "met", "New", sources=["u2"])
    hidden = [
        {"subject": "Ira", "predicate": "met", "object": f"N{i}", "sources": ["u2b"]}
        for i in range(50)
    ]
    memory.remember_all(hidden)
    assert texts(edges(memory, "u2", "Ira", limit=1)) == {"Ira met New"}
    assert texts(edges(memory, "u2", "Ira", limit=2)) == {"Ira met New", "Ira met Old"}
    assert edges(memory, "u2", "Ira", limit=0) == []
    with pytest.raises(InvalidInputError, match="limit"):
        edges(memory, "u2", "Ira", limit=-1)


def test_neighbours_count_for_all_that_is_joined_here(memory: Memory) -> None:
    fork(memory)
    memory.relate("Ira", "lives in", "HZ", sources=["u1"])
    memory.relate("杭州", "hosts", "Expo", sources=["u1"])
    memory.same_as("HZ", "Hangzhou", sources=["u2"])
    memory.same_as("Hangzhou", "杭州", sources=["u2"])
    both = {"Ira lives in HZ", "杭州 hosts Expo"}
    assert texts(edges(memory, "u2", "Hangzhou")) == texts(edges(memory, "u2", "hz")) == both
    assert edges(memory, "u2b", "Hangzhou") == []
    assert texts(edges(memory, "u2b", "HZ")) == {"Ira lives in HZ"}


def test_a_relation_within_a_joined_entity_is_a_loop(memory: Memory) -> None:
    grow(memory, "u1")
    memory.relate("HZ", "is short for", "Hangzhou", sources=["u1"])
    memory.same_as("HZ", "Hangzhou", sources=["u1"])
    assert [edge.direction for edge in edges(memory, "u1", "HZ")] == ["loop"]


# --- B78: what a name stands for


def neos(memory: Memory) -> None:
    """Store three that are called Neo: a person, a film and something without a type."""
    fork(memory)
    memory.relate(Mention(name="Neo", type="person"), "takes", "the pill", sources=["u1"])
    memory.relate(Mention(name="NEO", type="film"), "won", "a prize", sources=["u1"])
    memory.relate("neo", "means", "new", sources=["u1"])


def test_one_name_with_other_types_is_of_other_entities(memory: Memory) -> None:
    neos(memory)
    found = seen(memory, "u1", "neo")
    assert {(entity.key, entity.names) for entity in found} == {
        ("neo (person)", ("Neo",)),
        ("neo (film)", ("NEO",)),
        ("neo", ("neo",)),
    }


def test_a_name_without_a_type_finds_all_types_and_one_with_it_only_that(memory: Memory) -> None:
    neos(memory)
    takes, won, means = "Neo takes the pill", "NEO won a prize", "neo means new"
    assert texts(edges(memory, "u1", "Neo")) == {takes, won, means}
    assert texts(edges(memory, "u1", Mention(name="neo"))) == {takes, won, means}
    assert texts(edges(memory, "u1", Mention(name="neo", type="Person"))) == {takes}
    assert texts(edges(memory, "u1", "neo (film)")) == {won}
    assert edges(memory, "u1", "ne") == edges(memory, "u1", "") == []


def test_a_name_that_only_a_hidden_record_uses_leads_nowhere(memory: Memory) -> None:
    fork(memory)
    # Both are the key "neo (person)"; only the second is called Neo.
    memory.relate("Neo (person)", "takes", "the pill", sources=["u1"])
    memory.remember("Neo flies", sources=["u2b"], mentions=[Mention(name="Neo", type="person")])
    assert edges(memory, "u2", "Neo") == []
    assert texts(edges(memory, "u2b", "Neo")) == {"Neo (person) takes the pill"}


def test_an_alias_that_is_anothers_name_overwrites_nothing(memory: Memory) -> None:
    fork(memory)
    city, club = Mention(name="City", type="place"), Mention(name="Manchester City", type="club")
    memory.relate(city, "lies on", "a river", sources=["u1"])
    memory.relate(club, "plays", "football", sources=["u1"])
    memory.same_as(club, Mention(name="City", type="club"), sources=["u2"])
    assert {entity.keys for entity in seen(memory, "u2", "city")} == {
        ("city (place)",),
        ("manchester city (club)", "city (club)"),
    }
    assert texts(edges(memory, "u2", city)) == {"City lies on a river"}
    assert texts(edges(memory, "u2", "City")) == {
        "City lies on a river",
        "Manchester City plays football",
    }
    assert texts(edges(memory, "u2b", "City")) == {"City lies on a river"}


@pytest.mark.parametrize("length", [150, 197, 199, 200, 201, 9000])
def test_long_names_are_found_by_name_by_key_and_without_their_type(
    memory: Memory, length: int
) -> None:
    grow(memory, "u1")
    long, other = "x" * length, "x" * (length - 1) + "y"
    memory.relate(Mention(name=long, type="person"), "is", "long", sources=["u1"], text="typed")
    memory.relate(long, "is", "long", sources=["u1"], text="bare")
    memory.relate(other, "is", "long", sources=["u1"], text="other")
    assert texts(edges(memory, "u1", long)) == {"typed", "bare"}
    assert texts(edges(memory, "u1", Mention(name=long, type="person"))) == {"typed"}
    for entity in seen(memory, "u1", "xxx"):
        assert len(edges(memory, "u1", entity.key)) >= 1
    assert {entity.names for entity in seen(memory, "u1", long)} >= {(long,)}


# --- B79: two spaces


def test_nothing_crosses_from_one_space_into_another(make_memory: Callable[..., Memory]) -> None:
    ann, bob = make_memory(), make_memory()
    for memory, liked in ((ann, "plums"), (bob, "chess")):
        grow(memory, "u1 u2")
        memory.relate("Kim", "likes", liked, sources=["u1"])
        memory.relate(liked, "pleases", "Sam", sources=["u2"])
    bob.same_as("Kim", "Kimberly", sources=["u1"])
    for scope in ("path", "space"):
        assert {entity.key for entity in seen(ann, "u2", scope=scope)} == {"kim", "plums", "sam"}
        assert texts(edges(ann, "u2", "Kim", scope)) == {"Kim likes plums"}
        assert drawn(chains(ann, "u2", "Kim", "Sam", scope)) == [
            "(Kim)-[likes]->(plums) (plums)-[pleases]->(Sam)"
        ]
        assert chains(ann, "u2", "Kim", "chess", scope) == []
        assert texts(edges(bob, "u2", "Kimberly", scope)) == {"Kim likes chess"}


def test_a_link_made_by_hand_into_another_space_is_not_followed(
    make_memory: Callable[..., Memory],
) -> None:
    ann, bob = make_memory(), make_memory()
    for memory in (ann, bob):
        grow(memory, "u1")
    ann.relate("Kim", "likes", "plums", sources=["u1"])
    bob.relate("Kim", "likes", "chess", sources=["u1"])
    by_hand(
        bob,
        "MATCH (r:Relation {space: $space}) MATCH (e:Entity {space: $other, key: 'kim'}) "
        "CREATE (r)-[:MENTIONS {surface: 'Spy'}]->(e), (r)-[:SUBJECT]->(e)",
        other=ann.space,
    )
    assert names(ann, "u1") == {"Kim", "plums"}
    assert texts(edges(ann, "u1", "Kim")) == {"Kim likes plums"}
    assert names(bob, "u1") == {"Kim", "chess"}
    assert texts(edges(bob, "u1", "Kim")) == {"Kim likes chess"}


def test_the_wide_scope_sees_the_heads_of_other_trees_and_no_other_branch(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 u2b", conversation="here")
    grow(memory, "v1 v2", "v1 v3", conversation="there")
    memory.set_head("there", "v2")
    memory.relate("Ira", "leads", "Helix", sources=["u1"])
    memory.relate("Helix", "owns", "Lab", sources=["v2"])
    memory.relate("Helix", "sells", "Lab", sources=["v3"])
    memory.relate("Helix", "burns", "Lab", sources=["u2b"])
    memory.relate("Helix", "owns", "Lab", sources=["v1"])
    assert texts(edges(memory, "u2", "Helix")) == {"Ira leads Helix"}
    wide = edges(memory, "u2", "helix", "space")
    assert [(edge.text, edge.supports) for edge in wide] == [
        ("Ira leads Helix", 1),
        ("Helix owns Lab", 2),
    ]
    assert chains(memory, "u2", "Ira", "Lab") == []
    assert drawn(chains(memory, "u2", "Ira", "Lab", "space")) == [
        "(Ira)-[leads]->(Helix) (Helix)-[owns]->(Lab)"
    ]


# --- paths


def test_all_shortest_chains_are_found_in_either_direction(memory: Memory) -> None:
    fork(memory)
    for subject, predicate, object in [
        ("A", "to", "B"),
        ("C", "to", "B"),
        ("C", "also to", "B"),
        ("A", "to", "D"),
        ("D", "to", "C"),
        ("C", "to", "E"),
        ("E", "to", "F"),
        ("F", "to", "A"),
    ]:
        memory.relate(subject, predicate, object, sources=["u1"])
    memory.relate("A", "to", "B", sources=["u2"])
    found = chains(memory, "u2", "a", "c")
    assert drawn(found) == [
        "(A)-[to]->(B) (B)<-[also to]-(C)",
        "(A)-[to]->(B) (B)<-[to]-(C)",
        "(A)-[to]->(D) (D)-[to]->(C)",
    ]
    assert {edge.supports for path in found for edge in path.edges} == {1, 2}
    assert len(chains(memory, "u2", "C", "A")) == 3
    assert len(chains(memory, "u2", "A", "C", limit=2)) == 2
    assert (
        chains(memory, "u2", "A", "C", longest=1) == chains(memory, "u2", "A", "C", limit=0) == []
    )


def test_no_chain_leads_through_a_hidden_or_corrected_relation(memory: Memory) -> None:
    fork(memory)
    memory.relate("A", "to", "B", sources=["u1"])
    memory.relate("B", "to", "C", sources=["u2b"])
    bridge = memory.relate("B", "via", "X", sources=["u1"])
    memory.relate("X", "via", "C", sources=["u1"])
    assert drawn(chains(memory, "u2b", "A", "C")) == ["(A)-[to]->(B) (B)-[to]->(C)"]
    longer = ["(A)-[to]->(B) (B)-[via]->(X) (X)-[via]->(C)"]
    assert drawn(chains(memory, "u2", "A", "C")) == longer
    memory.retract(bridge, sources=["u2"])
    assert chains(memory, "u2", "A", "C") == []
    assert drawn(chains(memory, "u1", "A", "C")) == longer


def test_a_chain_goes_on_through_joined_entities(memory: Memory) -> None:
    fork(memory)
    memory.relate("Ira", "lives in", "HZ", sources=["u1"])
    memory.relate("Expo", "is in", "杭州", sources=["u1"])
    memory.relate("Bo", "runs", "Fair", sources=["u1"])
    for a, b in (("HZ", "Hangzhou"), ("Hangzhou", "杭州"), ("Expo", "Fair")):
        memory.same_as(a, b, sources=["u2"])
    there = "(Ira)-[lives in]->(HZ) (杭州)<-[is in]-(Expo)"
    assert drawn(chains(memory, "u2", "Ira", "Expo")) == [there]
    assert drawn(chains(memory, "u2", "Ira", "Fair", longest=2)) == [there]
    assert drawn(chains(memory, "u2", "Ira", "Bo")) == [f"{there} (Fair)<-[runs]-(Bo)"]
    assert drawn(chains(memory, "u2", "Ira", "Hangzhou")) == ["(Ira)-[lives in]->(HZ)"]
    assert chains(memory, "u2b", "Ira", "Expo") == chains(memory, "u2b", "Ira", "Bo") == []


def test_an_entity_has_no_path_to_itself_nor_to_its_other_name(memory: Memory) -> None:
    fork(memory)
    memory.relate("HZ", "is short for", "Hangzhou", sources=["u1"])
    memory.relate("HZ", "is near", "HZ", sources=["u1"])
    memory.same_as("HZ", "Hangzhou", sources=["u2"])
    assert chains(memory, "u2", "HZ", "hz") == chains(memory, "u2", "HZ", "Hangzhou") == []
    assert drawn(chains(memory, "u2b", "HZ", "Hangzhou")) == ["(HZ)-[is short for]->(Hangzhou)"]


def test_a_chain_longer_than_the_longest_is_not_found(memory: Memory) -> None:
    grow(memory, "u1")
    for i in range(6):
        memory.relate(f"N{i}", "to", f"N{i + 1}", sources=["u1"])
    assert chains(memory, "u1", "N0", "N5") == []
    assert len(chains(memory, "u1", "N0", "N4")[0].edges) == 4
    assert len(chains(memory, "u1", "N0", "N6", longest=6)[0].edges) == 6
    assert chains(memory, None, "N0", "N1") == chains(memory, "u1", "N0", "Nobody") == []
    with pytest.raises(InvalidInputError, match="longest"):
        chains(memory, "u1", "N0", "N5", longest=-1)


def test_one_visible_edge_of_a_hub_is_found_among_hidden_ones(memory: Memory) -> None:
    fork(memory)
    hidden = [
        {"subject": "Hub", "predicate": "has", "object": f"N{i}", "sources": ["u2b"]}
        for i in range(2000)
    ]
    memory.remember_all(hidden)
    memory.relate("Hub", "has", "Gem", sources=["u2"])
    memory.relate("Gem", "suits", "Ira", sources=["u2"])
    assert texts(edges(memory, "u2", "Hub", limit=1)) == {"Hub has Gem"}
    assert drawn(chains(memory, "u2", "Hub", "Ira")) == drawn(chains(memory, "u2", "hub", "ira"))
    assert drawn(chains(memory, "u2", "Ira", "Hub")) == ["(Ira)<-[suits]-(Gem) (Gem)<-[has]-(Hub)"]
    assert len(edges(memory, "u2b", "Hub")) == 2000


# --- words are data


@pytest.mark.parametrize(
    "odd", [ODD, "y" * 5000, "line\nbreak", "{'a': $b}", "\x00nul"], ids=range(5)
)
def test_odd_predicates_and_names_are_data(memory: Memory, odd: str) -> None:
    grow(memory, "u1")
    memory.relate("Ira", odd, f"n {odd}", sources=["u1"])
    [edge] = edges(memory, "u1", f"n {odd}")
    assert (edge.predicate, edge.object.name, edge.direction) == (odd, f"n {odd}", "in")
    assert [path.edges[0].predicate for path in chains(memory, "u1", "Ira", f"n {odd}")] == [odd]
    assert f"n {odd}" in names(memory, "u1", f"n {odd}")


def test_half_a_surrogate_pair_in_a_question_finds_nothing(memory: Memory) -> None:
    grow(memory, "u1")
    memory.relate("Ira", "leads", "Helix", sources=["u1"])
    assert edges(memory, "u1", "Ira\ud83d") == []
    assert chains(memory, "u1", "Ira", "\ud83d") == []
    assert seen(memory, "u1", "\ud83d") == []


# --- B62: many at once


def test_threads_that_name_the_same_entities_lose_nothing(memory: Memory) -> None:
    grow(memory, "u1")
    ends = [("Ira", "Helix"), ("Helix", "Bo"), ("Bo", "Ira")]

    def work(thread: int) -> None:
        for i in range(20):
            subject, object = ends[(thread + i) % 3]
            memory.relate(subject, f"p{thread}-{i}", object, sources=["u1"])

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(16)))
    found = seen(memory, "u1")
    assert {entity.key for entity in found} == {"ira", "helix", "bo"}
    assert sum(entity.records for entity in found) == 2 * 16 * 20
    ids = {
        id for end in ("Ira", "Helix") for edge in edges(memory, "u1", end) for id in edge.records
    }
    assert len(ids) == 16 * 20
