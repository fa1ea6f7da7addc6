"""ENCODING.md, section 3: what the transactions of a device did."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Union

from .columns import write_column, write_keys
from .parts import Writer, wrapped
from .values import ElementId, Key, Stamp, Value, write_key, write_value

RUN_OBJECTS_MAX = 16_384


@dataclass(frozen=True)
class Field:
    name: str
    value: Value
    is_default: bool = False


@dataclass(frozen=True)
class Create:
    class_name: str
    key: Key
    fields: tuple[Field, ...] = ()
    life: int = 1


@dataclass(frozen=True)
class Set:
    class_name: str
    key: Key
    field: Field


@dataclass(frozen=True)
class Delete:
    class_name: str
    key: Key
    life: int = 2


@dataclass(frozen=True)
class Add:
    class_name: str
    key: Key
    counter: str
    amount: int


@dataclass(frozen=True)
class ListInsert:
    """Between two positions: `left` is the visible one before, `right` what follows it in the whole order."""

    class_name: str
    key: Key
    property: str
    id: ElementId
    value: Value
    left: ElementId | None = None
    right: ElementId | None = None


@dataclass(frozen=True)
class ListDelete:
    class_name: str
    key: Key
    property: str
    id: ElementId


@dataclass(frozen=True)
class ListMove:
    """Of an element to a new position, between two as an insert's."""

    class_name: str
    key: Key
    property: str
    id: ElementId
    element: ElementId
    left: ElementId | None = None
    right: ElementId | None = None


@dataclass(frozen=True)
class ListSet:
    class_name: str
    key: Key
    property: str
    id: ElementId
    value: Value


@dataclass(frozen=True)
class ListClear:
    """Of the elements that its writer saw; what others insert meanwhile stays."""

    class_name: str
    key: Key
    property: str
    ids: tuple[ElementId, ...]


@dataclass(frozen=True)
class Put:
    """Into a map under a key; an element of a set is a key without a value."""

    class_name: str
    key: Key
    property: str
    entry: Value
    value: Value = None


@dataclass(frozen=True)
class Remove:
    class_name: str
    key: Key
    property: str
    entry: Value


@dataclass(frozen=True)
class TextInsert:
    """Each scalar has an id: that of the first, and the counters that follow."""

    class_name: str
    key: Key
    property: str
    id: ElementId
    text: str
    left: ElementId | None = None
    right: ElementId | None = None


@dataclass(frozen=True)
class TextDelete:
    """So many scalars whose ids follow each other."""

    class_name: str
    key: Key
    property: str
    id: ElementId
    count: int


OfList = Union[ListInsert, ListDelete, ListMove, ListSet, ListClear]
OfText = Union[TextInsert, TextDelete]
Operation = Union[Create, Set, Delete, Add, OfList, Put, Remove, OfText]


@dataclass
class Changeset:
    client: int
    sequence: int
    operations: list[Operation] = field(default_factory=list)
    stamp: Stamp = Stamp(0, 0)
    base: int = 0


