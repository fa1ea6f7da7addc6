"""ENCODING.md: every kind of value and collection goes up and comes down as it was."""

import uuid

from causeway_client.changesets import (
    Add,
    Create,
    Field,
    ListClear,
    ListDelete,
    ListInsert,
    ListMove,
    ListSet,
    Put,
    Remove,
    Set,
    TextDelete,
    TextInsert,
)
from causeway_client.edits import DoesNotFit
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


def list_edits(world: World) -> None:
    """elements of a list that are moved, set and cleared come down so, and what is inserted meanwhile stays"""
    key = 1_000 * int(world.user.split("-")[1])
    query = "Everything", f"_id == {key}"
    a, b = world.device(query), world.device(query)
    ids = [ElementId(a.client, number) for number in range(20)]
    here = ("Everything", key, "list")
    a.write(
        Create(*here[:2]),
        *(ListInsert(*here, ids[n], f"{n}", ids[n - 1] if n else None) for n in range(4)),
    )
    a.catch_up()
    a.write(
        ListMove(*here, ids[10], ids[3], right=ids[0]),
        ListSet(*here, ids[1], "one"),
        ListMove(*here, ids[11], ids[0], left=ids[2], right=ids[3]),
    )
    b.wait(lambda: here[:2] in b.objects and len(_list(b, key).positions) == 6)
    assert _list(b, key).values == ["3", "one", "2", "0"], _list(b, key)
    # A move leaves the element its id: the positions that it had stay, without showing anything.
    assert _list(b, key).ids == [ids[3], ids[1], ids[2], ids[0]], _list(b, key)
    a.write(ListSet(*here, ids[0], "zero"), ListMove(*here, ids[12], ids[3], left=ids[11]))
    b.wait(lambda: _list(b, key).values == ["one", "2", "zero", "3"])
    mine = ElementId(b.client, 1)
    b.write(ListInsert(*here, mine, "mine", left=ids[1], right=ids[2]))
    a.write(ListClear(*here, tuple(ids[:4])))
    # Neither is told what it has written itself: a third one says what came of it.
    c = world.device(query)
    c.wait(lambda: here[:2] in c.objects and _list(c, key).values == ["mine"])


def _list(device, key: int) -> ListState:
    state = device.objects["Everything", key].collections["list"]
    assert isinstance(state, ListState)
    return state


def text_edits(world: World) -> None:
    """what is deleted of a text is gone on the other side, also twice, and the ids of the rest stay"""
    key = 1_000 * int(world.user.split("-")[1])
    query = "Everything", f"_id == {key}"
    a, b = world.device(query), world.device(query)
    ids = [ElementId(a.client, number) for number in range(20)]
    here = ("Everything", key, "text")
    a.write(Create(*here[:2]), TextInsert(*here, ids[0], "hello \U0001f6eb"))
    a.write(TextInsert(*here, ids[10], "!?", left=ids[6]))
    a.write(TextDelete(*here, ids[1], 4), TextDelete(*here, ids[6], 1), TextDelete(*here, ids[11], 1))
    b.wait(lambda: here[:2] in b.objects and _text(b, key).text == "h !")
    assert _text(b, key).ids == [ids[0], ids[5], ids[10]], _text(b, key)
    # Twice is as once, and beside what is gone others go on.
    b.write(TextInsert(*here, ElementId(b.client, 1), "i", left=ids[0], right=ids[1]), TextDelete(*here, ids[5], 1))
    a.write(TextDelete(*here, ids[1], 5))
    c = world.device(query)
    c.wait(lambda: here[:2] in c.objects and _text(c, key).text == "hi!")


def _text(device, key: int) -> TextState:
    state = device.objects["Everything", key].collections["text"]
    assert isinstance(state, TextState)
    return state


def edits(world: World) -> None:
    """what happens to a large list, set, map and text comes down as such, and leads to what a new device is sent"""
    key = 1_000 * int(world.user.split("-")[1])
    query = "Everything", f"_id == {key}"
    a, b = world.device(query), world.device(query)
    here = "Everything", key
    ids = [ElementId(a.client, number) for number in range(2_000)]
    of = {name: (*here, name) for name in ("list", "set", "map", "text")}
    a.write(
        Create(*here),
        *(ListInsert(*of["list"], ids[n], f"element {n}", ids[n - 1] if n else None) for n in range(60)),
        *(Put(*of["set"], n * n) for n in range(60)),
        *(Put(*of["map"], f"key {n}", n / 3) for n in range(60)),
        TextInsert(*of["text"], ids[1_000], "All human beings are born free and equal in dignity and rights. " * 4),
    )
    b.catch_up()
    assert b.changes_followed == 0
    a.write(
        ListInsert(*of["list"], ids[100], "between", ids[30], ids[31]),
        ListMove(*of["list"], ids[101], ids[5], right=ids[0]),
        ListSet(*of["list"], ids[7], "seven"),
        ListClear(*of["list"], (ids[8], ids[9])),
        Put(*of["set"], -1),
        Remove(*of["set"], 4),
        Put(*of["map"], "key 5", -0.0),
        Remove(*of["map"], "key 6"),
        TextInsert(*of["text"], ids[1_500], "truly ", ids[1_009], ids[1_010]),
        TextDelete(*of["text"], ids[1_020], 9),
    )
    a.write(TextInsert(*of["text"], ids[1_600], "\U0001f6eb", ids[1_502], ids[1_503]))
    b.catch_up()
    assert b.changes_followed >= 4, b.changes_followed
    # One that speaks version 1 of the protocol is sent states.
    older = world.device(query, protocol_highest=1)
    older.catch_up()
    a.write(ListDelete(*of["list"], ids[11]))
    for device in (b, older):
        device.wait(lambda: ids[11] not in _list(device, key).ids)
    assert older.changes_followed == 0
    c = world.device(query)
    c.catch_up()
    for device in (b, older):
        held, sent = device.objects[here].collections, c.objects[here].collections
        assert held["list"] == sent["list"] and held["text"] == sent["text"], (held, sent)
        for name in ("set", "map"):
            shown = [[(one.key, one.value) for one in state[name].visible] for state in (held, sent)]
            assert shown[0] == shown[1], shown
    # What does not fit ends the session, and the next one compares.
    b.objects[here].collections["list"] = ListState()
    a.write(ListDelete(*of["list"], ids[12]))
    b.wait_for_end()
    assert isinstance(b.ended, DoesNotFit), b.ended
    b.connect()
    b.catch_up()
    d = world.device(query)
    d.catch_up()
    assert b.questions_answered > 0 and _list(b, key) == _list(d, key)


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


VALUES = [every_value, collections, list_edits, text_edits, edits, embedded, nested]
