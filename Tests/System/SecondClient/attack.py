"""Attacks a daemon while two honest devices work on it. `deploy/test --abuse MINUTES [--seed N]` runs it.

Each attack has the database for a moment, after a calm one; all calm moments together say how busy the machine is with
other things. What follows from an attack is its own: the next one waits until the honest devices go on. What goes beyond
its bounds is tried once more at the end, for a moment is short, and counts if it does so again. The daemon is new, listens
on 127.0.0.1, and has its files in a folder of its own.
"""

import argparse
import multiprocessing
import os
import queue
import random
import re
import secrets
import sys
import tempfile
import time
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from abuse import honest
from abuse.callers import CALLERS
from abuse.carrier import CARRIER
from abuse.content import BEYOND, CONTENT
from abuse.conversations import CONVERSATIONS
from abuse.gauge import Gauge, cpu_seconds, memory_mebibytes
from abuse.report import HEAD, REST_MEBIBYTES, Row, line, percentile
from abuse.target import Settings, Target
from causeway_client.server import Server

ATTACKS = {attack.__name__: attack for attack in CARRIER + CALLERS + CONTENT + CONVERSATIONS + BEYOND}
ACCOUNTS = "accounts: {enabled: true, anonymous: true, emailPassword: true}"
CALM_SECONDS = 1.0
# So long the process of an attack may take to be there.
START_SECONDS = 60
# So long an attack may be felt before it is told that it still is.
PATIENCE_SECONDS = 60
REST_SECONDS = 30
# How often it is looked whether an attack is still felt; what of a processor the server may use more than at rest, and
# how soon the honest devices are served, when it is not.
LOOK_SECONDS = 0.5
IDLE_SHARE = 0.15
SERVED_SECONDS = 0.2
processes = multiprocessing.get_context("spawn")


def attack(settings: Settings, name: str, seconds: float, ready: Event, begin: Event, sent: Synchronized) -> None:
    """In a process of its own, which gives way to the server and to the honest devices."""
    os.nice(15)
    sys.stderr = open(os.devnull, "w")  # its threads complain of what the server cuts
    ready.set()
    begin.wait()
    target = Target(settings, time.monotonic() + seconds, random.Random(f"{settings.seed} {name}"), sent)
    ATTACKS[name](target)
    os._exit(0)  # whatever its threads still wait for


