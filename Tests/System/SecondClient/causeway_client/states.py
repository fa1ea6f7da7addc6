"""ENCODING.md, sections 5 to 7: states of lists, sets, maps and texts, as a download tells them."""

from dataclasses import dataclass, field

from .columns import read_column
from .parts import Malformed, Reader, Writer, wrapped
from .values import ElementId, Stamp, Value

KEYED_MARK, TEXT_MARK, EDITS_MARK = (1 << 32) - 1, (1 << 32) - 2, (1 << 32) - 3


@dataclass
class Position:
    """A place of a list, in the order of the whole list. Numbers are places in that order."""

    id: ElementId
    parent: int | None
    is_left_child: bool
    # The first position of the element that stands here or has moved away.
    home: int
    # Where that element shows; None once it is removed.
    shown: int | None


@dataclass
class ListState:
    positions: list[Position] = field(default_factory=list)
    # Of the elements that show, in the order of the list.
    values: list[Value] = field(default_factory=list)
    ids: list[ElementId] = field(default_factory=list)


@dataclass
class Entry:
    key: Value
    # Absent where the key is gone.
    is_there: bool
    value: Value
    stamp: Stamp


@dataclass
class KeyedState:
    entries: list[Entry] = field(default_factory=list)

    @property
    def visible(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.is_there]


@dataclass
class TextState:
    text: str
    # As it was written, which is what a digest is made of.
    raw: bytes
    # The id of each scalar that shows.
    ids: list[ElementId] = field(default_factory=list)


State = ListState | KeyedState | TextState


def read_state(reader: Reader) -> State:
    """A list, a set or map, or a text: the first number tells."""
    start = reader.offset
    match reader.varint():
        case mark if mark == KEYED_MARK:
            return _read_keyed(reader)
        case mark if mark == TEXT_MARK:
            return _read_text(reader, start)
        case count:
            return _read_list(reader, count)


def _read_clients(reader: Reader) -> list[int]:
    return [reader.fixed64() for _ in range(reader.varint())]


def _read_stamps(reader: Reader, count: int, clients: list[int]) -> list[Stamp]:
    times = reader.integers(count)
    return [Stamp(time % (1 << 64), clients[number]) for time, number in zip(times, reader.integers(count))]


def _read_list(reader: Reader, count: int) -> ListState:
    if count == 0:
        return ListState()
    clients = _read_clients(reader)
    numbers = reader.integers(count)
    ids = [ElementId(clients[number], counter) for number, counter in zip(numbers, reader.integers(count))]
    parents = reader.integers(count)
    homes = [place + distance for place, distance in enumerate(reader.integers(count))]
    elements = [place for place, home in enumerate(homes) if place == home]
    removed = dict(zip(elements, reader.bits(len(elements))))
    alive = [home for home in elements if not removed[home]]
    shown = {home: home + distance for home, distance in zip(alive, reader.integers(len(alive)))}
    values = dict(zip(alive, read_column(reader, len(alive))))
    for _ in ("of values", "of positions"):
        _read_stamps(reader, len(alive), clients)
    state = ListState()
    for place in range(count):
        parent = None if parents[place] == 0 else place + parents[place]
        home = homes[place]
        state.positions.append(Position(ids[place], parent, parents[place] > 0, home, shown.get(home)))
        if shown.get(home) == place:
            state.values.append(values[home])
            state.ids.append(ids[home])
    return state


def _read_keyed(reader: Reader) -> KeyedState:
    count = reader.varint()
    if count == 0:
        return KeyedState()
    clients = _read_clients(reader)
    present = reader.bits(count)
    keys = read_column(reader, count)
    values = iter(read_column(reader, sum(present)))
    stamps = _read_stamps(reader, count, clients)
    return KeyedState(
        [
            Entry(key, is_there, next(values) if is_there else None, stamp)
            for key, is_there, stamp in zip(keys, present, stamps)
        ]
    )


def _read_text(reader: Reader, start: int) -> TextState:
    count = reader.varint()
    ids: list[ElementId] = []
    if count:
        clients = _read_clients(reader)
        owners, counters, lengths = (reader.integers(count) for _ in range(3))
        removed = reader.bits(count)
        reader.bits(count)  # continued
        reader.bits(count)  # others
        with_parent = sum(link >= 2 for link in reader.integers(count))
        reader.integers(with_parent)
        reader.integers(with_parent)
        for piece in range(count):
            if not removed[piece]:
                first = counters[piece]
                owner = clients[owners[piece]]
                ids += [ElementId(owner, wrapped(first + offset)) for offset in range(lengths[piece])]
    text = reader.text()
    if len(text) != len(ids):
        raise Malformed(f"a text of {len(text)} scalars, of which {len(ids)} have ids")
    return TextState(text, reader.data_bytes[start : reader.offset], ids)


