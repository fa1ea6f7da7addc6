"""What an attack is given: where to send, whom to pretend to be, how long, and a source of chance."""

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
SCHEMA: Schema = (ITEM, TOWER, FLOOR, BAG, NOTE, REPORT)


@dataclass(frozen=True)
class Settings:
    """What crosses to the process of an attack."""

    host: str
    port: int
    authority: str
    database: str
    tokens: tuple[str, ...]
    seed: int


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

    def device(self, *queries: tuple[str, str], connection: Connection | None = None) -> Device:
        device = Device(connection or self.connection(), self.settings.database, self.token, SCHEMA)
        device.subscribe(*(queries or [("Item", "FALSEPREDICATE")]))
        return device

    def path(self, call: str) -> str:
        return f"/v1/{self.settings.database}/{call}"

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
        threads = [threading.Thread(target=self._guarded, args=(work,), daemon=True) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, self.deadline - time.monotonic()) + 0.2)

    def _guarded(self, work: Callable[[], None]) -> None:
        while self.goes_on:
            try:
                work()
            except Exception:  # an attacker does not mind what becomes of a connection
                time.sleep(0.01)