class Run:
    def __init__(self, server: Server, seed: int, times: float) -> None:
        self.server, self.times = server, times
        tokens = tuple(server.token(user) for user in ("honest", *(f"mallory-{n}" for n in range(4))))
        self._honest_settings = Settings("127.0.0.1", server.port, server.authority, server.database, tokens[:1], seed)
        self._settings = Settings("127.0.0.1", server.port, server.authority, server.database, tokens[1:], seed)
        self._log_offset = 0
        self._calm_waits: list[float] = []
        self.rows: list[Row] = []
        self.troubles: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self.server.start()
        self._samples = processes.Queue()
        self._honest = processes.Process(target=honest.run, args=(self._honest_settings, self._samples), daemon=True)
        self._honest.start()
        self._gauge = Gauge(self._honest_settings, self.server.process_id)
        first, error = self._waits(self._samples.get(timeout=60))
        if error:
            raise RuntimeError(f"the honest devices cannot begin: {error}")
        # Caches fill and the first pages are taken: what stands after some calm is what it needs at rest.
        self._collect(time.monotonic() + 2 * CALM_SECONDS)
        cpu = self._cpu()
        self._calm(CALM_SECONDS)
        self.cpu_at_rest = (self._cpu() - cpu) / CALM_SECONDS
        self._gauge.take()
        self.memory_at_rest = memory_mebibytes(self.server.process_id)

    def end(self) -> None:
        self._gauge.end()
        self._honest.kill()
        self._honest.join()

    # One attack

    def attack(self, name: str, seconds: float) -> Row:
        sent, ready, begin = processes.Value("q", 0), processes.Event(), processes.Event()
        arguments = (self._settings, name, seconds, ready, begin, sent)
        process = processes.Process(target=attack, args=arguments, daemon=True)
        process.start()
        ready.wait(START_SECONDS)
        self._calm(CALM_SECONDS)
        self._gauge.take()
        memory_before = memory_mebibytes(self.server.process_id)
        cpu, began = cpu_seconds(self.server.process_id), time.monotonic()
        begin.set()
        waits, troubles = self._collect(began + seconds)
        process.join(2)
        process.kill()
        process.join()
        cpu_percent = 100 * (self._cpu() - cpu) / (time.monotonic() - began)
        late, late_troubles = self._until_served()
        memory, health = self._gauge.take()
        row = Row(
            name,
            sent.value,
            cpu_percent,
            percentile(waits + late, 0.99) * 1000,
            percentile(self._calm_waits, 0.99) * 1000,
            memory,
            health,
            troubles + late_troubles + self._log_troubles(),
        )
        row.judge(memory_before, self.times)
        print(line(row), flush=True)
        if not self.server.is_running or not self._honest.is_alive() or late_troubles:
            # What comes next is measured on a server of its own.
            self.end()
            self.server.end()
            self._begin()
        return row

    def attack_all(self, names: list[str], seconds: float) -> None:
        self.rows = [self.attack(name, seconds) for name in names]
        for index, row in enumerate(self.rows):
            if row.troubles:
                self.rows[index] = self.attack(row.name, seconds)

    def _cpu(self) -> float:
        try:
            return cpu_seconds(self.server.process_id)
        except OSError:
            return 0.0

    def _collect(self, until: float) -> tuple[list[float], list[str]]:
        waits: list[float] = []
        while self.server.is_running:
            try:
                wait, error = self._waits(self._samples.get(timeout=max(0.0, until - time.monotonic())))
            except queue.Empty:
                return waits, []
            if error:
                return waits, [error]
            waits.append(wait)
        return waits, ["the server has died"]

    @staticmethod
    def _waits(sample: tuple) -> tuple[float, str]:
        _, wait, error = sample
        return wait or 0.0, error and f"the honest devices are cut off: {error}"

    def _calm(self, seconds: float) -> None:
        self._calm_waits += self._collect(time.monotonic() + seconds)[0]

    def _until_served(self) -> tuple[list[float], list[str]]:
        """What is still felt of an attack: until the server works no more than before it, and serves at once again."""
        waits: list[float] = []
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            cpu, began = self._cpu(), time.monotonic()
            more, troubles = self._collect(began + LOOK_SECONDS)
            waits += more
            if troubles:
                return waits, troubles
            is_idle = (self._cpu() - cpu) / (time.monotonic() - began) < self.cpu_at_rest + IDLE_SHARE
            if more and max(more[-3:]) < SERVED_SECONDS and is_idle:
                return waits, []
        return waits, [f"still felt {PATIENCE_SECONDS} s later"]

    def _log_troubles(self) -> list[str]:
        """What a log must not hold, whoever sends what: errors, tokens, and more than somebody can read."""
        with self.server.log.open("rb") as log:
            log.seek(self._log_offset)
            text = log.read()
        self._log_offset += len(text)
        troubles = []
        found = re.search(rb"^.* (error|critical) sync-server.*$|^.*(Fatal error|Crash|\*\*\*).*$", text, re.MULTILINE)
        if found:
            troubles.append(f"the log says: {found.group(0).decode(errors='replace')[:200]}")
        if any(token.encode() in text for token in self._settings.tokens):
            troubles.append("the log holds a token")
        if len(text) > 1 << 20:
            troubles.append(f"{len(text) >> 10} KiB of log")
        return troubles

    # The end

    def rest(self) -> None:
        """What was taken must come back when nobody attacks any more."""
        deadline = time.monotonic() + REST_SECONDS
        while time.monotonic() < deadline:
            self._collect(time.monotonic() + 1)
            left = memory_mebibytes(self.server.process_id) - self.memory_at_rest
            if left <= self.times * REST_MEBIBYTES:
                break
        else:
            self.troubles.append(f"{left:.0f} MiB are still taken {REST_SECONDS} s after the last attack")
        print(f"at rest: {self.memory_at_rest:.0f} MiB before the attacks, {left:+.0f} MiB after them")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=float)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--wider", type=float, default=1, help="bounds so many times as wide, for a slow machine")
    parser.add_argument("--server", type=Path, required=True, help="the program sync-server")
    parser.add_argument("--only", help="attacks whose names hold this, or one of these, with commas between")
    parser.add_argument("--keep", type=Path, help="keeps the server's folder there")
    arguments = parser.parse_args()
    words = (arguments.only or "").split(",")
    unnamed = () if arguments.only else {attack.__name__ for attack in BEYOND}
    names = [name for name in ATTACKS if name not in unnamed and any(word in name for word in words)]
    random.Random(arguments.seed).shuffle(names)
    seconds = max(0.5, arguments.minutes * 60 / len(names) - CALM_SECONDS - 1)
    print(f"abuse: {len(names)} attacks of {seconds:.1f} s, seed {arguments.seed}\n{HEAD}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.server.resolve(), arguments.keep or Path(folder), settings=ACCOUNTS)
        run = Run(server, arguments.seed, arguments.wider)
        try:
            run.attack_all(names, seconds)
            run.rest()
        finally:
            run.end()
            status = server.end()
        if status != 0:
            run.troubles.append(f"the server ended with status {status}")
    for trouble in run.troubles:
        print(trouble)
    failed = [row for row in run.rows if row.troubles]
    print(f"abuse: {len(run.rows) - len(failed)} attacks within the bounds, {len(failed)} beyond")
    if failed or run.troubles:
        print(f"again: deploy/test --abuse {arguments.minutes:g} --seed {arguments.seed}")
    return 1 if failed or run.troubles else 0


if __name__ == "__main__":
    sys.exit(main())
