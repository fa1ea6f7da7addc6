"""ENCODING.md, sections 5 to 7: states of lists, sets, maps and texts, as a download tells them."""

from dataclasses import dataclass, field

from .columns import read_column
from .parts import Malformed, Reader, wrapped
from .values import ElementId, Stamp, Value

KEYED_MARK, TEXT_MARK = (1 << 32) - 1, (1 << 32) - 2


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