# A text, scalar by scalar


@dataclass(frozen=True)
class Scalar:
    id: ElementId
    # None: a child of the root.
    parent: ElementId | None
    is_left_child: bool
    # None once it is removed.
    character: str | None


def read_scalars(raw: bytes) -> list[Scalar]:
    """All scalars of a state, removed ones included, in the order of the text."""
    reader = Reader(raw)
    if reader.varint() != TEXT_MARK:
        raise Malformed("no text")
    count = reader.varint()
    if not count:
        return []
    clients = _read_clients(reader)
    owners, counters, lengths = (reader.integers(count) for _ in range(3))
    removed, _, _ = (reader.bits(count) for _ in range(3))
    links = reader.integers(count)
    with_parent = sum(link >= 2 for link in links)
    named = iter(
        [
            (clients[number], distance)
            for number, distance in zip(reader.integers(with_parent), reader.integers(with_parent))
        ]
    )
    characters = iter(reader.text())
    scalars: list[Scalar] = []
    for piece in range(count):
        client, first = clients[owners[piece]], counters[piece] % (1 << 64)
        match links[piece]:
            case 0:
                parent: ElementId | None = ElementId(client, first - 1)
            case 1:
                parent = None
            case _:
                of, distance = next(named)
                parent = ElementId(of, (first - distance) % (1 << 64))
        for offset in range(lengths[piece]):
            id = ElementId(client, first + offset)
            character = None if removed[piece] else next(characters)
            scalars.append(Scalar(id, parent, offset == 0 and links[piece] == 3, character))
            parent = id
    return scalars


def write_scalars(scalars: list[Scalar]) -> TextState:
    """The state of a text: pieces as long as they can be."""
    right: dict[ElementId | None, int] = {}
    with_left = set()
    for one in scalars:
        if one.is_left_child:
            with_left.add(one.parent)
        else:
            right[one.parent] = right.get(one.parent, 0) + 1

    def continues(one: Scalar) -> bool:
        """Whether it is the right child of the scalar whose counter is one less."""
        return one.parent == ElementId(one.id.client, one.id.counter - 1) and not one.is_left_child

    pieces: list[list[Scalar]] = []
    for one in scalars:
        last = pieces[-1][-1] if pieces else None
        is_next = (
            last is not None
            and continues(one)
            and one.parent == last.id
            and (one.character is None) == (last.character is None)
            and right[last.id] == 1
            and one.id not in with_left
        )
        if is_next:
            pieces[-1].append(one)
        else:
            pieces.append([one])
    text = "".join(one.character for one in scalars if one.character is not None)
    writer = Writer()
    writer.varint(TEXT_MARK)
    writer.varint(len(pieces))
    if pieces:
        _write_pieces(writer, pieces, right, {one.id for one in scalars if continues(one)})
    writer.text(text)
    return TextState(text, bytes(writer.bytes), [one.id for one in scalars if one.character is not None])


def _write_pieces(
    writer: Writer,
    pieces: list[list[Scalar]],
    right: dict[ElementId | None, int],
    continuations: set[ElementId],
) -> None:
    def link(first: Scalar) -> int:
        if first.id in continuations:
            return 0
        return 1 if first.parent is None else 3 if first.is_left_child else 2

    parents = [(piece[0].id, piece[0].parent) for piece in pieces if link(piece[0]) >= 2]
    numbers: dict[int, int] = {}
    for id in [piece[0].id for piece in pieces] + [parent for _, parent in parents if parent]:
        numbers.setdefault(id.client, len(numbers))
    writer.varint(len(numbers))
    for client in numbers:
        writer.fixed64(client)
    writer.integers([numbers[piece[0].id.client] for piece in pieces])
    writer.integers([wrapped(piece[0].id.counter) for piece in pieces])
    writer.integers([len(piece) for piece in pieces])
    writer.bits([piece[0].character is None for piece in pieces])
    lasts = [piece[-1].id for piece in pieces]
    goes_on = [ElementId(last.client, last.counter + 1) in continuations for last in lasts]
    writer.bits(goes_on)
    writer.bits([right.get(last, 0) > (1 if on else 0) for last, on in zip(lasts, goes_on)])
    writer.integers([link(piece[0]) for piece in pieces])
    writer.integers([numbers[parent.client] for _, parent in parents if parent])
    writer.integers([wrapped(id.counter - parent.counter) for id, parent in parents if parent])
