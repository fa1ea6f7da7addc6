"""A device that keeps what it is sent in memory, and sends what it is told to write.

It goes on with a change that was cut, sends again what a restored server has lost, and notices that it is a copy.
What it writes shows when it is acknowledged. An app's device shows it at once, replays what is pending over what comes,
keeps all of it in a file, and merges its own edits of lists, sets, maps and texts, which this one leaves to others.
"""

import secrets
import threading
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from itertools import groupby

from .changesets import Add, Changeset, Create, Delete, Operation, Set
from .connection import Connection
from .digests import Digester, answer, read_question
from .edits import DoesNotFit, follow
from .envelopes import pb
from .objects import Changes, ObjectsReader, ObjectState, Refusal
from .schema import Kind, Schema, schema_envelope
from .session import Session
from .values import Key, Stamp


class SessionEnded(Exception):
    """The server ended the session, and said why."""

    def __init__(self, failure) -> None:
        super().__init__(f"{failure.code} {failure.message}")
        self.code: int = failure.code


class CopiedFile(Exception):
    """Somebody else writes under this client's name: `begin_again` takes a new one."""


class Device:
    def __init__(self, connection: Connection, database: str, token: str, schema: Schema) -> None:
        self.session = Session(connection, database, token)
        self.schema = schema
        # Drawn once for each file, and never zero: ids and stamps are made with it.
        self.client = secrets.randbits(64) or 1
        # From version 2 on, changed lists, sets, maps and texts come as what happened to them.
        self.protocol_highest = 2
        # Before it was found to be a copy.
        self.predecessor = 0
        # Drawn once for each opening of the file.
        self.opening = secrets.randbits(64) or 1
        # Which opening made a changeset, and on versions of which run of the server.
        self.made: dict[int, tuple[int, int]] = {}
        self.sequence = 0
        self.entry = 0
        # What it has sent and nobody has acknowledged, by number.
        self.pending: dict[int, Changeset] = {}
        # What was acknowledged, if it keeps that for a server which is restored from an older copy.
        self.keeps_acknowledged = False
        self.kept: dict[int, Changeset] = {}
        # Parts of a change that was cut, those of each session with how far they led.
        self.staged: list[tuple[object, list[Changes]]] = []
        self.checkpoint = pb.Checkpoint()
        self.held = pb.QuerySet()
        self.wanted = pb.QuerySet()
        self.objects: dict[tuple[str, Key], ObjectState] = {}
        self.refusals: list[Refusal] = []
        self.refused_queries: list = []
        self.questions_answered = 0
        self.changes_followed = 0
        self.heartbeats = 0
        # What the download has brought since the last credit, and whether credit is given for it.
        self.consumed = 0
        self.give_credit = True
        self.welcome = pb.Welcome()
        self.ended: Exception | None = None
        self.changed = threading.Condition()
        self.on_change: Callable[[Changes], None] | None = None
        self._marks_seen: set[int] = set()
        self._next_mark = 0
        self._last_time = 0
        self._clock_ahead_milliseconds = 0
        self._reading: threading.Thread | None = None

    # A session

    def connect(self) -> None:
        """Says hello from the checkpoint and reads the download from there on."""
        asked = milliseconds()
        self.welcome = self.session.hello(self.hello())
        if self.welcome.copied or self._is_of_another(self.welcome):
            raise CopiedFile
        if self.welcome.committed < self.checkpoint.acknowledged:
            # What the server has lost is pending again, and the view is told anew.
            self._take_back(self.welcome.committed)
            self.welcome = self.session.hello(self.hello())
        if not self.welcome.resumes:
            self.staged = []
        self._clock_ahead_milliseconds = max(0, self.welcome.server_time - milliseconds()) or min(
            0, self.welcome.server_time - asked
        )
        # A server that has gone over numbers of this client expects the next one behind them.
        self.sequence = max(self.sequence, self.welcome.committed)
        self.entry = max(self.entry, self.welcome.ingested)
        self.ended = None
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def hello(self):
        staged = pb.Staged(reached=self.staged[-1][0], queries=self.wanted) if self.staged else None
        return pb.Hello(
            client=self.client,
            predecessor=self.predecessor,
            opening=self.opening,
            staged=staged,
            protocol_lowest=1,
            protocol_highest=self.protocol_highest,
            schema=schema_envelope(self.schema),
            checkpoint=self.checkpoint,
            held=self.held,
            wanted=self.wanted,
            oldest=min(self.kept, default=self.checkpoint.acknowledged + 1),
            oldest_one_way=self.entry + 1,
        )

    def reopened(self) -> "Device":
        """The file as another program opens it, or its copy: with all that it holds, and an opening of its own."""
        twin = Device(self.session.connection, self.session.database, self.session.token, self.schema)
        twin.client, twin.sequence, twin.entry = self.client, self.sequence, self.entry
        twin.predecessor, twin.made = self.predecessor, dict(self.made)
        twin.pending, twin.kept, twin.keeps_acknowledged = dict(self.pending), dict(self.kept), self.keeps_acknowledged
        for mine, its in ((self.checkpoint, twin.checkpoint), (self.held, twin.held), (self.wanted, twin.wanted)):
            its.CopyFrom(mine)
        twin.objects = deepcopy(self.objects)
        return twin

    def begin_again(self) -> None:
        """PROTOCOL.md, "Copied files": what is not on the server is sent as a new client, from one on."""
        common = self._common_end(self.welcome)
        later = [self.pending[number] for number in sorted(self.pending) if number > common]
        for number in sorted(number for number in self.pending if number <= common):
            self._join(self.pending[number])
        self.predecessor, self.client = self.client, secrets.randbits(64) or 1
        self.pending = {
            number: replace(one, client=self.client, sequence=number, stamp=Stamp(one.stamp.time, self.client))
            for number, one in enumerate(later, 1)
        }
        self.made = {number: (self.opening, self.checkpoint.incarnation) for number in self.pending}
        self.sequence, self.entry, self.kept, self.staged = len(later), 0, {}, []
        self.checkpoint.acknowledged = 0
        self.checkpoint.opening = 0
        # Names no schema, so that the view is compared.
        self.checkpoint.schema = (1 << 64) - 1

    def send_pending(self) -> None:
        """Everything that was not acknowledged, in order; what was made on another run of the server, apart."""
        waiting = [number for number in sorted(self.pending) if number > self.welcome.committed]
        for (opening, run), numbers in groupby(waiting, key=lambda number: self.made[number]):
            answered = self.session.upload([self.pending[number] for number in numbers], opening, run)
            if answered.HasField("failure"):
                raise SessionEnded(answered.failure)

    # Copies, and servers that were restored

    def _is_of_another(self, welcome) -> bool:
        """Whether the server has from another opening what this file has from its own, or does not have at all."""
        if welcome.committed > self.sequence and self.made and not welcome.skipped:
            return True
        theirs = _opening(welcome.openings, welcome.opening_firsts, welcome.committed)
        mine, _ = self.made.get(welcome.committed, (0, 0))
        return bool(theirs and mine and theirs != mine)

    def _common_end(self, welcome) -> int:
        """Up to where this file and the other one have the same: the end of the newest opening that both name, or the
        last acknowledgement."""
        common = self.checkpoint.acknowledged
        for number in range(1, min(self.sequence, welcome.committed) + 1):
            if _opening(welcome.openings, welcome.opening_firsts, number) == self.made.get(number, (0, 0))[0]:
                common = max(common, number)
        return common

    def _take_back(self, committed: int) -> None:
        for number in [number for number in self.kept if number > committed]:
            self.pending[number] = self.kept.pop(number)
        epoch = self.checkpoint.epoch
        self.checkpoint = pb.Checkpoint(epoch=epoch, acknowledged=committed)
        self.held, self.staged = pb.QuerySet(), []

    def subscribe(self, *queries: tuple[str, str]) -> None:
        """Wants these queries from now on, instead of those before. The first set has the number 1."""
        self.wanted = pb.QuerySet(
            version=self.wanted.version + 1,
            queries=[pb.Query(class_name=class_name, predicate=predicate) for class_name, predicate in queries],
        )
        if self._reading and not self.ended:
            self.session.subscriptions(self.wanted)

    def wait(self, holds: Callable[[], bool], seconds: float = 30) -> None:
        with self.changed:
            self.changed.wait_for(lambda: holds() or self.ended, seconds)
            if self.ended and not holds():
                raise self.ended
            if not holds():
                raise TimeoutError(f"not within {seconds} seconds")

    def wait_for_end(self, seconds: float = 30) -> None:
        """Returns when the download is over."""
        if self._reading:
            self._reading.join(seconds)
        assert self.ended, f"the session did not end within {seconds} seconds"

    def catch_up(self, seconds: float = 30) -> None:
        """Returns when everything that was committed before is here."""
        self._next_mark += 1
        mark = self._next_mark
        self.session.mark(mark)
        self.wait(lambda: mark in self._marks_seen, seconds)

    # What it writes

    def write(self, *operations: Operation, upload: bool = True) -> Changeset:
        self.sequence += 1
        changeset = Changeset(
            self.client, self.sequence, list(operations), Stamp(self._time(), self.client), self.checkpoint.version
        )
        self.pending[self.sequence] = changeset
        self.made[self.sequence] = self.opening, self.checkpoint.incarnation
        if upload:
            answered = self.session.upload([changeset], *self.made[self.sequence])
            if answered.HasField("failure"):
                raise SessionEnded(answered.failure)
        return changeset

    def send_one_way(self, *operations: Operation) -> int:
        self.entry += 1
        return self.session.ingest(self.client, [Changeset(self.client, self.entry, list(operations))], self.opening)

    def _time(self) -> int:
        """Later than every one before, also when the clock is set back."""
        wall = (milliseconds() + self._clock_ahead_milliseconds) << 16
        self._last_time = max(wall, self._last_time + 1)
        return self._last_time

    # What it reads

    def _read(self) -> None:
        parts: list[Changes] = []
        earlier = list(self.staged)
        self.consumed = 0
        try:
            for message, body, wire_bytes in self.session.download():
                kind = message.WhichOneof("kind")
                if kind == "changes":
                    parts.append(ObjectsReader(body).read())
                    if message.changes.HasField("checkpoint"):
                        self._apply_all(earlier, parts, message.changes.checkpoint)
                        parts, earlier = [], []
                    elif message.changes.HasField("resume"):
                        # Those of this session so far; what it brings beyond the last point would come again.
                        self.staged = [*earlier, (message.changes.resume, list(parts))]
                elif kind == "end":
                    raise SessionEnded(message.end)
                else:
                    self._take(kind, message, body)
                with self.changed:
                    self.consumed += wire_bytes
                    self.changed.notify_all()
                if self.give_credit and self.consumed >= self.welcome.limits.credit_bytes // 4:
                    self.session.credit(self.consumed)
                    self.consumed = 0
            raise ConnectionError("the download ended without a word")
        except Exception as error:  # whoever waits hears of it
            with self.changed:
                self.ended = error
                self.changed.notify_all()

    def _take(self, kind: str, message, body: bytes) -> None:
        if kind == "digests_wanted":
            digester = Digester(message.digests_wanted.seed, self.schema, self.objects)
            kinds = {one.name: one.kind for one in self.schema}
            top = [one for one in self.objects.values() if kinds.get(one.class_name) == Kind.OBJECT]
            self.session.resync(message.digests_wanted.number, answer(read_question(body), digester, top))
        with self.changed:
            if kind == "mark":
                self._marks_seen.add(message.mark.mark)
            elif kind == "heartbeat":
                self.heartbeats += 1
            elif kind == "queries_refused":
                self.refused_queries.append(message.queries_refused)
            elif kind == "digests_wanted":
                self.questions_answered += 1
            self.changed.notify_all()

    def _apply_all(self, earlier: list[tuple[object, list[Changes]]], parts: list[Changes], checkpoint) -> None:
        """What was staged by the sessions before leads to the checkpoint of its last point, and shows with the rest."""
        mine = self.made.get(checkpoint.acknowledged, (0, 0))[0]
        if checkpoint.opening and checkpoint.opening != mine:
            raise CopiedFile
        with self.changed:
            before = deepcopy(self.objects)
            try:
                for point, of_session in earlier:
                    self._apply(of_session, point.checkpoint)
                self._apply(parts, checkpoint)
            except DoesNotFit:
                # Nothing of it shows. The next hello names no schema, so that the view is compared.
                self.objects, self.staged = before, []
                self.checkpoint.schema = (1 << 64) - 1
                raise
            self.staged = []

    def _apply(self, parts: list[Changes], checkpoint) -> None:
        """A change shows at once, when its last part has come: with it the checkpoint."""
        with self.changed:
            # Nobody tells a device what it wrote itself, but for what came of it otherwise: that follows.
            for sequence in sorted(one for one in self.pending if one <= checkpoint.acknowledged):
                if self.keeps_acknowledged:
                    self.kept[sequence] = self.pending[sequence]
                self._join(self.pending.pop(sequence))
            for part in parts:
                for one in part.entered:
                    self.objects[one.class_name, one.key] = one
                for one in part.updated:
                    if one.changes and (one.class_name, one.key) not in self.objects:
                        raise DoesNotFit("an object that is not here")
                    known = self.objects.setdefault((one.class_name, one.key), one)
                    known.life, known.born = one.life, one.born
                    known.values |= one.values
                    known.collections |= one.collections
                    for name, change in one.changes.items():
                        known.collections[name] = follow(known.collections.get(name), change)
                        self.changes_followed += 1
                gone = [(one.class_name, one.key) for one in part.left] + [one[:2] for one in part.deleted]
                for name in gone:
                    self.objects.pop(name, None)
                self.refusals += part.refused
            self.checkpoint.CopyFrom(checkpoint)
            if checkpoint.query_set == self.wanted.version:
                self.held.CopyFrom(self.wanted)
            if self.on_change:
                for part in parts:
                    self.on_change(part)
            self.changed.notify_all()

    def _join(self, changeset: Changeset) -> None:
        for operation in changeset.operations:
            name = operation.class_name, operation.key
            known = self.objects.get(name)
            match operation:
                case Create(life=life) if not known or known.life < life:
                    values = {one.name: one.value for one in operation.fields}
                    self.objects[name] = ObjectState(*name, life, changeset.stamp, values)
                case Set() if known:
                    known.values[operation.field.name] = operation.field.value
                case Add() if known:
                    count = known.values.get(operation.counter)
                    known.values[operation.counter] = operation.amount + (count if isinstance(count, int) else 0)
                case Delete(life=life) if known and known.life < life:
                    del self.objects[name]


def _opening(openings, firsts, number: int) -> int:
    """Which one made that number; zero where nobody says."""
    return next((one for one, first in reversed(list(zip(openings, firsts))) if first <= number), 0)


def milliseconds() -> int:
    return time.time_ns() // 1_000_000
