"""Requests a second over TLS, from processes that each keep one connection."""

import multiprocessing
import time

from back_end import BackEnd
from scenarios import Site

PROCESSES = 4
SECONDS = 5.0


def _run(place: int, arguments: tuple[int, str, str, str], kind: str, counts: "multiprocessing.Queue") -> None:
    back_end = BackEnd(*arguments)
    count, end = 0, time.monotonic() + SECONDS
    while time.monotonic() < end:
        row = 1_000_000 * (place + 1) + count
        if kind == "read":
            back_end.expect(200, "GET", f"objects/Flight/{100_000 + count % 1_000}")
        elif kind == "page":
            back_end.expect(200, "GET", "objects/Flight?limit=100")
        elif kind == "create":
            back_end.expect(201, "POST", "objects/Flight", {"row": row, "origin": "F"})
        else:
            creates = [{"create": "Flight", "object": {"row": -row * 100 - n, "origin": "F"}} for n in range(100)]
            back_end.expect(200, "POST", "transaction", {"operations": creates})
        count += 1
    counts.put(count)


def figures(site: Site) -> None:
    back_end = site.back_end()
    creates = [{"create": "Flight", "object": {"row": 100_000 + row, "origin": "F"}} for row in range(1_000)]
    back_end.expect(200, "POST", "transaction", {"operations": creates})
    for kind, words, each in (
        ("read", "reads of one object", 1),
        ("page", "pages of 100 objects", 1),
        ("create", "creates, each durable", 1),
        ("transaction", "objects created, 100 a transaction", 100),
    ):
        counts: multiprocessing.Queue = multiprocessing.Queue()
        arguments = (back_end.port, site.server.authority, back_end.database, back_end.token)
        started = [
            multiprocessing.Process(target=_run, args=(place, arguments, kind, counts)) for place in range(PROCESSES)
        ]
        for process in started:
            process.start()
        total = sum(counts.get() for _ in started) * each
        for process in started:
            process.join()
        print(f"{total / SECONDS:8.0f} a second  {words}", flush=True)
