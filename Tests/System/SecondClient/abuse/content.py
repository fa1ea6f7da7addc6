"""Frames, changesets, one-way entries: a few bytes that stand for much work."""

import struct

import zstandard

from causeway_client.changesets import (
    Changeset,
    ChangesetWriter,
    Create,
    Field,
    ListInsert,
    Operation,
    Put,
    Set,
    TextInsert,
)
from causeway_client.device import Device
from causeway_client.envelopes import message, pb, read_message
from causeway_client.frames import COMPRESSED, CONTINUES, crc32c, frame, read_one, write_message
from causeway_client.parts import Writer
from causeway_client.session import Refused
from causeway_client.values import ElementId, Link, Stamp, write_key

from .target import Target

RUN_MAX = 16_384


# Frames


def _post(target: Target, call: str, make, workers: int = 3) -> None:
    def work() -> None:
        connection = target.connection()
        while target.goes_on:
            body = make()
            target.count()
            connection.request("POST", target.path(call), target.token, body)

    target.at_once(workers, work)


def _bomb(size: int) -> bytes:
    return zstandard.ZstdCompressor(level=19, write_content_size=True).compress(bytes(size))


def compression_bombs(target: Target) -> None:
    """frames of a few hundred bytes that are 16 MiB each when they are decompressed"""
    piece = _bomb(16 << 20)
    body = frame(piece, COMPRESSED | CONTINUES) * 4 + frame(piece, COMPRESSED)
    _post(target, "upload", lambda: body)


def compression_lies(target: Target) -> None:
    """compressed frames that name another size than they have, or none"""
    whole = _bomb(8 << 20)
    unnamed = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(8 << 20))

    def make() -> bytes:
        lie = bytearray(target.random.choice([whole, unnamed]))
        lie[target.random.randrange(4, 12)] ^= 1 << target.random.randrange(8)
        return frame(bytes(lie), COMPRESSED)

    _post(target, "upload", make)


def declared_sizes(target: Target) -> None:
    """frames that declare gigabytes, and bodies that end in the middle of one"""

    def make() -> bytes:
        size = target.random.choice([0xFFFF_FFFF, 16 << 20, (16 << 20) + 1, 100])
        head = struct.pack("<IB", size, target.random.choice([0, 1, 2, 3]))
        return head + struct.pack("<I", crc32c(head)) + bytes(50)

    _post(target, target.random.choice(["upload", "ingest", "session"]), make)


def small_pieces(target: Target) -> None:
    """a message in hundreds of thousands of frames of one byte"""
    piece = frame(b"x", CONTINUES)
    _post(target, "upload", lambda: piece * 100_000)


def noise(target: Target) -> None:
    """whole messages of bytes drawn by chance"""

    def make() -> bytes:
        writer = Writer()
        writer.data(pb.UploadRequest(session=1).SerializeToString())
        writer.raw(b"\x01\x01" + target.random.randbytes(target.random.randrange(2_000)))
        return write_message(bytes(writer.bytes))

    _post(target, "upload", make)


# Changesets


def uploads(target: Target, make, workers: int = 2, database: str | None = None) -> None:
    """Uploads of a device that is connected, and of a new one when that is refused."""

    def work() -> None:
        device = target.device(database=database)
        device.connect()
        while target.goes_on:
            device.sequence += 1
            body = make(device)
            target.count()
            try:
                answered = device.session._call(
                    "upload", message(pb.UploadRequest(session=device.session.number), body), pb.UploadAnswer
                )[0]
            except Refused:
                device.sequence -= 1
                answered = None
            if answered is None or answered.HasField("failure"):
                device.session.connection.close()
                device = target.device(database=database)
                device.connect()

    target.at_once(workers, work)


def _document(device: Device, write_runs) -> bytes:
    """One changeset, its runs written by hand."""
    writer = Writer()
    writer.byte(3)
    writer.varint(1)
    writer.varint(0)
    writer.fixed64(device.client)
    writer.varint(device.sequence)
    writer.fixed64(device._time())
    writer.varint(0)
    writer.varint(device.checkpoint.version)
    write_runs(writer)
    writer.byte(0)
    return bytes(writer.bytes)