class ChangesetWriter:
    """Writes a document of changesets. Names and clients are numbered as they come, through the whole document."""

    def __init__(self) -> None:
        self._writer = Writer()
        self._names: dict[str, int] = {}
        self._clients: dict[int, int] = {}
        self._version = 1
        # The counter of the id written last: the next one is written as the difference from it.
        self._counter = 0

    def document(self, changesets: list[Changeset]) -> bytes:
        self._writer.varint(len(changesets))
        for changeset in changesets:
            self._client(changeset.client)
            self._writer.varint(changeset.sequence)
            self._writer.fixed64(changeset.stamp.time)
            self._client(changeset.stamp.client)
            self._writer.varint(changeset.base)
            for shape, run in groupby(changeset.operations, key=_shape):
                operations = list(run)
                for start in range(0, len(operations), RUN_OBJECTS_MAX):
                    self._run(shape[0], operations[start : start + RUN_OBJECTS_MAX])
            self._writer.byte(0)
        return bytes([self._version]) + bytes(self._writer.bytes)

    # Names and clients

    def _name(self, name: str) -> None:
        is_new = name not in self._names
        self._writer.varint(self._names.setdefault(name, len(self._names)))
        if is_new:
            self._writer.text(name)

    def _client(self, client: int) -> None:
        is_new = client not in self._clients
        self._writer.varint(self._clients.setdefault(client, len(self._clients)))
        if is_new:
            self._writer.fixed64(client)

    # Runs

    def _run(self, kind: type, operations: list) -> None:
        first = operations[0]
        writes: dict[type, Callable[[list], None]] = {
            Create: self._creates,
            Set: self._sets,
            Delete: self._deletes,
            Add: self._adds,
        }
        if kind in writes:
            writes[kind](operations)
            return
        parts: dict[type, tuple[int, Callable[[list], None]]] = {
            ListInsert: (4, self._list),
            Put: (5, self._keyed),
            TextInsert: (9, self._text),
        }
        number, write = parts[kind]
        self._begin(number)
        self._name(first.class_name)
        write_key(self._writer, first.key)
        self._name(first.property)
        self._writer.varint(len(operations))
        write(operations)

    def _begin(self, number: int) -> None:
        self._version = max(self._version, {5: 2, 8: 3, 9: 3}.get(number, 1))
        self._writer.byte(number)

    def _creates(self, operations: list[Create]) -> None:
        first = operations[0]
        self._begin(1)
        self._name(first.class_name)
        self._writer.varint(first.life)
        self._writer.varint(len(first.fields))
        for one in first.fields:
            self._property(one)
        self._body(operations, [[one.fields[index].value for one in operations] for index in range(len(first.fields))])

    def _sets(self, operations: list[Set]) -> None:
        self._begin(2)
        self._name(operations[0].class_name)
        self._property(operations[0].field)
        self._body(operations, [[one.field.value for one in operations]])

    def _deletes(self, operations: list[Delete]) -> None:
        self._begin(3)
        self._name(operations[0].class_name)
        self._writer.varint(operations[0].life)
        self._body(operations, [])

    def _adds(self, operations: list[Add]) -> None:
        self._begin(8)
        self._name(operations[0].class_name)
        self._name(operations[0].counter)
        self._body(operations, [[one.amount for one in operations]])

    def _property(self, one: Field) -> None:
        self._name(one.name)
        self._writer.byte(1 if one.is_default else 0)

    def _body(self, operations: list, columns: list[list[Value]]) -> None:
        body = Writer()
        write_keys(body, [one.key for one in operations])
        for column in columns:
            write_column(body, column)
        # A reader takes memory in proportion to what it reads: a byte for every two values and keys at least.
        least = (len(operations) * (len(columns) + 1) + 1) // 2
        body.raw(bytes(max(0, least - len(body.bytes))))
        self._writer.varint(len(operations))
        self._writer.data(bytes(body.bytes))

    # Lists, sets, maps and texts

    def _keyed(self, operations: list[Put | Remove]) -> None:
        for one in operations:
            self._writer.byte(0 if isinstance(one, Put) else 1)
            write_value(self._writer, one.entry)
            if isinstance(one, Put):
                write_value(self._writer, one.value)

    def _list(self, operations: list[OfList]) -> None:
        for one in operations:
            match one:
                case ListInsert():
                    self._place(0, one)
                    write_value(self._writer, one.value)
                case ListDelete():
                    self._writer.byte(1)
                    self._id(one.id)
                case ListMove():
                    self._place(2, one)
                    self._id(one.element)
                case ListSet():
                    self._writer.byte(3)
                    self._id(one.id)
                    write_value(self._writer, one.value)
                case ListClear():
                    self._writer.byte(4)
                    self._writer.varint(len(one.ids))
                    for id in one.ids:
                        self._id(id)

    def _text(self, operations: list[OfText]) -> None:
        for one in operations:
            if isinstance(one, TextInsert):
                self._place(0, one)
                self._writer.text(one.text)
            else:
                self._writer.byte(1)
                self._id(one.id)
                self._writer.varint(one.count)

    def _place(self, kind: int, one: ListInsert | ListMove | TextInsert) -> None:
        self._writer.byte(kind | (0 if one.left is None else 1) << 3 | (0 if one.right is None else 1) << 5)
        self._id(one.id)
        for origin in (one.left, one.right):
            if origin is not None:
                self._id(origin)

    def _id(self, value: ElementId) -> None:
        self._client(value.client)
        self._writer.signed(wrapped(value.counter - self._counter))
        self._counter = value.counter


def _shape(operation: Operation) -> tuple:
    """Operations of one shape that follow each other are one run."""
    kind, class_name = type(operation), operation.class_name
    match operation:
        case Create():
            return kind, class_name, operation.life, tuple((one.name, one.is_default) for one in operation.fields)
        case Set():
            return kind, class_name, operation.field.name, operation.field.is_default
        case Delete():
            return kind, class_name, operation.life
        case Add():
            return kind, class_name, operation.counter
        case ListInsert() | ListDelete() | ListMove() | ListSet() | ListClear():
            return ListInsert, class_name, operation.key, operation.property
        case Put() | Remove():
            return Put, class_name, operation.key, operation.property
        case TextInsert() | TextDelete():
            return TextInsert, class_name, operation.key, operation.property
