"""PERMISSIONS.md: users of a database with rules who write and ask for what they may not."""

import base64
import json
import threading
import time

from causeway_client.changesets import Create, Delete, Field, ListInsert, Operation, Set
from causeway_client.device import Device
from causeway_client.session import Refused
from causeway_client.values import ElementId, Link

from .content import create_head, run_document, uploads, written
from .target import Target


def _user(device: Device) -> str:
    claims = device.session.token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"]


def refused_creates(target: Target) -> None:
    """as many creates as one changeset may have refused, none of which its user may make"""
    head = create_head("Item", "size")

    def make(device: Device) -> bytes:
        return run_document(device, device.welcome.limits.refusals, head, 1, device.client >> 8, 1)

    uploads(target, make, 2, target.settings.guarded)


def judged_links(target: Target) -> None:
    """objects that link to each other, each allowed only while the next one is, of which the last is refused"""

    def make(device: Device) -> bytes:
        first = (device.client >> 8) + device.sequence * 10_000
        count = 4_000
        numbers = [1] * (count - 1) + [0]
        made: list[Operation] = [Create("Ring", first + n, (Field("number", numbers[n]),)) for n in range(count)]
        made += [Set("Ring", first + n, Field("next", Link(first + (n + 1) % count))) for n in range(count)]
        return written(device, made)

    uploads(target, make, 2, target.settings.guarded)


def chains(target: Target) -> None:
    """creates of objects whose link leads to one that is refused, and so on, so that every round refuses one more"""

    def make(device: Device) -> bytes:
        first = (device.client >> 8) + device.sequence * 10_000
        count = 4_000
        made: list[Operation] = []
        for n in reversed(range(count)):
            link = Link(first + n + 1)
            made.append(Create("Ring", first + n, (Field("number", 0 if n == count - 1 else 1), Field("next", link))))
        return written(device, made)

    uploads(target, make, 2, target.settings.guarded)


def long_rules(target: Target) -> None:
    """a few sets of objects whose rule goes over tens of thousands of links each"""
    rings, hubs = 5_000, 3

    def make(device: Device) -> bytes:
        first = device.client >> 8
        if device.sequence == 1:
            return written(device, [Create("Ring", first + n, (Field("number", n % 7),)) for n in range(rings)])
        if device.sequence <= 1 + hubs:
            here = ("Hub", first + device.sequence)
            ids = [ElementId(device.client, device.sequence * 100_000 + n) for n in range(4 * rings)]
            links = [
                ListInsert(*here, "rings", ids[n], Link(first + n % rings), ids[n - 1] if n else None)
                for n in range(len(ids))
            ]
            return written(device, [Create(*here, (Field("size", 1),)), *links])
        size = Field("size", device.sequence)
        return written(device, [Set("Hub", first + 2 + n, size) for n in range(hubs)])

    uploads(target, make, 2, target.settings.guarded)


def flickering(target: Target) -> None:
    """thousands of objects that come to be everybody's and leave again, and with them a property"""
    everybody, count = "everybody", 2_000

    def make(device: Device) -> bytes:
        first = device.client >> 8
        if device.sequence == 1:
            fields = Field("owner", _user(device)), Field("size", 1)
            return written(device, [Create("Item", first + n, fields) for n in range(count)])
        size = target.random.choice([1, 500, 5_000])
        operations: list[Operation] = [Set("Item", first + n, Field("size", size)) for n in range(count)]
        if target.random.random() < 0.2:
            # Nobody takes it back: from here on its makers may read these, and change none.
            operations = [Set("Item", first + n, Field("owner", everybody)) for n in range(0, count, 20)]
        return written(device, operations)

    def read() -> None:
        device = target.device(("Item", "owner != 'honest'"), database=target.settings.guarded)
        device.connect()
        device.wait_for_end(max(0.0, target.deadline - time.monotonic()))

    for _ in range(5):
        threading.Thread(target=target.restlessly, args=(read,), daemon=True).start()
    uploads(target, make, 2, target.settings.guarded)


def hidden_keys(target: Target) -> None:
    """changes and deletes of objects that others have, that have ended, and that never were"""

    def make(device: Device) -> bytes:
        keys = target.random.sample(range(1 << 40), 2_000)
        fields = (Field("owner", _user(device)),)
        made: list[Operation] = [Create("Item", key, fields) for key in keys[:200]]
        made += [Delete("Item", key) for key in keys[:1_000]]
        made += [Set("Item", key, Field("size", 1)) for key in keys]
        return written(device, made)

    uploads(target, make, 2, target.settings.guarded)


def guarded_queries(target: Target) -> None:
    """queries of what the caller may read of some objects only, with as many terms as there may be"""

    def work() -> None:
        device = target.device(database=target.settings.guarded)
        device.connect()
        while target.goes_on and not device.ended:
            first = target.random.randrange(1 << 30)
            halves = (range(first, first + 1_900), range(first + 1_900, first + 3_800))
            try:
                device.subscribe(*(("Item", " OR ".join(f"size == {n}" for n in half)) for half in halves))
            except Refused:
                pass
            target.count()

    target.at_once(2, work)


GUARDED = [refused_creates, judged_links, chains, long_rules, flickering, hidden_keys, guarded_queries]
