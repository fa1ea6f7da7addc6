"""What an attack is given: where to send, whom to pretend to be, how long, and a source of chance."""

import os
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized

from causeway_client.connection import Connection, ConnectionLost
from causeway_client.device import Device
from causeway_client.schema import ClassSchema, Collection, Kind, Property, Schema, Type

KEY = Property("_id", Type.INT, primary_key=True)
ITEM = ClassSchema("Item", (KEY, Property("owner", Type.STRING), Property("size", Type.INT)))
TOWER = ClassSchema("Tower", (KEY, Property("floor", Type.LINK, target="Floor", optional=True)))
FLOOR = ClassSchema(
    "Floor",
    (Property("number", Type.INT), Property("above", Type.LINK, target="Floor", optional=True)),
    Kind.EMBEDDED,
)
BAG = ClassSchema(
    "Bag", (KEY, Property("list", Type.INT, Collection.LIST), Property("set", Type.STRING, Collection.SET))
)
NOTE = ClassSchema("Note", (KEY, Property("text", Type.STRING, Collection.TEXT)))
REPORT = ClassSchema("Report", (KEY, Property("text", Type.STRING)), Kind.ONE_WAY)
EVENT = ClassSchema(
    "Event",
    (
        KEY,
        Property("list", Type.INT, Collection.LIST),
        Property("set", Type.STRING, Collection.SET),
        Property("map", Type.INT, Collection.MAP),
        Property("text", Type.STRING, Collection.TEXT),
        Property("floor", Type.LINK, target="Floor", optional=True),
    ),
    Kind.ONE_WAY,
)
# What queries ask more of than a comparison: words, a point on the sphere, embedded objects, values of any type.
PAGE = ClassSchema(
    "Page",
    (
        KEY,
        Property("words", Type.STRING),
        Property("number", Type.INT),
        Property("value", Type.MIXED),
        Property("place", Type.LINK, target="Place", optional=True),
        Property("parts", Type.LINK, Collection.LIST, target="Floor"),
    ),
)
PLACE = ClassSchema(
    "Place", (Property("type", Type.STRING), Property("coordinates", Type.DOUBLE, Collection.LIST)), Kind.EMBEDDED
)
# May be written only while what it links to has the number 1, where there are rules.
RING = ClassSchema(
    "Ring", (KEY, Property("number", Type.INT), Property("next", Type.LINK, target="Ring", optional=True))
)
# May be written only while none of what it links to has the number 7.
HUB = ClassSchema(
    "Hub", (KEY, Property("size", Type.INT), Property("rings", Type.LINK, Collection.LIST, target="Ring"))
)
SCHEMA: Schema = (ITEM, TOWER, FLOOR, BAG, NOTE, REPORT, EVENT, PAGE, PLACE, RING, HUB)

# The second database: who may read and write what follows from the objects, from their properties and from links.
RULES = """{classes: {
  Item: {read: "owner == $user.id OR owner == 'everybody'", write: "owner == $user.id",
    properties: {size: {read: "owner == $user.id OR size < 1000", write: "size < 1000000000"}}},
  Ring: {read: true, write: "next == nil OR next.number == 1"},
  Hub: {read: true, write: "NONE rings.number == 7"},
  Report: {read: false, create: "text != 'forbidden'"}}}"""

# Stands in every password that an attack invents, so that one can be found in a log.
PASSWORD = "Mallory-knows-this-word"


@dataclass(frozen=True)
class Settings:
    """What crosses to the process of an attack."""

    host: str
    port: int
    authority: str
    # One without rules, and one with RULES.
    database: str
    guarded: str
    tokens: tuple[str, ...]
    seed: int
    # What the server gives out and must not show, a line each; and the messages that it would send, an object a line.
    secrets: str = os.devnull
    messages: str = os.devnull


@dataclass
class Target:
    settings: Settings
    deadline: float
    random: random.Random
    # Shared with the process that reports.
    sent: Synchronized

    @property
    def goes_on(self) -> bool:
        return time.monotonic() < self.deadline

    def count(self, number: int = 1) -> None:
        with self.sent.get_lock():
            self.sent.value += number

    @property
    def token(self) -> str:
        return self.random.choice(self.settings.tokens)

    def connection(self) -> Connection:
        return Connection(self.settings.host, self.settings.port, self.settings.authority)

    def device(
        self, *queries: tuple[str, str], connection: Connection | None = None, database: str | None = None
    ) -> Device:
        device = Device(connection or self.connection(), database or self.settings.database, self.token, SCHEMA)
        device.subscribe(*(queries or [("Item", "FALSEPREDICATE")]))
        return device

    def path(self, call: str) -> str:
        return f"/v1/{self.settings.database}/{call}"

    def keep_secret(self, *texts: str) -> None:
        """What the server's log must not hold from now on."""
        descriptor = os.open(self.settings.secrets, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, "".join(f"{text}\n" for text in texts).encode())
        os.close(descriptor)

    def again(self, once: Callable[[], None], pause_seconds: float = 0) -> None:
        """Does it until the time is over; what the server refuses or cuts is tried again at once."""
        while self.goes_on:
            try:
                once()
                self.count()
            except (OSError, ConnectionLost):
                time.sleep(0.01)
            if pause_seconds:
                time.sleep(pause_seconds)

    def at_once(self, workers: int, work: Callable[[], None]) -> None:
        """The same by several threads, until the time is over."""
        threads = [threading.Thread(target=self.restlessly, args=(work,), daemon=True) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, self.deadline - time.monotonic()) + 0.2)

    def restlessly(self, work: Callable[[], None]) -> None:
        """Again and again; what becomes of a connection is no concern of an attacker's."""
        while self.goes_on:
            try:
                work()
            except Exception:
                time.sleep(0.01)
