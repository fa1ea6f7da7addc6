"""PROTOCOL.md, "Copied files", "Resume", rule 10: copies of files, changes that were cut, servers of yesterday."""

import secrets
import shutil

from causeway_client.changesets import Changeset, Create, Delete, Field, Set
from causeway_client.device import CopiedFile, Device, SessionEnded
from causeway_client.session import Refused
from causeway_client.values import Stamp

from .sessions import item
from .world import World


def cut(device: Device) -> None:
    device.session.connection.close()
    device.wait_for_end()


def again(world: World, device: Device) -> None:
    device.session.connection = world.connection()
    device.connect()


def keys(device: Device) -> set:
    return {key for class_name, key in device.objects if class_name == "Item"}


def copied(world: World) -> None:
    """a copy that wrote under numbers that its original has used goes on as another client, and nothing is lost"""
    device = world.device(world.own)
    device.write(item(world, 10))
    device.wait(lambda: device.checkpoint.acknowledged == 1)
    assert device.checkpoint.opening == device.opening, device.checkpoint
    copy = device.reopened()
    device.write(item(world, 11))
    copy.write(item(world, 12), upload=False)
    copy.write(item(world, 13), upload=False)
    device.wait(lambda: device.checkpoint.acknowledged == 2)
    copy.session.connection = world.connection()
    try:
        copy.connect()
    except CopiedFile:
        told = list(zip(copy.welcome.openings, copy.welcome.opening_firsts))
        assert told == [(device.opening, 1)], copy.welcome
    else:
        raise AssertionError("the copy was not told")
    copy.begin_again()
    assert sorted(copy.pending) == [1, 2] and copy.predecessor == device.client
    copy.connect()
    copy.send_pending()
    copy.wait(lambda: keys(copy) == {10, 11, 12, 13})
    cut(device)
    again(world, device)
    device.wait(lambda: keys(device) == {10, 11, 12, 13})
    assert world.server.count("Item", f"owner == '{world.user}'") == 4


def taken(world: World) -> None:
    """a number that was taken under another opening is answered with 306, under its own as a repetition"""
    device = world.device(world.own)
    changeset = device.write(item(world, 20))
    other = Changeset(device.client, 1, [item(world, 21)], Stamp(1, device.client))
    assert device.session.upload([changeset], device.opening).committed == 1
    try:
        code = device.session.upload([other], device.opening ^ 1).failure.code
    except Refused as refused:
        code = refused.code
    assert code == 306, code
    device.send_one_way(Create("Report", 20_000 + device.client % 1_000_000, (Field("text", "one"),)))
    device.entry = 0
    device.opening ^= 1
    try:
        device.send_one_way(Create("Report", 1, (Field("text", "never"),)))
    except Refused as refused:
        assert refused.code == 306, refused
    else:
        raise AssertionError("the entry was taken for a repetition")


def copied_without_writing(world: World) -> None:
    """an opening that comes back while the one that took its place downloads is told that it is a copy"""
    device = world.device(world.own)
    copy = device.reopened()
    copy.session.connection = world.connection()
    copy.connect()
    device.wait_for_end()
    assert isinstance(device.ended, SessionEnded) and device.ended.code == 202, device.ended
    device.session = type(copy.session)(world.connection(), world.server.database, device.session.token)
    try:
        device.connect()
    except CopiedFile:
        assert device.welcome.copied and not device.welcome.session, device.welcome
    else:
        raise AssertionError("the device was not told")
    device.begin_again()
    device.connect()
    device.write(item(world, 30))
    copy.wait(lambda: keys(copy) == {30})


