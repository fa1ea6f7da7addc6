"""Views of very many objects: left without credit, cut, and turned over and over."""

import threading
import time

from causeway_client.connection import ConnectionLost
from causeway_client.device import Device
from causeway_client.envelopes import message, pb
from causeway_client.frames import write_message
from causeway_client.session import Refused

from .content import create_head, run_document
from .target import Target

VIEW_OBJECTS = 100_000


def _fill(target: Target) -> tuple[str, str]:
    """Makes so many objects as the server takes at once, and says which they are."""
    while target.goes_on:
        try:
            device = target.device()
            device.welcome = device.session.hello(device.hello())
            device.sequence = 1
            count = min(VIEW_OBJECTS, device.welcome.limits.operations)
            first = (device.client & 0x7FFF_FFFF) << 20
            body = run_document(device, count, create_head("Item", "size"), 1, first, 1, value_step=1)
            device.session.call("upload", _framed(pb.UploadRequest(session=device.session.number), body))
            device.session.connection.close()
            target.count()
            return "Item", f"_id >= {first} AND _id < {first + count}"
        except (OSError, ConnectionLost, Refused):
            time.sleep(0.1)
    raise TimeoutError("the time is over before there was a view")


def _framed(envelope, body: bytes = b"") -> bytes:
    return write_message(message(envelope, body))


def _drain(device: Device, is_generous: bool = True) -> None:
    """Takes a download without reading what it says, and gives credit for it."""

    def work() -> None:
        consumed = 0
        for download, _, wire_bytes in device.session.download():
            consumed += wire_bytes
            if is_generous and consumed >= device.welcome.limits.credit_bytes // 4:
                device.session.credit(consumed)
                consumed = 0
            if download.WhichOneof("kind") == "end":
                return

    threading.Thread(target=_quietly, args=(work,), daemon=True).start()


def _quietly(work) -> None:
    try:
        work()
    except Exception:  # the server has cut it, or the time is over
        pass


def _session(target: Target, connection, *queries: tuple[str, str]) -> Device:
    device = target.device(*queries, connection=connection)
    device.welcome = device.session.hello(device.hello())
    return device


def without_credit(target: Target) -> None:
    """downloads of a hundred thousand objects that are never given credit, while their objects change"""
    query = _fill(target)
    connections = [target.connection() for _ in range(4)]

    def work() -> None:
        # The streams of a connection are few: each takes some downloads, and then the sessions wait for theirs.
        connection = target.random.choice(connections)
        for _ in range(10):
            if not target.goes_on:
                return
            _drain(_session(target, connection, query), is_generous=False)
            target.count()
        _fill(target)

    target.at_once(2, work)


def cut_downloads(target: Target) -> None:
    """downloads of a hundred thousand objects that are cut and said to be staged, wherever they were"""
    query = _fill(target)

    def work() -> None:
        connection = target.connection()
        staged = None
        while target.goes_on:
            device = target.device(query, connection=connection)
            hello = device.hello()
            if staged is not None:
                hello.staged.reached.CopyFrom(staged)
                hello.staged.queries.CopyFrom(device.wanted)
                hello.staged.reached.row = target.random.choice([staged.row, 0, 1 << 40, (1 << 63) - 1])
            device.welcome = device.session.hello(hello)
            target.count()
            for download, _, _ in device.session.download():
                if download.WhichOneof("kind") == "changes" and download.changes.HasField("resume"):
                    staged = download.changes.resume
                    break
                if download.WhichOneof("kind") != "heartbeat" and not download.HasField("changes"):
                    break

    target.at_once(3, work)


def _turns_to(target: Target, device: Device, class_name: str, predicate: str) -> bool:
    """Subscribes to this and nothing else. False where the server refuses, so that it is of no use to go on."""
    device.wanted = pb.QuerySet(version=device.wanted.version + 1)
    device.wanted.queries.add(class_name=class_name, predicate=predicate)
    try:
        device.session.subscriptions(device.wanted)
    except Refused:
        return False
    target.count()
    return True


def flips(target: Target) -> None:
    """a view of a hundred thousand objects that is subscribed to and let go of, to and fro"""
    query = _fill(target)
    nothing = ("Item", "FALSEPREDICATE")

    def work() -> None:
        device = _session(target, target.connection(), nothing)
        _drain(device)
        while target.goes_on:
            for class_name, predicate in (query, nothing):
                if not _turns_to(target, device, class_name, predicate):
                    return
                # Long enough for the server to have begun with it, and at times with the next.
                time.sleep(target.random.choice([0.0, 0.05, 0.5]))

    target.at_once(2, work)


def halves(target: Target) -> None:
    """a view of which every second object is left and entered again with each other query"""
    query = _fill(target)

    def work() -> None:
        device = _session(target, target.connection(), query)
        _drain(device)
        half = 0
        while target.goes_on:
            half = 1 - half
            condition = f"{query[1]} AND (size - size / 2 * 2) == {half}"
            if not _turns_to(target, device, "Item", condition):
                return
            time.sleep(target.random.choice([0.05, 0.5, 2.0]))

    target.at_once(2, work)


VIEWS = [without_credit, cut_downloads, flips, halves]
