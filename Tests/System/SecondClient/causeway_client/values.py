"""ENCODING.md, section 1: values and primary keys that stand alone.

A value is None, a bool, an int, a float (of 64 bits), a str or bytes, a uuid.UUID, or one of the classes below.
"""

import math
import struct
from dataclasses import dataclass
from fractions import Fraction
from typing import Union
from uuid import UUID

from .parts import Malformed, Reader, Writer


@dataclass(frozen=True)
class Float32:
    value: float


@dataclass(frozen=True)
class Timestamp:
    seconds: int
    nanoseconds: int = 0


@dataclass(frozen=True)
class ObjectId:
    raw: bytes


@dataclass(frozen=True)
class Decimal128:
    """The 16 bytes as they are written: binary-integer form, little-endian."""

    raw: bytes


@dataclass(frozen=True)
class ElementId:
    """Names an element of a list, a position, a scalar of a text, an embedded object or a collection."""

    client: int
    counter: int


Key = Union[None, int, str, ObjectId, UUID, ElementId]


@dataclass(frozen=True)
class Link:
    key: Key


@dataclass(frozen=True)
class ClassedLink:
    """A link in a mixed property. `#List` and `#Map` are collections inside of it."""

    class_name: str
    key: Key


Value = Union[None, bool, int, Float32, float, str, bytes, Timestamp, ObjectId, UUID, Link, Decimal128, ClassedLink]


@dataclass(frozen=True, order=True)
class Stamp:
    """Which of two writes is later: milliseconds since 1970 in the upper 48 bits, a counter below; then the client."""

    time: int
    client: int


def write_stamp(writer: Writer, stamp: Stamp) -> None:
    writer.fixed64(stamp.time)
    writer.fixed64(stamp.client)


def write_element_id(writer: Writer, value: ElementId) -> None:
    writer.fixed64(value.client)
    writer.varint(value.counter)


def read_element_id(reader: Reader) -> ElementId:
    return ElementId(reader.fixed64(), reader.varint())


def write_key(writer: Writer, key: Key) -> None:
    match key:
        case None:
            writer.byte(0)
        case int():
            writer.byte(1)
            writer.signed(key)
        case str():
            writer.byte(2)
            writer.text(key)
        case ObjectId():
            writer.byte(3)
            writer.raw(key.raw)
        case UUID():
            writer.byte(4)
            writer.raw(key.bytes)
        case ElementId():
            writer.byte(5)
            write_element_id(writer, key)
        case _:
            raise TypeError(f"{key!r} is no primary key")


def read_key(reader: Reader) -> Key:
    match reader.byte():
        case 0:
            return None
        case 1:
            return reader.signed()
        case 2:
            return reader.text()
        case 3:
            return ObjectId(reader.raw(12))
        case 4:
            return UUID(bytes=reader.raw(16))
        case 5:
            return read_element_id(reader)
        case other:
            raise Malformed(f"{other} is no kind of primary key")


def write_value(writer: Writer, value: Value) -> None:
    match value:
        case None:
            writer.byte(0)
        case bool():
            writer.byte(2 if value else 1)
        case int():
            writer.byte(3)
            writer.signed(value)
        case Float32():
            writer.byte(4)
            writer.raw(struct.pack("<f", value.value))
        case float():
            writer.byte(5)
            writer.raw(struct.pack("<d", value))
        case str():
            writer.byte(6)
            writer.text(value)
        case bytes():
            writer.byte(7)
            writer.data(value)
        case Timestamp():
            writer.byte(8)
            writer.signed(value.seconds)
            writer.signed(value.nanoseconds)
        case ObjectId():
            writer.byte(9)
            writer.raw(value.raw)
        case UUID():
            writer.byte(10)
            writer.raw(value.bytes)
        case Link():
            writer.byte(11)
            write_key(writer, value.key)
        case Decimal128():
            writer.byte(12)
            writer.raw(value.raw)
        case ClassedLink():
            writer.byte(13)
            writer.text(value.class_name)
            write_key(writer, value.key)
        case _:
            raise TypeError(f"{value!r} is no value")


def read_value(reader: Reader) -> Value:
    match reader.byte():
        case 0:
            return None
        case 1:
            return False
        case 2:
            return True
        case 3:
            return reader.signed()
        case 4:
            return Float32(struct.unpack("<f", reader.raw(4))[0])
        case 5:
            return struct.unpack("<d", reader.raw(8))[0]
        case 6:
            return reader.text()
        case 7:
            return reader.data()
        case 8:
            return Timestamp(reader.signed(), reader.signed())
        case 9:
            return ObjectId(reader.raw(12))
        case 10:
            return UUID(bytes=reader.raw(16))
        case 11:
            return Link(read_key(reader))
        case 12:
            return Decimal128(reader.raw(16))
        case 13:
            return ClassedLink(reader.text(), read_key(reader))
        case other:
            raise Malformed(f"{other} is no kind of value")


# The order of the elements of a set


def canonically_precedes(left: Value, right: Value) -> bool:
    """Kinds one after the other, numbers of a kind by size with NaN first, the rest by its bytes. If neither of two
    precedes the other, they are one element."""
    return _canonical(left) < _canonical(right)


def _canonical(value: Value) -> tuple:
    match value:
        case None:
            return (0,)
        case bool():
            return 1, value
        case int():
            return 2, value
        case Float32(value=number):
            return (3, 0) if math.isnan(number) else (3, 1, number)
        case float():
            return (4, 0) if math.isnan(value) else (4, 1, value)
        case Decimal128(raw=raw):
            return 5, *_size(raw)
        case str():
            return 6, value.encode()
        case bytes():
            return 7, value
        case Timestamp():
            return 8, value.seconds, value.nanoseconds
        case ObjectId(raw=raw):
            return 9, raw
        case UUID():
            return 10, value.bytes
        case Link(key=key):
            return 12, *_canonical_key(key)
        case ClassedLink():
            return 14, value.class_name.encode(), *_canonical_key(value.key)
    raise Malformed(f"{value} has no place among others")


def _canonical_key(key: Key) -> tuple:
    match key:
        case None:
            return (0,)
        case int():
            return 1, key
        case str():
            return 2, key.encode()
        case ObjectId(raw=raw):
            return 3, raw
        case UUID():
            return 4, key.bytes
        case ElementId():
            return 5, key.counter, key.client
    raise Malformed(f"{key} is no key")


def _size(raw: bytes) -> tuple:
    """The size of a decimal: NaN, then -infinity, numbers, infinity."""
    bits = int.from_bytes(raw, "little")
    sign = -1 if bits >> 127 else 1
    top = bits >> 122 & 0b11111
    if top == 0b11111:
        return (0,)
    if top == 0b11110:
        return (1,) if sign < 0 else (3,)
    # A coefficient that begins with the bits 100 is larger than 34 digits, and counts as zero.
    if bits >> 125 & 0b11 == 0b11:
        return 2, Fraction(0)
    coefficient = bits & (1 << 113) - 1
    exponent = (bits >> 113 & (1 << 14) - 1) - 6_176
    if coefficient >= 10**34:
        return 2, Fraction(0)
    return 2, sign * coefficient * Fraction(10) ** exponent
