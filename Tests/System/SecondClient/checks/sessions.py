"""PROTOCOL.md: hello, upload, download, credit, marks, subscriptions, one-way entries."""

import secrets

from causeway_client.changesets import Changeset, Create, Delete, Field, Set
from causeway_client.device import SessionEnded
from causeway_client.schema import ClassSchema, Property, Type
from causeway_client.session import Refused
from causeway_client.values import Stamp

from .carrier import expect
from .world import KEY, SCHEMA, World


def item(world: World, number: int, size: int = 0) -> Create:
    return Create("Item", number, (Field("owner", world.user), Field("size", size), Field("done", False, True)))


def first_sync(world: World) -> None:
    """what one device writes another reads, created, changed and deleted"""
    a, b = world.device(world.own), world.device(world.own)
    a.write(*(item(world, number, size=10 * number) for number in range(100, 103)))
    b.wait(lambda: len(b.objects) == 3)
    first = b.objects["Item", 101]
    assert first.values == {"owner": world.user, "size": 1010, "done": False}, first
    assert first.life == 1 and first.born.client == a.client, first
    assert abs(first.born.time - a._last_time) >> 16 < 5_000, "the server has lowered a stamp of now"
    a.write(Set("Item", 101, Field("size", -7)), Delete("Item", 102))
    b.wait(lambda: len(b.objects) == 2 and b.objects["Item", 101].values["size"] == -7)
    # Its author is told that it has arrived, and nothing of what it knows.
    a.wait(lambda: a.checkpoint.acknowledged == 2)
    assert b.checkpoint.version == a.checkpoint.version or b.checkpoint.version > 0
    assert world.server.count("Item", f"owner == '{world.user}'") == 2


def repetition(world: World) -> None:
    """a changeset that comes twice counts once, and one behind a gap is refused with 306"""
    device = world.device(world.own)
    changeset = device.write(item(world, 200))
    assert device.session.upload([changeset]).committed == 1
    other = Changeset(device.client, 1, [item(world, 201)], Stamp(1, device.client))
    assert device.session.upload([other]).committed == 1
    device.catch_up()
    assert world.server.count("Item", f"owner == '{world.user}'") == 1
    gap = Changeset(device.client, 3, [item(world, 202)], Stamp(1, device.client))
    try:
        answer = device.session.upload([gap])
        assert answer.failure.code == 306 and answer.committed == 1, answer
    except Refused as refused:
        assert (refused.code, refused.status) == (306, 400), refused


def reconnecting(world: World) -> None:
    """a device that says hello again from its checkpoint is told only what has changed"""
    a, b = world.device(world.own), world.device(world.own)
    a.write(*(item(world, number) for number in range(300, 400)))
    b.wait(lambda: len(b.objects) == 100)
    told: list[int] = []
    b.session.connection.close()
    b.wait_for_end()
    a.write(Set("Item", 399, Field("size", 4)))
    b.session.connection = world.connection()
    b.on_change = lambda changes: told.append(len(changes.entered) + len(changes.updated))
    b.connect()
    b.wait(lambda: b.objects["Item", 399].values["size"] == 4)
    b.catch_up()
    assert sum(told) == 1, told
    assert b.questions_answered == 0


def subscriptions(world: World) -> None:
    """other queries bring objects and take them away, and one that is none is refused while the session goes on"""
    device = world.device(("Item", f"owner == '{world.user}' AND size > 5"))
    device.write(item(world, 400, size=1), item(world, 401, size=9))
    device.catch_up()
    assert {key for _, key in device.objects} == {401}, device.objects
    device.subscribe(world.own)
    device.wait(lambda: len(device.objects) == 2)
    device.subscribe(("Item", f"owner == '{world.user}' AND size < 5"))
    device.wait(lambda: {key for _, key in device.objects} == {400})
    device.subscribe(("Item", "size >"))
    device.wait(lambda: bool(device.refused_queries))
    assert device.refused_queries[0].query_set == device.wanted.version
    assert device.refused_queries[0].failure.code == 304
    device.write(item(world, 402, size=2))
    device.wait(lambda: {key for _, key in device.objects} == {400, 402})


