"""Two honest devices on the database that is attacked: one writes, and what counts is how soon the other sees it."""

import time
from multiprocessing.queues import Queue

from causeway_client.changesets import Create, Field, Set
from causeway_client.connection import Connection
from causeway_client.device import Device

from .target import SCHEMA, Settings

PERIOD_SECONDS = 0.025
# A wait that is longer is told as that long, and the write is waited for on.
TELL_SECONDS = 1.0


def run(settings: Settings, samples: Queue) -> None:
    """Puts into `samples` the moment at which a write was due, and how long after it others saw it.

    Writes that would have been due while one was waited for are not written, and counted as seen together with it.
    """
    token = settings.tokens[0]
    query = ("Item", "owner == 'honest'")
    writer, reader = (_device(settings, token, query) for _ in range(2))
    key = writer.client >> 8
    writer.write(Create("Item", key, (Field("owner", "honest"), Field("size", 0))))
    reader.wait(lambda: ("Item", key) in reader.objects)
    number = 0
    due = time.monotonic()
    while True:
        due += PERIOD_SECONDS
        time.sleep(max(0.0, due - time.monotonic()))
        number += 1
        try:
            writer.write(Set("Item", key, Field("size", number)))
            _wait(reader, key, number, due, samples)
        except Exception as error:
            samples.put((due, None, f"{type(error).__name__}: {error}"))
            return
        seen = time.monotonic()
        while due < seen:
            samples.put((due, seen - due, ""))
            due += PERIOD_SECONDS


def _wait(reader: Device, key: int, number: int, due: float, samples: Queue) -> None:
    while True:
        try:
            return reader.wait(lambda: reader.objects["Item", key].values["size"] == number, TELL_SECONDS)
        except TimeoutError:
            waited = time.monotonic() - due
            samples.put((due, waited, ""))
            if waited > 120:
                raise


def _device(settings: Settings, token: str, query: tuple[str, str]) -> Device:
    connection = Connection(settings.host, settings.port, settings.authority)
    device = Device(connection, settings.database, token, SCHEMA)
    device.subscribe(query)
    device.connect()
    return device
