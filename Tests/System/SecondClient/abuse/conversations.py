"""Queries, subscriptions, sessions and resyncs of callers who are known and mean harm."""

from causeway_client.device import Device
from causeway_client.digests import OF_OBJECTS, OF_PARTS, read_question
from causeway_client.envelopes import pb
from causeway_client.parts import Writer
from causeway_client.session import Refused

from .target import Target


def _subscribing(target: Target, make, workers: int = 2) -> None:
    """Queries that are replaced again and again, in a session that is opened anew when it ends."""

    def work() -> None:
        connection = target.connection()
        device = target.device(connection=connection)
        device.connect()
        while target.goes_on and not device.ended:
            try:
                device.subscribe(*make())
            except Refused:
                pass
            target.count()

    target.at_once(workers, work)


def long_queries(target: Target) -> None:
    """queries of four thousand terms"""

    def make() -> list[tuple[str, str]]:
        word = target.random.choice([" AND ", " OR "])
        first = target.random.randrange(1_000_000)
        return [("Item", word.join(f"size != {first + n}" for n in range(3_800)))]

    _subscribing(target, make)


def deep_queries(target: Target) -> None:
    """queries of parentheses and NOTs within each other"""

    def make() -> list[tuple[str, str]]:
        depth = target.random.choice([100, 1_000, 15_000])
        return [("Item", target.random.choice(["(", "NOT ("]) * depth + f"size == {depth}" + ")" * depth)]

    _subscribing(target, make)


def long_sets(target: Target) -> None:
    """queries of IN with ten thousand values"""

    def make() -> list[tuple[str, str]]:
        first = target.random.randrange(1_000_000)
        return [("Item", "size IN {" + ", ".join(str(first + n) for n in range(7_000)) + "}")]

    _subscribing(target, make)


def patterns(target: Target) -> None:
    """queries of LIKE whose patterns go back and forth"""

    def make() -> list[tuple[str, str]]:
        pattern = "*a" * target.random.randrange(20, 2_000) + "b"
        return [("Item", f"owner LIKE '{pattern}' OR owner LIKE[c] '?{pattern}'")]

    _subscribing(target, make)


def many_queries(target: Target) -> None:
    """sets of a thousand queries, replaced again and again"""

    def make() -> list[tuple[str, str]]:
        first = target.random.randrange(1_000_000)
        return [("Item", f"size == {first + n} AND owner == 'm{n}'") for n in range(1_000)]

    _subscribing(target, make)


def wrong_queries(target: Target) -> None:
    """queries that do not parse, of every length"""

    def make() -> list[tuple[str, str]]:
        size = target.random.choice([10, 1_000, 20_000])
        letters = "abc <>=()'\"{}[].,%$@ANDORNOT\\\u212a"
        return [("Item", "".join(target.random.choices(letters, k=size)))]

    _subscribing(target, make)


def sessions(target: Target) -> None:
    """thousands of sessions, each of a client of its own"""

    def work() -> None:
        connection = target.connection()
        while target.goes_on:
            device = target.device(connection=connection)
            try:
                device.session.hello(device.hello())
            except Refused:
                pass
            target.count()

    target.at_once(4, work)


def heavy_sessions(target: Target) -> None:
    """sessions that each want a thousand queries"""

    def work() -> None:
        connection = target.connection()
        while target.goes_on:
            queries = [("Item", f"size == {n} AND owner == 'm'") for n in range(1_000)]
            device = target.device(*queries, connection=connection)
            try:
                device.session.hello(device.hello())
            except Refused:
                pass
            target.count()

    target.at_once(2, work)


def schemas(target: Target) -> None:
    """hellos that add classes and properties until there is no room"""

    def work() -> None:
        connection = target.connection()
        while target.goes_on:
            device = target.device(connection=connection)
            hello = device.hello()
            for _ in range(20):
                added = hello.schema.classes.add(name=f"M{target.random.randrange(1 << 40)}")
                added.properties.add(name="_id", type=2, primary_key=True)
            try:
                device.session.hello(hello)
            except Refused:
                pass
            target.count()

    target.at_once(1, work)


def marks(target: Target) -> None:
    """marks and credits without end"""

    def work() -> None:
        device = target.device()
        device.connect()
        while target.goes_on and not device.ended:
            try:
                device.session.mark(target.random.randrange(1 << 60))
                device.session.credit((1 << 63) - 1)
            except Refused:
                pass
            target.count()

    target.at_once(3, work)


def _lost(target: Target, device: Device):
    """A hello with a checkpoint of another schema, which is answered with a resync."""
    first = device.session.hello(device.hello())
    device.checkpoint = pb.Checkpoint(epoch=first.epoch, version=1, query_set=1, schema=(1 << 64) - 1)
    device.held.CopyFrom(device.wanted)
    return device.session.hello(device.hello())


def resyncs(target: Target) -> None:
    """resyncs that are answered with invented digests, so that every question has a next one"""

    def work() -> None:
        device = target.device(("Item", "TRUEPREDICATE"), ("Bag", "TRUEPREDICATE"))
        _lost(target, device)
        for download, body, _ in device.session.download():
            if not target.goes_on:
                return
            if download.WhichOneof("kind") == "digests_wanted":
                device.session.resync(download.digests_wanted.number, _invented(target, body))
                target.count()
            elif download.WhichOneof("kind") in ("changes", "end"):
                return

    target.at_once(3, work)


def silent_resyncs(target: Target) -> None:
    """resyncs that are never answered, so that everybody else's wait for their turn"""

    def work() -> None:
        devices = []
        while target.goes_on:
            device = target.device(("Item", "TRUEPREDICATE"))
            _lost(target, device)
            device.checkpoint.schema = (1 << 64) - 1
            device.connect()
            devices.append(device)
            target.count()

    target.at_once(2, work)


def _invented(target: Target, question: bytes) -> bytes:
    writer = Writer()
    asks = read_question(question)
    writer.byte(1)
    writer.varint(len(asks))
    for ask in asks:
        writer.byte(ask.detail)
        if ask.detail == OF_OBJECTS:
            writer.varint(50)
            writer.byte(0)
            writer.integers([target.random.randrange(1 << 40) for _ in range(50)])
            writer.raw(target.random.randbytes(16 * 50))
            continue
        if ask.detail == OF_PARTS:
            writer.varint(64)
        for _ in range(64 if ask.detail == OF_PARTS else 1):
            writer.varint(target.random.choice([1, 1_000, 1 << 40]))
            writer.raw(target.random.randbytes(16))
    return bytes(writer.bytes)


CONVERSATIONS = [
    long_queries,
    deep_queries,
    long_sets,
    patterns,
    many_queries,
    wrong_queries,
    sessions,
    heavy_sessions,
    schemas,
    marks,
    resyncs,
    silent_resyncs,
]
