"""A daemon, honest devices on it, and one moment of attacks after the other."""

import multiprocessing
import os
import queue
import random
import sys
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from pathlib import Path

from causeway_client.server import Server

from . import honest
from .gauge import Gauge, cpu_seconds, memory_mebibytes
from .log import Log
from .report import REST_MEBIBYTES, Row, Trouble, line, percentile
from .target import RULES, Settings, Target

GUARDED_DATABASE = "guarded"
CALM_SECONDS = 1.0
# So long the process of an attack may take to be there.
START_SECONDS = 60
# So long an attack may be felt before it is told that it still is.
PATIENCE_SECONDS = 60
# So long what it took may stay taken.
REST_SECONDS = 30
# How often it is looked whether an attack is still felt; what of a processor the server may use more than at rest, and
# how soon the honest devices are served, when it is not.
LOOK_SECONDS = 0.5
IDLE_SHARE = 0.15
SERVED_SECONDS = 0.2
Attack = Callable[[Target], None]
processes = multiprocessing.get_context("spawn")


def make_server(program: Path, folder: Path) -> Server:
    """With accounts whose messages go to a file, and with a second database that has rules.

    Attackers and honest devices have one address, whose limits would hit all of them alike: they are out of the way.
    The attackers' users are limited as by default.
    """
    folder = folder.resolve()
    messages = f"[/bin/sh, -c, 'cat >> \"$0\"; echo >> \"$0\"', \"{folder / 'messages'}\"]"
    accounts = (
        "accounts: {enabled: true, anonymous: true, emailPassword: true, userAPIKeys: true, passwordReset: message, "
        f"program: {messages}}}"
    )
    guarded = f"{{name: {GUARDED_DATABASE}, folder: guarded-data, permissions: {RULES}}}"
    limits = (
        "limits: {requestsPerSecondOfAddress: 1000000, handshakes: 100000, handshakesOfAddress: 100000, "
        "accountsPerHourOfAddress: 1000000}"
    )
    return Server(program.resolve(), folder, settings=f"{accounts}\n{limits}", more_databases=guarded)


def make_attack(
    settings: Settings, attack: Attack, seconds: float, ready: Event, begin: Event, sent: Synchronized
) -> None:
    """In a process of its own, which gives way to the server and to the honest devices."""
    os.nice(15)
    sys.stderr = open(os.devnull, "w")  # its threads complain of what the server cuts
    ready.set()
    begin.wait()
    attack(Target(settings, time.monotonic() + seconds, random.Random(f"{settings.seed} {attack.__name__}"), sent))
    os._exit(0)  # whatever its threads still wait for