class _Names:
    """Numbers names through one document, as their writer must."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._names: dict[str, int] = {}

    def write(self, name: str) -> None:
        is_new = name not in self._names
        self._writer.varint(self._names.setdefault(name, len(self._names)))
        if is_new:
            self._writer.text(name)


def _body(writer: Writer, count: int, key: int, key_step: int, columns: int, value_step: int = 0) -> None:
    """A body of keys and of columns of integers, each of which goes on by a step: in a byte for each of them."""
    body = Writer()
    body.byte(0)
    _steps(body, count, key, key_step)
    for _ in range(columns):
        body.byte(3)
        _steps(body, count, 7, value_step)
    body.raw(bytes(max(0, (count * (columns + 1) + 1) // 2 - len(body.bytes))))
    writer.varint(count)
    writer.data(bytes(body.bytes))


def _steps(writer: Writer, count: int, first: int, step: int) -> None:
    if not step:
        writer.byte(2)
        writer.signed(first)
        return
    one = Writer()
    one.signed(step)
    writer.byte(1)
    writer.signed(first)
    writer.raw(bytes(one.bytes) * (count - 1))


def _runs(target: Target, device: Device, count: int, write_head, columns: int) -> bytes:
    """A changeset of so many operations in full runs: all of one key, or of keys that follow each other."""
    first = target.random.randrange(1 << 40)
    return run_document(device, count, write_head, columns, first, target.random.randrange(2))


def run_document(
    device: Device, count: int, write_head, columns: int, first: int, step: int, value_step: int = 0
) -> bytes:
    def write_runs(writer: Writer) -> None:
        names = _Names(writer)
        for start in range(0, count, RUN_MAX):
            write_head(writer, names)
            _body(writer, min(RUN_MAX, count - start), first + step * start, step, columns, value_step)

    return _document(device, write_runs)


def deletes(target: Target) -> None:
    """millions of deletes of keys that nobody has"""

    def head(writer: Writer, names: _Names) -> None:
        writer.byte(3)
        names.write("Item")
        writer.varint(2)

    uploads(target, lambda device: _runs(target, device, 4_100_000, head, 0), 1)


def _set_head(writer: Writer, names: _Names) -> None:
    writer.byte(2)
    names.write("Item")
    names.write("size")
    writer.byte(0)


def sets(target: Target) -> None:
    """as many sets of objects that nobody has as the server takes at once"""
    uploads(target, lambda device: _runs(target, device, device.welcome.limits.operations, _set_head, 1), 1)


def create_head(class_name: str, field: str):
    """Creates with one value each."""

    def head(writer: Writer, names: _Names) -> None:
        writer.byte(1)
        names.write(class_name)
        writer.varint(1)
        writer.varint(1)
        names.write(field)
        writer.byte(0)

    return head


def unknown_classes(target: Target) -> None:
    """as many creates of classes that nobody has as the server takes at once"""
    head = create_head("Nothing", "nothing")
    uploads(target, lambda device: _runs(target, device, device.welcome.limits.operations, head, 1), 1)


def wide_creates(target: Target) -> None:
    """a delete, and behind it as many creates as the server takes at once, of 160 equal values each, or of as many as it
    takes: a few hundred bytes"""

    def make(device: Device) -> bytes:
        columns = target.random.choice([160, 160, 10])

        def head(writer: Writer, names: _Names) -> None:
            writer.byte(1)
            names.write("Item")
            writer.varint(1)
            writer.varint(columns)
            for column in range(columns):
                names.write("size" if column == 0 else f"p{column}")
                writer.byte(0)

        def write_runs(writer: Writer) -> None:
            names = _Names(writer)
            writer.byte(3)
            names.write("Item")
            writer.varint(2)
            _body(writer, 1, 7, 0, 0)
            count = device.welcome.limits.operations - 1
            for start in range(0, count, RUN_MAX):
                head(writer, names)
                _body(writer, min(RUN_MAX, count - start), 7, 0, columns)

        return _document(device, write_runs)

    uploads(target, make, 2)


def clears(target: Target) -> None:
    """clears of a list that name one element sixteen million times, or as often as the server takes"""

    def make(device: Device) -> bytes:
        count = target.random.choice([16_000_000, 2_000_000])

        def write_runs(writer: Writer) -> None:
            names = _Names(writer)
            writer.byte(4)
            names.write("Bag")
            write_key(writer, device.client >> 8)
            names.write("list")
            writer.varint(1)
            writer.byte(4)
            writer.varint(count)
            # Its client is that of the document, its number no further than the one before.
            writer.raw(bytes(2) * count)

        if device.sequence == 1:
            return written(device, [Create("Bag", device.client >> 8)])
        return _document(device, write_runs)

    uploads(target, make, 1)


def updates(target: Target) -> None:
    """as many objects as the server takes at once, which are then all set, again and again"""

    create = create_head("Item", "size")

    def make(device: Device) -> bytes:
        head = create if device.sequence == 1 else _set_head
        first = (device.client & 0xFFFF_FFFF) << 20
        return run_document(device, device.welcome.limits.operations, head, 1, first, 1)

    uploads(target, make, 1)


def written(device: Device, operations: list[Operation]) -> bytes:
    stamp = Stamp(device._time(), device.client)
    return ChangesetWriter().document([Changeset(device.client, device.sequence, operations, stamp, 0)])


def one_object(target: Target) -> None:
    """one object that is set as often as the server takes at once"""

    def make(device: Device) -> bytes:
        if device.sequence == 1:
            return written(device, [Create("Item", device.client >> 8, (Field("owner", "mallory"),))])

        def write_runs(writer: Writer) -> None:
            names = _Names(writer)
            for _ in range(device.welcome.limits.operations // RUN_MAX):
                _set_head(writer, names)
                _body(writer, RUN_MAX, device.client >> 8, 0, 1, value_step=1)

        return _document(device, write_runs)

    uploads(target, make)


def towers(target: Target) -> None:
    """embedded objects in embedded objects, two thousand deep"""

    def make(device: Device) -> bytes:
        base = device.sequence * 10_000
        floors = [ElementId(device.client, base + number) for number in range(2_000)]
        key = (device.client >> 8) + device.sequence
        operations: list[Operation] = [Create("Tower", key)]
        operations += [Create("Floor", floor, (Field("number", 1),)) for floor in floors]
        operations.append(Set("Tower", key, Field("floor", Link(floors[0]))))
        operations += [Set("Floor", low, Field("above", Link(high))) for low, high in zip(floors, floors[1:])]
        if target.random.random() < 0.3:
            operations.append(Set("Floor", floors[-1], Field("above", Link(floors[0]))))
        return written(device, operations)

    uploads(target, make)


def _fills(target: Target, class_name: str, operations) -> None:
    """One object of each device, which every upload makes longer. `operations` is told the object, and how its elements
    are named."""

    def make(device: Device) -> bytes:
        here = (class_name, device.client >> 8)
        if device.sequence == 1:
            return written(device, [Create(*here)])
        base = device.sequence * 10_000
        return written(device, operations(here, lambda number: ElementId(device.client, base + number)))

    uploads(target, make)


def lists(target: Target) -> None:
    """one list that every insert makes longer at its beginning"""
    _fills(target, "Bag", lambda here, element: [ListInsert(*here, "list", element(n), n) for n in range(5_000)])


def texts(target: Target) -> None:
    """one text that everybody types into at one place, having seen nothing of the others"""

    def operations(here, element) -> list[Operation]:
        return [TextInsert(*here, "text", element(n), "x") for n in target.random.sample(range(10_000), 5_000)]

    _fills(target, "Note", operations)


def set_elements(target: Target) -> None:
    """one set that is given elements without end"""
    _fills(target, "Bag", lambda here, _: [Put(*here, "set", f"{target.random.random()}") for _ in range(5_000)])


def bulk(target: Target) -> None:
    """devices that create two thousand objects an upload, outside of what anybody reads, and go away"""

    def work() -> None:
        device = target.device()
        device.connect()
        for _ in range(5):
            device.sequence += 1
            first = target.random.randrange(1 << 60)
            fields = Field("owner", "m"), Field("size", 1)
            body = written(device, [Create("Item", first + n, fields) for n in range(2_000)])
            target.count()
            device.session.call("upload", write_message(message(pb.UploadRequest(session=device.session.number), body)))
        device.session.connection.close()

    target.at_once(4, work)


def gaps(target: Target) -> None:
    """changesets of other clients, behind gaps, and of numbers at the end of all numbers"""

    def make(device: Device) -> bytes:
        device.sequence = target.random.choice([0, 5, (1 << 62) - 1, (1 << 64) - 1])
        return written(device, [Create("Item", 1)])

    uploads(target, make)


# One-way entries


def one_way(target: Target) -> None:
    """one-way batches whose every operation is refused, and batches of twenty thousand empty entries"""

    def entries(device: Device) -> list[Changeset]:
        if target.random.random() < 0.5:
            return [Changeset(device.client, 1 + n) for n in range(20_000)]
        refused: list[Operation] = [Create("Nothing", n) for n in range(20_000)]
        return [Changeset(device.client, 1, refused)]

    def work() -> None:
        device = target.device()
        # Written once: that takes longer than the server needs to refuse it.
        document = ChangesetWriter().document(entries(device))
        body = write_message(message(pb.IngestRequest(client=device.client, first=1), document))
        device.connect()
        while target.goes_on:
            target.count()
            device.session.call("ingest", body)

    target.at_once(2, work)


def one_way_collections(target: Target) -> None:
    """one-way entries of objects with collections, texts and towers of embedded objects, some of them out of place"""

    def operations(device: Device, number: int) -> list[Operation]:
        here = ("Event", (device.client >> 8) + number % 5)
        ids = [ElementId(device.client, number * 1_000 + n) for n in range(1_000)]
        floors = ids[400:600]
        # Each stands in the one before, which is made later.
        tower: list[Operation] = [Create("Floor", floors[-1], (Field("number", 1),))]
        for low, high in zip(floors[-2::-1], floors[::-1]):
            tower.append(Create("Floor", low, (Field("number", 1), Field("above", Link(high)))))
        create = Create(*here, (Field("floor", Link(floors[0])),))
        inside: list[Operation] = [
            *(ListInsert(*here, "list", ids[n], n, ids[n - 1] if n else None) for n in range(200)),
            *(Put(*here, "set", f"{number} {n}") for n in range(200)),
            *(Put(*here, "map", f"key {n}", n) for n in range(200)),
            TextInsert(*here, "text", ids[700], "x" * 200),
        ]
        if target.random.random() < 0.9:
            return [*tower, create, *inside]
        emptied = Set(*here, Field("floor", None))
        return target.random.choice([[create, *inside, *tower], [*tower, *inside, create], [*tower, create, emptied]])

    def work() -> None:
        device = target.device()
        device.connect()
        while target.goes_on:
            first = device.entry + 1
            entries = [Changeset(device.client, first + n, operations(device, first + n)) for n in range(10)]
            body = message(pb.IngestRequest(client=device.client, first=first), ChangesetWriter().document(entries))
            target.count()
            status, answer = device.session.call("ingest", write_message(body))
            if status == 200:
                # Up to the one that is refused, which the next batch begins with, and has made otherwise.
                device.entry = read_message(pb.IngestAnswer, read_one(answer))[0].acknowledged

    target.at_once(2, work)


CONTENT = [
    compression_bombs,
    compression_lies,
    declared_sizes,
    small_pieces,
    noise,
    deletes,
    sets,
    unknown_classes,
    clears,
    one_object,
    towers,
    lists,
    texts,
    set_elements,
    bulk,
    gaps,
    one_way,
    one_way_collections,
]

# Known to go beyond the bounds, and made only when they are named: the README says why.
BEYOND = [updates, wide_creates]