def credit(world: World) -> None:
    """the server stops when its credit is used up, and goes on when there is more"""
    base = 1_000 * int(world.user.split("-")[1])
    nothing, all_of_it = ("Item", "FALSEPREDICATE"), ("Everything", f"_id >= {base} AND _id < {base + 1000}")
    a, b = world.device(nothing), world.device(nothing)
    limit = a.welcome.limits.credit_bytes
    for number in range(12):
        noise = tuple([Field("data", secrets.token_bytes(limit // 4))])
        a.write(Create("Everything", base + number, noise))
    b.give_credit = False
    b.subscribe(all_of_it)
    b.wait(lambda: b.consumed >= limit // 2)
    # Whoever sends heartbeats has nothing else to send.
    heard = b.heartbeats
    b.wait(lambda: b.heartbeats >= heard + 2)
    assert b.consumed <= limit + limit // 4 + 1_000, (b.consumed, limit)
    assert not b.objects, "a change showed before its last part"
    b.give_credit = True
    with b.changed:
        b.session.credit(b.consumed)
        b.consumed = 0
    b.wait(lambda: len(b.objects) == 12)


def marks(world: World) -> None:
    """a mark comes behind everything that was committed before it"""
    a, b = world.device(world.own), world.device(world.own)
    for number in range(500, 520):
        a.write(item(world, number))
        b.catch_up()
        assert ("Item", number) in b.objects


def one_way(world: World) -> None:
    """one-way entries are kept once and in order, need no session but a hello, and are never told"""
    device = world.device(("Item", "TRUEPREDICATE"))
    first = 10_000
    before = world.server.count("Report")
    assert device.send_one_way(Create("Report", first, (Field("text", "one"),))) == 1
    assert device.send_one_way(Create("Report", first + 1, (Field("text", "two"),))) == 2
    device.entry = 0
    # A repetition is answered as far as it goes.
    assert device.send_one_way(Create("Report", first + 5, (Field("text", "never"),))) == 1
    assert world.server.count("Report") == before + 2
    device.entry = 2
    expect(307, 400, lambda: device.send_one_way(Create("Item", 1)))
    # A client that never said hello is not known.
    device.client += 1
    device.entry = 0
    expect(306, 400, lambda: device.send_one_way(Create("Report", first + 6)))


def refusals(world: World) -> None:
    """a refused operation costs itself and what depends on it, and is told before the acknowledgement"""
    device = world.device(world.own)
    device.write(item(world, 600), Set("Item", 600, Field("nothing", 1)), Set("Item", 600, Field("size", 3)))
    device.wait(lambda: device.checkpoint.acknowledged == 1)
    assert [(one.changeset, one.operation, one.code) for one in device.refusals] == [(1, 1, 307)], device.refusals
    assert device.objects["Item", 600].values["size"] == 3
    device.write(Set("Item", 699, Field("size", 1)))
    device.wait(lambda: device.checkpoint.acknowledged == 2)
    assert device.refusals[-1].code == 308, device.refusals


def one_session(world: World) -> None:
    """a new hello of a client ends its older session"""
    device = world.device(world.own)
    older = device.session
    later = world.device(world.own)
    later.session.number = older.number
    try:
        later.session.mark(1)
    except Refused:
        pass
    twin = world.connection()
    device.session = type(older)(twin, world.server.database, older.token)
    device.session.hello(device.hello())
    device.wait_for_end()
    assert isinstance(device.ended, SessionEnded) and device.ended.code == 202, device.ended


def other_user(world: World) -> None:
    """a client id that belongs to another user is refused with 103"""
    a, b = world.device(world.own), world.device(world.own, user=world.user + "-other")
    b.client = a.client
    expect(103, 403, lambda: b.session.hello(b.hello()))


def schemas(world: World) -> None:
    """a property of another type is refused with 305; a mixed one may be called optional or not"""
    device = world.device(world.own)
    device.schema = (ClassSchema("Item", (KEY, Property("size", Type.STRING))),)
    expect(305, 400, lambda: device.session.hello(device.hello()))
    device.schema = SCHEMA
    hello = device.hello()
    for optional in (False, True):
        name = f"Note{world.user.replace('-', '')}"
        note = hello.schema.classes.add(name=name) if optional is False else hello.schema.classes[-1]
        if not optional:
            note.properties.add(name="_id", type=Type.INT, primary_key=True)
            note.properties.add(name="any", type=Type.MIXED)
        note.properties[1].optional = optional
        device.session.hello(hello)


SESSIONS = [
    first_sync,
    repetition,
    reconnecting,
    subscriptions,
    credit,
    marks,
    one_way,
    refusals,
    one_session,
    other_user,
    schemas,
]