class Run:
    def __init__(
        self,
        server: Server,
        seed: int,
        wider: float,
        more_memory: float,
        guarded: set[str],
        attacks: dict[str, Attack],
    ) -> None:
        self.server, self.wider, self.more_memory = server, wider, more_memory
        self._rest_mebibytes = more_memory * REST_MEBIBYTES
        self._guarded_attacks, self._attacks = guarded, attacks
        tokens = tuple(server.token(user) for user in ("honest", *(f"mallory-{n}" for n in range(4))))
        where = ("127.0.0.1", server.port, server.authority, server.database, GUARDED_DATABASE)
        files = (str(server.folder / "secrets"), str(server.folder / "messages"))
        self._honest_settings = Settings(*where, tokens[:1], seed)
        self._settings = Settings(*where, tokens[1:], seed, *files)
        self._log = Log(server.log, tokens, *map(Path, files))
        self._places = processes.Value("i", honest.OPEN)
        self._calm_waits: list[float] = []
        # Of the first server, when it was new.
        self._base_mebibytes: float | None = None
        self.rows: list[Row] = []
        self.repeated: list[str] = []
        self.troubles: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self.server.start()
        self._samples = processes.Queue()
        arguments = (self._honest_settings, self._samples, self._places)
        self._honest = processes.Process(target=honest.run, args=arguments, daemon=True)
        self._honest.start()
        self._gauge = Gauge(self._honest_settings, self.server.process_id)
        first, error = self._waits(self._samples.get(timeout=60))
        if error:
            raise RuntimeError(f"the honest devices cannot begin: {error}")
        # Caches fill and the first pages are taken: what stands after some calm is what it needs at rest.
        self._collect(time.monotonic() + 2 * CALM_SECONDS)
        cpu = self._cpu()
        self._calm(CALM_SECONDS)
        self._cpu_at_rest = (self._cpu() - cpu) / CALM_SECONDS
        self._gauge.take()
        if not self.server.is_running:
            raise RuntimeError("the server has died before anybody attacked it")
        memory = memory_mebibytes(self.server.process_id)
        if self._base_mebibytes is None:
            self._base_mebibytes = memory
            print(f"at rest: {memory:.0f} MiB", flush=True)
        else:
            # What a new server needs more than the first did, it needs for the database that has grown meanwhile.
            more = memory - self._base_mebibytes
            print(f"a new server: {more:+.0f} MiB at rest with {self._stored()}", flush=True)

    def end(self) -> list[str]:
        """What is wrong with how the server ended, and with the last of its log."""
        self._gauge.end()
        self._honest.kill()
        self._honest.join()
        status = self.server.end()
        return ([f"the server ended with status {status}"] if status else []) + self._log.troubles()

    def _stored(self) -> str:
        folders = [self.server.folder / name for name in ("data", "guarded-data")]
        sizes = [file.stat().st_size for folder in folders for file in folder.rglob("*") if file.is_file()]
        return f"{sum(sizes) >> 20} MiB of databases"

    # Moments

    def make_all(self, moments: list[tuple[str, ...]], seconds: float) -> None:
        self.rows = [self._moment(names, seconds) for names in moments]
        again = [row for row in self.rows if row.is_by_chance]
        if again:
            print("once more:", flush=True)
        for row in again:
            self.repeated.append(row.name)
            row.troubles = self._moment(tuple(row.sent), seconds).troubles

    def _moment(self, names: tuple[str, ...], seconds: float) -> Row:
        places = {honest.GUARDED if name in self._guarded_attacks else honest.OPEN for name in names}
        self._places.value = sum(places)
        sent = {name: processes.Value("q", 0) for name in names}
        begin = processes.Event()
        attackers = [self._attacker(name, seconds, begin, sent[name]) for name in names]
        self._calm(CALM_SECONDS)
        self._gauge.take()
        cpu, began = self._cpu(), time.monotonic()
        begin.set()
        waits, troubles = self._collect(began + seconds)
        for process in attackers:
            process.join(max(0.0, began + seconds + 2 - time.monotonic()))
            process.kill()
            process.join()
        cpu_percent = 100 * max(0.0, self._cpu() - cpu) / (time.monotonic() - began)
        late, late_troubles = self._until_served() if not troubles else ([], [])
        memory, health = self._gauge.take()
        assert self._base_mebibytes is not None
        row = Row(
            {name: count.value for name, count in sent.items()},
            cpu_percent,
            percentile(waits + late, 0.99) * 1000,
            percentile(self._calm_waits, 0.99) * 1000,
            memory - self._base_mebibytes,
            health,
            troubles + late_troubles,
        )
        row.troubles += map(Trouble, self._log.troubles())
        row.judge(self.wider, self.more_memory)
        must_begin_anew = bool(troubles or late_troubles) or not self._honest.is_alive()
        if must_begin_anew:
            # What comes next is measured on a server of its own.
            row.troubles += map(Trouble, self.end())
        print(line(row), flush=True)
        if must_begin_anew:
            self._begin()
        return row

    def _attacker(self, name: str, seconds: float, begin: Event, sent: Synchronized) -> BaseProcess:
        ready = processes.Event()
        arguments = (self._settings, self._attacks[name], seconds, ready, begin, sent)
        process = processes.Process(target=make_attack, args=arguments, daemon=True)
        process.start()
        ready.wait(START_SECONDS)
        return process

    def _cpu(self) -> float:
        try:
            return cpu_seconds(self.server.process_id)
        except OSError:
            return 0.0

    def _collect(self, until: float) -> tuple[list[float], list[Trouble]]:
        waits: list[float] = []
        while self.server.is_running:
            try:
                wait, error = self._waits(self._samples.get(timeout=max(0.0, until - time.monotonic())))
            except queue.Empty:
                return waits, []
            if error and self.server.is_running:
                return waits, [Trouble(error)]
            waits.append(wait)
        return waits, [Trouble("the server has died")]

    @staticmethod
    def _waits(sample: tuple) -> tuple[float, str]:
        _, wait, error = sample
        return wait or 0.0, error and f"the honest devices are cut off: {error}"

    def _calm(self, seconds: float) -> None:
        self._calm_waits += self._collect(time.monotonic() + seconds)[0]

    def _until_served(self) -> tuple[list[float], list[Trouble]]:
        """What is still felt of an attack: until the server works no more than before it, serves at once again, and
        has given back what it took."""
        waits: list[float] = []
        began = time.monotonic()
        while True:
            cpu, looked = self._cpu(), time.monotonic()
            more, troubles = self._collect(looked + LOOK_SECONDS)
            waits += more
            if troubles:
                return waits, troubles
            is_idle = (self._cpu() - cpu) / (time.monotonic() - looked) < self._cpu_at_rest + IDLE_SHARE
            is_served = bool(more) and max(more[-3:]) < SERVED_SECONDS and is_idle
            left = self._taken()
            waited = time.monotonic() - began
            if is_served and left <= self._rest_mebibytes:
                return waits, []
            if is_served and waited > REST_SECONDS:
                return waits, [Trouble(f"{left:.0f} MiB still taken {waited:.0f} s later", may_be_chance=True)]
            if waited > PATIENCE_SECONDS * self.wider:
                return waits, [Trouble(f"still felt {waited:.0f} s later")]

    def _taken(self) -> float:
        """Beside what the first server had when it was new."""
        try:
            return memory_mebibytes(self.server.process_id) - (self._base_mebibytes or 0)
        except (OSError, RuntimeError):
            return 0.0

    # The end

    def finish(self) -> None:
        """What was taken must be back when nobody attacks any more, and the server must end as it should."""
        deadline = time.monotonic() + REST_SECONDS
        while self._taken() > self._rest_mebibytes and time.monotonic() < deadline:
            self._collect(time.monotonic() + 1)
        left = self._taken()
        print(f"at rest: {left:+.0f} MiB after the attacks", flush=True)
        if left > self._rest_mebibytes:
            self.troubles.append(f"{left:.0f} MiB are still taken {REST_SECONDS} s after the last attack")
        self.troubles += self.end()
        self.troubles += self.server.verify()
        # What a new server needs for the same databases is theirs, no trace of the attacks: told, and not taken off.
        self._begin()
        self.troubles += self.end()
        print(f"log: {self._log.count} secrets looked for")
