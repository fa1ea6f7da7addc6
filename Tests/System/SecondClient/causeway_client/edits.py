"""ENCODING.md, section 8, and RULES.md, sections 3, 4, 8 and 9: what happened to a list, set, map or text."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .parts import Malformed, Reader
from .states import (
    EDITS_MARK,
    Entry,
    KeyedState,
    ListState,
    Position,
    Scalar,
    State,
    TextState,
    read_scalars,
    write_scalars,
)
from .values import ElementId, Stamp, Value, canonically_precedes, read_value

class DoesNotFit(Exception):
    """What the server says happened names something that is not here: the two ends do not agree."""


@dataclass(frozen=True)
class Edit:
    """One operation; what it has no use for is absent."""

    kind: int
    stamp: Stamp
    id: ElementId | None = None
    left: ElementId | None = None
    right: ElementId | None = None
    element: ElementId | None = None
    ids: tuple[ElementId, ...] = ()
    key: Value = None
    value: Value = None
    text: str = ""
    count: int = 0


@dataclass
class Change:
    of: int
    edits: list[Edit]


class ChangeReader:
    """Reads one change. Clients and the counter of ids begin anew with each."""

    def __init__(self, reader: Reader, stamps: list[Stamp]) -> None:
        self._reader, self._stamps = reader, stamps
        self._clients: list[int] = []
        self._counter = 0
        # What form 2 of an origin names.
        self._made: ElementId | None = None
        self._right: ElementId | None = None

    def read(self) -> Change:
        if self._reader.varint() != EDITS_MARK:
            raise Malformed("no change of a collection")
        kind, groups = self._reader.byte(), self._reader.varint()
        if not groups:
            raise Malformed("a change without operations")
        return Change(kind, [edit for _ in range(groups) for edit in self._group(kind)])

    def _group(self, kind: int) -> Iterator[Edit]:
        number, count = self._reader.varint(), self._reader.varint()
        if number >= len(self._stamps) or not count:
            raise Malformed("a group without a stamp, or without operations")
        self._made = self._right = None
        for _ in range(count):
            match kind:
                case 4:
                    yield self._of_list(self._stamps[number])
                case 5:
                    yield self._of_keyed(self._stamps[number])
                case 9:
                    yield self._of_text(self._stamps[number])
                case _:
                    raise Malformed(f"{kind} is no kind of collection")

    def _of_list(self, stamp: Stamp) -> Edit:
        tag = self._reader.byte()
        match tag & 0b111:
            case 0:
                id, left, right = self._place(tag)
                self._made = id
                return Edit(0, stamp, id, left, right, value=read_value(self._reader))
            case 2:
                id, left, right = self._place(tag)
                self._made = id
                return Edit(2, stamp, id, left, right, element=self._id())
            case 1 if tag == 1:
                return Edit(1, stamp, self._id())
            case 3 if tag == 3:
                return Edit(3, stamp, self._id(), value=read_value(self._reader))
            case 4 if tag == 4:
                return Edit(4, stamp, ids=tuple(self._id() for _ in range(self._reader.varint())))
        raise Malformed(f"{tag} is no list operation")

    def _of_keyed(self, stamp: Stamp) -> Edit:
        tag, key = self._reader.byte(), read_value(self._reader)
        if tag > 1:
            raise Malformed(f"{tag} is no operation on a set or map")
        return Edit(tag, stamp, key=key, value=read_value(self._reader) if tag == 0 else None)

    def _of_text(self, stamp: Stamp) -> Edit:
        tag = self._reader.byte()
        match tag & 0b111:
            case 0:
                id, left, right = self._place(tag)
                text = self._reader.text()
                if not text:
                    raise Malformed("an insert without text")
                self._made = _advanced(id, len(text) - 1)
                return Edit(0, stamp, id, left, right, text=text)
            case 1 if tag == 1:
                return Edit(1, stamp, self._id(), count=self._reader.varint())
        raise Malformed(f"{tag} is no operation on a text")

    def _place(self, tag: int) -> tuple[ElementId, ElementId | None, ElementId | None]:
        id = self._id()
        left = self._origin(tag >> 3 & 0b11, self._made)
        right = self._origin(tag >> 5 & 0b11, self._right)
        self._right = right
        return id, left, right

    def _origin(self, form: int, previous: ElementId | None) -> ElementId | None:
        match form:
            case 0:
                return None
            case 1:
                return self._id()
            case 2 if previous is not None:
                return previous
        raise Malformed(f"{form} is no form of an origin here")

    def _id(self) -> ElementId:
        number = self._reader.varint()
        if number == len(self._clients):
            self._clients.append(self._reader.fixed64())
        if number > len(self._clients):
            raise Malformed("a client without a number")
        self._counter = (self._counter + self._reader.signed()) % (1 << 64)
        return ElementId(self._clients[number], self._counter)


def follow(state: State | None, change: Change) -> State:
    """Does again what the server did, whatever stamps are here."""
    match change.of, state:
        case 4, ListState() | None:
            return _follow_list(state or ListState(), change.edits)
        case 5, KeyedState() | None:
            return _follow_keyed(state or KeyedState(), change.edits)
        case 9, TextState() | None:
            return _follow_text(state, change.edits)
    raise DoesNotFit("a change of another kind of collection")


def _advanced(id: ElementId, count: int) -> ElementId:
    return ElementId(id.client, id.counter + count)


# The tree of positions


class Tree:
    """Positions below their parents. What is on the left of one stands before it, what is on its right behind."""

    def __init__(self) -> None:
        self.parents: dict[ElementId, tuple[ElementId | None, bool]] = {}

    def add(self, id: ElementId, left: ElementId | None, right: ElementId | None) -> None:
        for origin in (left, right):
            if origin is not None and origin not in self.parents:
                raise DoesNotFit(f"a position that is not here: {origin}")
        if right is not None and self._descends(right, left):
            self.parents[id] = right, True
        else:
            self.parents[id] = left, False

    def _descends(self, right: ElementId, left: ElementId | None) -> bool:
        """Whether it is a right child of the left one, or a left child of a left child … of one."""
        climbing = right
        while self.parents[climbing][1]:
            parent, _ = self.parents[climbing]
            assert parent is not None, "a left child has a parent"
            climbing = parent
        return self.parents[climbing][0] == left

    def order(self) -> list[ElementId]:
        children: dict[tuple[ElementId | None, bool], list[ElementId]] = {}
        for id in sorted(self.parents, key=lambda id: (id.counter, id.client)):
            children.setdefault(self.parents[id], []).append(id)
        order: list[ElementId] = []
        # A position to expand, or, in a tuple, one to append. The last one comes first.
        steps: list[ElementId | tuple[ElementId]] = children.get((None, False), [])[::-1]
        while steps:
            step = steps.pop()
            if isinstance(step, tuple):
                order.append(step[0])
                continue
            steps += children.get((step, False), [])[::-1]
            steps.append((step,))
            steps += children.get((step, True), [])[::-1]
        return order


# Lists


@dataclass
class Element:
    # Where it shows; None once it is removed.
    shown: ElementId | None
    value: Value


def _follow_list(state: ListState, edits: list[Edit]) -> ListState:
    tree, homes, elements = Tree(), {}, {}
    ids = [position.id for position in state.positions]
    shows = dict(zip((place for place, one in enumerate(state.positions) if one.shown == place), state.values))
    for one in state.positions:
        tree.parents[one.id] = (None if one.parent is None else ids[one.parent], one.is_left_child)
        homes[one.id] = ids[one.home]
        if one.id == ids[one.home]:
            elements[one.id] = Element(
                None if one.shown is None else ids[one.shown], None if one.shown is None else shows[one.shown]
            )

    def element(id: ElementId | None) -> Element:
        if id is None or id not in elements:
            raise DoesNotFit(f"an element that is not here: {id}")
        return elements[id]

    for edit in edits:
        match edit.kind:
            case 0 if edit.id is not None and edit.id not in tree.parents:
                tree.add(edit.id, edit.left, edit.right)
                homes[edit.id] = edit.id
                elements[edit.id] = Element(edit.id, edit.value)
            case 1:
                element(edit.id).shown = None
            case 2 if edit.id is not None and edit.element is not None:
                moved = element(edit.element)
                if edit.id not in tree.parents:
                    tree.add(edit.id, edit.left, edit.right)
                    homes[edit.id] = edit.element
                if moved.shown is not None:
                    moved.shown = edit.id
            case 3:
                if (known := element(edit.id)).shown is not None:
                    known.value = edit.value
            case 4:
                for id in edit.ids:
                    element(id).shown = None
    order = tree.order()
    places = {id: place for place, id in enumerate(order)}
    result = ListState()
    for id in order:
        parent, is_left = tree.parents[id]
        home = elements[homes[id]]
        result.positions.append(
            Position(
                id,
                None if parent is None else places[parent],
                is_left,
                places[homes[id]],
                None if home.shown is None else places[home.shown],
            )
        )
        if home.shown == id:
            result.values.append(home.value)
            result.ids.append(homes[id])
    return result


# Sets and maps


def _follow_keyed(state: KeyedState, edits: list[Edit]) -> KeyedState:
    entries = list(state.entries)
    for edit in edits:
        entry = Entry(edit.key, edit.kind == 0, edit.value, edit.stamp)
        later = (place for place, one in enumerate(entries) if not canonically_precedes(one.key, edit.key))
        place = next(later, len(entries))
        if place < len(entries) and not canonically_precedes(edit.key, entries[place].key):
            entries[place] = entry
        else:
            entries.insert(place, entry)
    return KeyedState(entries)


# Texts


def _follow_text(state: TextState | None, edits: list[Edit]) -> TextState:
    scalars = {one.id: one for one in read_scalars(state.raw)} if state else {}
    tree = Tree()
    tree.parents = {one.id: (one.parent, one.is_left_child) for one in scalars.values()}
    for edit in edits:
        assert edit.id is not None, "an operation on a text names a scalar"
        if edit.kind == 0:
            if edit.id in scalars:
                continue
            left, right = edit.left, edit.right
            for offset, character in enumerate(edit.text):
                id = _advanced(edit.id, offset)
                if offset == 0:
                    tree.add(id, left, right)
                else:
                    tree.parents[id] = _advanced(edit.id, offset - 1), False
                scalars[id] = Scalar(id, *tree.parents[id], character)
            continue
        for offset in range(edit.count):
            id = _advanced(edit.id, offset)
            if id not in scalars:
                raise DoesNotFit(f"a scalar that is not here: {id}")
            scalars[id] = replace(scalars[id], character=None)
    return write_scalars([scalars[id] for id in tree.order()])
