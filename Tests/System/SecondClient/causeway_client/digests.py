"""PROTOCOL.md, "Digests": what a device holds, as numbers that two ends can compare."""

from collections.abc import Iterable
from dataclasses import dataclass

from .columns import write_keys
from .objects import ObjectState
from .parts import Malformed, Reader, Writer
from .schema import NESTED, ClassSchema, Kind, Schema
from .states import KeyedState, ListState, TextState
from .values import ClassedLink, Float32, Key, Link, Value, write_element_id, write_key, write_value

MASK = (1 << 64) - 1
VALUE, LIST, KEYED, TEXT, EMBEDDED, ABSENT = range(1, 7)
OF_RANGE, OF_PARTS, OF_OBJECTS = range(3)


def siphash128(seed: int, data: bytes) -> bytes:
    """SipHash-2-4 with 128 bits; the key is the seed and zero."""
    v0 = seed ^ 0x736F6D6570736575
    v1 = 0x646F72616E646F6D ^ 0xEE
    v2 = seed ^ 0x6C7967656E657261
    v3 = 0x7465646279746573

    def rounds(count: int) -> None:
        nonlocal v0, v1, v2, v3
        for _ in range(count):
            v0 = v0 + v1 & MASK
            v1 = (v1 << 13 | v1 >> 51) & MASK ^ v0
            v0 = (v0 << 32 | v0 >> 32) & MASK
            v2 = v2 + v3 & MASK
            v3 = (v3 << 16 | v3 >> 48) & MASK ^ v2
            v0 = v0 + v3 & MASK
            v3 = (v3 << 21 | v3 >> 43) & MASK ^ v0
            v2 = v2 + v1 & MASK
            v1 = (v1 << 17 | v1 >> 47) & MASK ^ v2
            v2 = (v2 << 32 | v2 >> 32) & MASK

    whole = len(data) // 8 * 8
    last = data[whole:].ljust(7, b"\0") + bytes([len(data) & 0xFF])
    for start in range(0, whole + 8, 8):
        word = int.from_bytes(data[start : start + 8] if start < whole else last, "little")
        v3 ^= word
        rounds(2)
        v0 ^= word
    v2 ^= 0xEE
    rounds(4)
    first = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xDD
    rounds(4)
    return first.to_bytes(8, "little") + (v0 ^ v1 ^ v2 ^ v3).to_bytes(8, "little")


class Digester:
    def __init__(self, seed: int, schema: Schema, objects: dict[tuple[str, Key], ObjectState]) -> None:
        self._seed = seed
        self._schema = {one.name: one for one in schema + NESTED}
        self._objects = objects

    def place(self, key: Key) -> int:
        writer = Writer()
        write_key(writer, key)
        return int.from_bytes(siphash128(self._seed, bytes(writer.bytes))[:8], "little")

    def object(self, state: ObjectState) -> bytes:
        writer = Writer()
        linked: list[tuple[str, Key]] = []
        write_key(writer, state.key)
        writer.varint(state.life)
        self._content(writer, state, linked)
        told = set()
        while linked:
            class_name, key = name = linked.pop(0)
            if name in told:
                continue
            told.add(name)
            inner = self._objects.get(name)
            writer.byte(EMBEDDED if inner else ABSENT)
            if inner:
                writer.text(class_name)
                write_key(writer, key)
                self._content(writer, inner, linked)
        return siphash128(self._seed, bytes(writer.bytes))

    def _content(self, writer: Writer, state: ObjectState, linked: list) -> None:
        for one in sorted(self._class(state.class_name).properties, key=lambda one: one.name.encode()):
            if one.primary_key:
                continue
            target = self._schema.get(one.target)
            embedded = target.name if target and target.kind == Kind.EMBEDDED else None
            if one.name in state.values:
                self._begin(writer, VALUE, one.name)
                self._value(writer, state.values[one.name], embedded, linked)
                continue
            match state.collections.get(one.name):
                case ListState() as state_of_list if state_of_list.values:
                    self._begin(writer, LIST, one.name)
                    writer.varint(len(state_of_list.positions))
                    for position in state_of_list.positions:
                        write_element_id(writer, position.id)
                        writer.varint(0 if position.parent is None else position.parent + 1)
                        writer.byte(position.is_left_child)
                        writer.varint(position.home)
                        writer.varint(0 if position.shown is None else position.shown + 1)
                    for value in state_of_list.values:
                        self._value(writer, value, embedded, linked)
                case KeyedState() as keyed if keyed.visible:
                    self._begin(writer, KEYED, one.name)
                    writer.varint(len(keyed.visible))
                    for entry in keyed.visible:
                        self._value(writer, entry.key, embedded, linked)
                        if one.collection.name == "MAP":
                            self._value(writer, entry.value, embedded, linked)
                case TextState(text=shown) as text if shown:
                    self._begin(writer, TEXT, one.name)
                    writer.raw(text.raw)

    def _class(self, name: str) -> ClassSchema:
        return self._schema[name]

    @staticmethod
    def _begin(writer: Writer, kind: int, name: str) -> None:
        writer.byte(kind)
        writer.text(name)

    @staticmethod
    def _value(writer: Writer, value: Value, embedded: str | None, linked: list) -> None:
        match value:
            case float() if value == 0:
                value = 0.0
            case Float32(value=number) if number == 0:
                value = Float32(0.0)
            case Link() if embedded:
                linked.append((embedded, value.key))
            case ClassedLink() if value.class_name.startswith("#"):
                linked.append((value.class_name, value.key))
        write_value(writer, value)


@dataclass(frozen=True)
class Ask:
    class_name: str
    detail: int
    bits: int
    prefix: int

    def holds(self, place: int) -> bool:
        return self.bits == 0 or place >> 64 - self.bits == self.prefix

    def part(self, place: int) -> int:
        return place >> 64 - self.bits - 6 & 63


def read_question(body: bytes) -> list[Ask]:
    reader = Reader(body)
    if (version := reader.byte()) != 1:
        raise Malformed(f"ranges of format {version}")
    names = [reader.text() for _ in range(reader.varint())]
    asks = []
    for _ in range(reader.varint()):
        asks.append(Ask(names[reader.varint()], reader.byte(), reader.byte(), reader.varint()))
    reader.finish()
    return asks


def answer(asks: list[Ask], digester: Digester, objects: Iterable[ObjectState]) -> bytes:
    found: dict[str, list[tuple[int, Key, bytes]]] = {}
    for one in objects:
        found.setdefault(one.class_name, []).append((digester.place(one.key), one.key, digester.object(one)))
    writer = Writer()
    writer.byte(1)
    writer.varint(len(asks))
    for ask in asks:
        held = [entry for entry in found.get(ask.class_name, []) if ask.holds(entry[0])]
        writer.byte(ask.detail)
        if ask.detail == OF_RANGE:
            _write_range(writer, held)
        elif ask.detail == OF_PARTS:
            writer.varint(64)
            for part in range(64):
                _write_range(writer, [entry for entry in held if ask.part(entry[0]) == part])
        else:
            held.sort(key=lambda entry: entry[0])
            writer.varint(len(held))
            write_keys(writer, [key for _, key, _ in held])
            for _, _, digest in held:
                writer.raw(digest)
    return bytes(writer.bytes)


def _write_range(writer: Writer, held: list[tuple[int, Key, bytes]]) -> None:
    writer.varint(len(held))
    if held:
        total = sum(int.from_bytes(digest, "little") for _, _, digest in held)
        writer.raw((total % (1 << 128)).to_bytes(16, "little"))
