"""ENCODING.md, section 1: values and primary keys that stand alone.

A value is None, a bool, an int, a float (of 64 bits), a str or bytes, a uuid.UUID, or one of the classes below.
"""

import struct
from dataclasses import dataclass
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
