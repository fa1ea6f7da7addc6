"""PROTOCOL.md, "Objects in a message of changes"."""

from dataclasses import dataclass, field

from .columns import read_column, read_keys
from .edits import Change, ChangeReader
from .parts import Malformed, Reader
from .states import EDITS_MARK, State, read_state
from .values import Key, Stamp, Value

CELLS_MAX = 4_194_304


@dataclass
class ObjectState:
    class_name: str
    key: Key
    life: int
    born: Stamp
    values: dict[str, Value] = field(default_factory=dict)
    collections: dict[str, State] = field(default_factory=dict)
    # What happened to others, in an object that is updated.
    changes: dict[str, Change] = field(default_factory=dict)


@dataclass(frozen=True)
class Left:
    class_name: str
    key: Key
    reason: int


@dataclass(frozen=True)
class Refusal:
    changeset: int
    operation: int
    code: int
    reason: str


@dataclass
class Changes:
    """The body of one message. The order of its runs says nothing but that an object comes before what links to it."""

    entered: list[ObjectState] = field(default_factory=list)
    updated: list[ObjectState] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    deleted: list[tuple[str, Key, int]] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)


class ObjectsReader:
    def __init__(self, body: bytes) -> None:
        self._reader = Reader(body)
        self._names: list[str] = []
        self._stamps: list[Stamp] = []
        self._cells = 0

    def read(self) -> Changes:
        reader, changes = self._reader, Changes()
        if (version := reader.byte()) not in (1, 2):
            raise Malformed(f"objects of version {version}")
        clients = [reader.fixed64() for _ in range(reader.varint())]
        count = reader.varint()
        numbers = reader.integers(count)
        times = reader.integers(count)
        self._stamps = [Stamp(time % (1 << 64), clients[number]) for number, time in zip(numbers, times)]
        while kind := reader.byte():
            match kind:
                case 1:
                    changes.entered += self._objects()
                case 2:
                    changes.updated += self._objects(may_change=version > 1)
                case 3:
                    class_name, reason, count = self._name(), reader.byte(), reader.varint()
                    self._count(count, 1)
                    changes.left += [Left(class_name, key, reason) for key in read_keys(reader, count)]
                case 4:
                    class_name, count = self._name(), reader.varint()
                    self._count(count, 2)
                    keys = read_keys(reader, count)
                    lives = reader.integers(count)
                    changes.deleted += [(class_name, key, life) for key, life in zip(keys, lives)]
                case 5:
                    for _ in range(reader.varint()):
                        changes.refused.append(
                            Refusal(reader.varint(), reader.varint(), reader.varint(), reader.text())
                        )
                case _:
                    raise Malformed(f"{kind} is no kind of change")
        reader.finish()
        return changes

    def _objects(self, may_change: bool = False) -> list[ObjectState]:
        reader = self._reader
        class_name = self._name()
        properties = [self._name() for _ in range(reader.varint())]
        collections = [self._name() for _ in range(reader.varint())]
        count = reader.varint()
        self._count(count, len(properties) + len(collections) + 3)
        keys = read_keys(reader, count)
        lives = reader.integers(count)
        born = reader.integers(count)
        objects = [
            ObjectState(class_name, key, life, self._stamps[number]) for key, life, number in zip(keys, lives, born)
        ]
        for name in properties:
            self._stamps_of_property(count)
            if reader.byte() == 2:
                reader.integers(count)
            for one, value in zip(objects, read_column(reader, count)):
                one.values[name] = value
        for name in collections:
            for one in objects:
                start = reader.offset
                mark, reader.offset = reader.varint(), start
                if may_change and mark == EDITS_MARK:
                    one.changes[name] = ChangeReader(reader, self._stamps).read()
                else:
                    one.collections[name] = read_state(reader)
        return objects

    def _stamps_of_property(self, count: int) -> None:
        """This client does not merge, so it only passes over them."""
        match self._reader.byte():
            case 0:
                pass
            case 1:
                self._reader.varint()
            case 2:
                self._reader.integers(count)
            case form:
                raise Malformed(f"{form} is no form of stamps")

    def _name(self) -> str:
        number = self._reader.varint()
        if number == len(self._names):
            self._names.append(self._reader.text())
        return self._names[number]

    def _count(self, objects: int, cells_each: int) -> None:
        self._cells += objects * cells_each
        if self._cells > CELLS_MAX:
            raise Malformed(f"more than {CELLS_MAX} values in one message")
