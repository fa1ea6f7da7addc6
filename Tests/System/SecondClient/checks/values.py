"""ENCODING.md: every kind of value and collection goes up and comes down as it was."""

import uuid

from causeway_client.changesets import Add, Create, Field, ListDelete, ListInsert, Put, Remove, Set, TextInsert
from causeway_client.states import KeyedState, ListState, TextState
from causeway_client.values import ClassedLink, Decimal128, ElementId, Float32, Link, ObjectId, Timestamp, Value

from .world import World

PLAIN: dict[str, Value] = {
    "bool": True,
    "int": -(1 << 63),
    "float": Float32(0.5),
    "double": 1e300,
    "string": "Ｋ é \U0001f6eb",
    "data": bytes(range(256)),
    "date": Timestamp(-1, -999_999_999),
    "object_id": ObjectId(bytes(range(12))),
    "uuid": uuid.UUID(int=0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF),
    "decimal128": Decimal128((1234).to_bytes(14, "little") + bytes([0x3C, 0x30])),
    "mixed": ClassedLink("Item", 1),
    "item": Link(-3),
}


def every_value(world: World) -> None:
    """every kind of value comes down as it went up, alone and in columns"""
    base = 1_000 * int(world.user.split("-")[1])
    query = "Everything", f"_id >= {base} AND _id < {base + 1000}"
    a, b = world.device(query), world.device(query)
    fields = tuple(Field(name, value) for name, value in PLAIN.items())
    nothing = tuple(Field(name, None) for name in PLAIN)
    a.write(*(Create("Everything", base + n, fields if n % 2 == 0 else nothing) for n in range(20)))
    a.write(Create("Everything", base + 20))
    b.wait(lambda: len(b.objects) == 21)
    for n in range(20):
        values = b.objects["Everything", base + n].values
        assert {name: values[name] for name in PLAIN} == (PLAIN if n % 2 == 0 else dict.fromkeys(PLAIN)), (n, values)
    empty = b.objects["Everything", base + 20]
    assert empty.values.get("counter", 0) == 0 and not any(empty.values.values()), empty


def collections(world: World) -> None:
    """lists, sets, maps, texts and counters come down with what was put into them"""
    key = 1_000 * int(world.user.split("-")[1])
    query = "Everything", f"_id == {key}"
    a, b = world.device(query), world.device(query)
    ids = [ElementId(a.client, number) for number in range(20)]
    here = ("Everything", key)
    a.write(
        Create(*here),
        ListInsert(*here, "list", ids[0], "one"),
        ListInsert(*here, "list", ids[1], "three", left=ids[0]),
        ListInsert(*here, "list", ids[2], "two", left=ids[0], right=ids[1]),
        *(Put(*here, "set", number) for number in (3, 1, 2)),
        Put(*here, "map", "pi", 3.14),
        Put(*here, "map", "e", 2.71),
        TextInsert(*here, "text", ids[10], "hello"),
        Add(*here, "counter", 40),
    )
    a.write(
        ListDelete(*here, "list", ids[1]),
        Remove(*here, "set", 2),
        Remove(*here, "map", "e"),
        TextInsert(*here, "text", ids[15], "!", left=ids[14]),
        Add(*here, "counter", 2),
    )
    b.wait(lambda: here in b.objects and b.objects[here].values.get("counter") == 42)
    state = b.objects[here].collections
    assert isinstance(state["list"], ListState) and state["list"].values == ["one", "two"], state["list"]
    assert state["list"].ids == [ids[0], ids[2]]
    assert isinstance(state["set"], KeyedState) and [entry.key for entry in state["set"].visible] == [1, 3]
    assert isinstance(state["map"], KeyedState)
    assert [(entry.key, entry.value) for entry in state["map"].visible] == [("pi", 3.14)]
    assert isinstance(state["text"], TextState) and state["text"].text == "hello!", state["text"]
    assert state["text"].ids == ids[10:16], state["text"]


def embedded(world: World) -> None:
    """an embedded object comes before what holds it, and ends when the link goes elsewhere"""
    key = 1_000 * int(world.user.split("-")[1])
    query = "Everything", f"_id == {key}"
    a, b = world.device(query), world.device(query)
    first, second = (ElementId(a.client, 100 + number) for number in range(2))
    a.write(
        Create("Everything", key),
        Create("Place", first, (Field("street", "Rue 1"),)),
        Set("Everything", key, Field("place", Link(first))),
    )
    b.wait(lambda: ("Place", first) in b.objects)
    assert b.objects["Everything", key].values["place"] == Link(first)
    a.write(Create("Place", second, (Field("street", "Rue 2"),)), Set("Everything", key, Field("place", Link(second))))
    b.wait(lambda: b.objects["Everything", key].values["place"] == Link(second))
    assert b.objects["Place", second].values["street"] == "Rue 2"
    b.catch_up()
    assert ("Place", first) not in b.objects, b.objects


def nested(world: World) -> None:
    """lists and maps inside of mixed values come down with what they hold, at every level"""
    key = 1_000 * int(world.user.split("-")[1]) + 1
    query = "Everything", f"_id == {key}"
    a, b = world.device(query), world.device(query)
    outer, inner = ElementId(a.client, 201), ElementId(a.client, 202)
    a.write(
        Create("Everything", key),
        Create("#Map", inner),
        Put("#Map", inner, "elements", "answer", 42),
        Create("#List", outer),
        ListInsert("#List", outer, "elements", ElementId(a.client, 203), "first"),
        ListInsert(
            "#List",
            outer,
            "elements",
            ElementId(a.client, 204),
            ClassedLink("#Map", inner),
            left=ElementId(a.client, 203),
        ),
        Set("Everything", key, Field("mixed", ClassedLink("#List", outer))),
    )
    b.wait(lambda: ("#List", outer) in b.objects and ("#Map", inner) in b.objects)
    assert b.objects["Everything", key].values["mixed"] == ClassedLink("#List", outer)
    state = b.objects["#List", outer].collections["elements"]
    assert isinstance(state, ListState) and state.values == ["first", ClassedLink("#Map", inner)], state
    entries = b.objects["#Map", inner].collections["elements"]
    assert isinstance(entries, KeyedState) and [one.value for one in entries.visible] == [42], entries


VALUES = [every_value, collections, embedded, nested]