def halting(world: World, count: int) -> tuple[Device, Device, int]:
    """The author of so many objects from a key on, and a reader of them that gives no credit: a part of them comes."""
    base = 1_000 * int(world.user.split("-")[1])
    nothing, all_of_it = ("Item", "FALSEPREDICATE"), ("Everything", f"_id >= {base} AND _id < {base + 1000}")
    author, reader = world.device(nothing), world.device(nothing)
    limit = author.welcome.limits.credit_bytes
    for number in range(count):
        author.write(Create("Everything", base + number, (Field("data", secrets.token_bytes(limit // 4)),)))
    # All of them come by the subscription: a change that tells what was written just now has no point to go on from.
    author.wait(lambda: author.checkpoint.acknowledged == count)
    reader.give_credit = False
    reader.subscribe(all_of_it)
    return author, reader, base


def resumed(world: World) -> None:
    """a view that is cut goes on where it was, with what has changed, and shows nothing before all of it is here"""
    author, reader, base = halting(world, 16)
    limit = author.welcome.limits.credit_bytes
    reader.wait(lambda: len(reader.staged) > 0 and reader.consumed >= limit // 2)
    heard = reader.heartbeats
    reader.wait(lambda: reader.heartbeats > heard)
    cut(reader)
    staged = [one.key for _, parts in reader.staged for part in parts for one in part.entered]
    assert staged and not reader.objects, (staged, reader.objects)
    author.write(Set("Everything", staged[0], Field("int", 7)), Delete("Everything", base + 15))
    if len(staged) > 1:
        author.write(Delete("Everything", staged[1]))
    author.catch_up()
    told: list = []
    reader.on_change = lambda changes: told.append([one.key for one in changes.entered])
    reader.give_credit = True
    again(world, reader)
    assert reader.welcome.resumes, reader.welcome
    expected = set(range(base, base + 15)) - set(staged[1:2])
    reader.wait(lambda: {key for _, key in reader.objects} == expected)
    assert reader.objects["Everything", staged[0]].values["int"] == 7
    # What was told before the cut is told once, but for what has changed since.
    entered = [key for keys in told for key in keys]
    assert all(entered.count(key) == 1 for key in staged[2:]), (staged, entered)
    assert not reader.staged


def resumed_from_nothing(world: World) -> None:
    """a view that is cut goes on also where the device has synced with the database before anything was in it"""
    assert world.server.end() == 0
    shutil.rmtree(world.server.folder / "data")
    world.server.start()
    resumed(world)


def not_resumed(world: World) -> None:
    """what is staged for other queries than are wanted is thrown away, and the change told anew"""
    _, reader, _ = halting(world, 12)
    reader.wait(lambda: len(reader.staged) > 0)
    cut(reader)
    reader.staged[-1][0].checkpoint.incarnation ^= 1
    reader.give_credit = True
    again(world, reader)
    assert not reader.welcome.resumes
    reader.wait(lambda: len(reader.objects) == 12)


def restored(world: World) -> None:
    """a server restored from an older copy is sent again what it has lost, and others are told what differs"""
    author, reader = world.device(world.own), world.device(world.own)
    author.keeps_acknowledged = True
    for number in range(40, 46):
        author.write(item(world, number))
    author.wait(lambda: author.checkpoint.acknowledged == 6)
    data, backup = world.server.folder / "data", world.server.folder / "backup"
    assert world.server.end() == 0
    shutil.copytree(data, backup)
    world.server.start()
    for device in (author, reader):
        device.wait_for_end()
        again(world, device)
    for number in range(46, 49):
        author.write(item(world, number))
    author.wait(lambda: author.checkpoint.acknowledged == 9)
    reader.wait(lambda: keys(reader) == set(range(40, 49)))
    assert world.server.end() == 0
    shutil.rmtree(data)
    shutil.move(backup, data)
    world.server.start()
    author.wait_for_end()
    reader.wait_for_end()
    again(world, reader)
    reader.wait(lambda: keys(reader) == set(range(40, 46)))
    assert reader.questions_answered > 0
    author.write(Set("Item", 48, Field("size", 5)), upload=False)
    again(world, author)
    assert author.welcome.committed == 6 and author.welcome.skipped == 0, author.welcome
    assert sorted(author.pending) == [7, 8, 9, 10], sorted(author.pending)
    author.send_pending()
    for device in (author, reader):
        device.wait(lambda: keys(device) == set(range(40, 49)) and device.objects["Item", 48].values["size"] == 5)
    author.wait(lambda: author.checkpoint.acknowledged == 10)
    assert world.server.count("Item", f"owner == '{world.user}'") == 9


def skipped(world: World) -> None:
    """a server that lacks what a device has not kept goes over its numbers, and says once how many"""
    author = world.device(world.own)
    author.write(item(world, 50))
    author.wait(lambda: author.checkpoint.acknowledged == 1)
    cut(author)
    author.checkpoint.acknowledged = 5
    author.session.connection = world.connection()
    hello = author.hello()
    assert hello.oldest == 6
    counts = []
    for _ in range(2):
        welcome = author.session.hello(hello)
        counts.append((welcome.committed, welcome.skipped))
    assert counts == [(5, 4), (5, 0)], counts


COPIES = [copied, taken, copied_without_writing, resumed, resumed_from_nothing, not_resumed, restored, skipped]
