"""Two honest devices on each database: one writes, and what counts is how soon the other sees it."""

import time
from multiprocessing.queues import Queue
from multiprocessing.sharedctypes import Synchronized

from causeway_client.changesets import Create, Field, Set
from causeway_client.connection import Connection
from causeway_client.device import Device

from .target import SCHEMA, Settings

PERIOD_SECONDS = 0.025
# A wait that is longer is told as that long, and the write is waited for on.
TELL_SECONDS = 1.0
# Which databases are written to: bits.
OPEN, GUARDED = 1, 2


class Pair:
    def __init__(self, settings: Settings, database: str) -> None:
        self._writer, self._reader = (self._device(settings, database) for _ in range(2))
        self._key = self._writer.client >> 8
        self._number = 0
        self._writer.write(Create("Item", self._key, (Field("owner", "honest"), Field("size", 0))))
        self._reader.wait(lambda: ("Item", self._key) in self._reader.objects)

    @staticmethod
    def _device(settings: Settings, database: str) -> Device:
        connection = Connection(settings.host, settings.port, settings.authority)
        device = Device(connection, database, settings.tokens[0], SCHEMA)
        device.subscribe(("Item", "owner == 'honest'"))
        device.connect()
        return device

    def write(self) -> None:
        self._number += 1
        self._writer.write(Set("Item", self._key, Field("size", self._number)))

    def wait(self, seconds: float) -> None:
        objects, name = self._reader.objects, ("Item", self._key)
        self._reader.wait(lambda: name in objects and objects[name].values["size"] == self._number, seconds)


def run(settings: Settings, samples: Queue, places: Synchronized) -> None:
    """Puts into `samples` the moment at which a write was due, and how long after it others saw it.

    Writes that would have been due while one was waited for are not written, and counted as seen together with it.
    """
    pairs = {OPEN: Pair(settings, settings.database), GUARDED: Pair(settings, settings.guarded)}
    turn = 0
    due = time.monotonic()
    while True:
        due += PERIOD_SECONDS
        time.sleep(max(0.0, due - time.monotonic()))
        turn += 1
        worked_on = [pair for bit, pair in pairs.items() if bit & places.value]
        try:
            pair = worked_on[turn % len(worked_on)]
            pair.write()
            _wait(pair, due, samples)
        except Exception as error:
            samples.put((due, None, f"{type(error).__name__}: {error}"))
            return
        seen = time.monotonic()
        while due < seen:
            samples.put((due, seen - due, ""))
            due += PERIOD_SECONDS


def _wait(pair: Pair, due: float, samples: Queue) -> None:
    while True:
        try:
            return pair.wait(TELL_SECONDS)
        except TimeoutError:
            waited = time.monotonic() - due
            samples.put((due, waited, ""))
            if waited > 120:
                raise
