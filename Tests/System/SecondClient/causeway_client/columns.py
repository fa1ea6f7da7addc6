"""ENCODING.md, section 2: the values of one property of many objects, and the keys of many objects."""

import struct
from collections.abc import Sequence
from uuid import UUID

from .parts import Malformed, Reader, Writer
from .values import (
    Decimal128,
    ElementId,
    Float32,
    Key,
    Link,
    ObjectId,
    Timestamp,
    Value,
    read_key,
    read_value,
    write_key,
    write_value,
)

HAS_NULLS = 0x80


def write_column(writer: Writer, values: Sequence[Value]) -> None:
    """Picks the plain form of the values' type. Other forms are shorter, and a writer is free to use them."""
    there: list = [value for value in values if value is not None]
    if not there:
        writer.byte(0)
        return
    marks = HAS_NULLS if len(there) < len(values) else 0
    form = Writer()
    kinds = {type(value) for value in there}
    kind = kinds.pop() if len(kinds) == 1 else None
    if len(there) > 1 and kind is not float and kind is not Float32 and all(value == there[0] for value in there):
        number = 1
        write_value(form, there[0])
    elif kind is bool:
        number = 2
        form.bits(there)
    elif kind is int:
        number = 3
        form.integers(there)
    elif kind is Float32:
        number = 4
        for value in there:
            form.raw(struct.pack("<f", value.value))
    elif kind is float:
        number = 5
        for value in there:
            form.raw(struct.pack("<d", value))
    elif kind is str:
        number = 7
        write_chunks(form, [value.encode() for value in there])
    elif kind is bytes:
        number = 9
        write_chunks(form, there)
    elif kind is Timestamp:
        number = 10
        form.integers([value.seconds for value in there])
        form.integers([value.nanoseconds for value in there])
    elif kind is Link:
        number = 13
        write_keys(form, [value.key for value in there])
    else:
        number = 14
        for value in there:
            write_value(form, value)
    writer.byte(number | marks)
    if marks:
        writer.bits([value is not None for value in values])
    writer.raw(form.bytes)


def write_chunks(writer: Writer, values: list[bytes]) -> None:
    writer.integers([len(value) for value in values])
    for value in values:
        writer.raw(value)


def read_chunks(reader: Reader, count: int) -> list[bytes]:
    return [reader.raw(length) for length in reader.integers(count)]


def read_dictionary(reader: Reader, count: int) -> list[str]:
    words = [reader.text() for _ in range(reader.varint())]
    if len(words) <= 256:
        return [words[index] for index in reader.raw(count)]
    return [words[index] for index in struct.unpack(f"<{count}H", reader.raw(2 * count))]


def read_column(reader: Reader, count: int) -> list[Value]:
    form = reader.byte()
    if form == 0:
        return [None] * count
    present = reader.bits(count) if form & HAS_NULLS else [True] * count
    there = iter(read_present(reader, form & ~HAS_NULLS, sum(present)))
    return [next(there) if is_there else None for is_there in present]


def read_present(reader: Reader, form: int, count: int) -> list:
    match form:
        case 1:
            return [read_value(reader)] * count
        case 2:
            return reader.bits(count)
        case 3:
            return reader.integers(count)
        case 4:
            return [Float32(value) for value in struct.unpack(f"<{count}f", reader.raw(4 * count))]
        case 5:
            return list(struct.unpack(f"<{count}d", reader.raw(8 * count)))
        case 6:
            return [float(value) for value in reader.integers(count)]
        case 7:
            return [value.decode() for value in read_chunks(reader, count)]
        case 8:
            return read_dictionary(reader, count)
        case 9:
            return read_chunks(reader, count)
        case 10:
            seconds = reader.integers(count)
            return [Timestamp(*both) for both in zip(seconds, reader.integers(count))]
        case 11:
            return [ObjectId(reader.raw(12)) for _ in range(count)]
        case 12:
            return [UUID(bytes=reader.raw(16)) for _ in range(count)]
        case 13:
            return [Link(key) for key in read_keys(reader, count)]
        case 14:
            return [read_value(reader) for _ in range(count)]
        case 15:
            return [Decimal128(reader.raw(16)) for _ in range(count)]
        case _:
            raise Malformed(f"{form} is no form of a column")


def write_keys(writer: Writer, keys: Sequence[Key]) -> None:
    ints = [key for key in keys if isinstance(key, int)]
    texts = [key.encode() for key in keys if isinstance(key, str)]
    if len(ints) == len(keys):
        writer.byte(0)
        writer.integers(ints)
    elif len(texts) == len(keys):
        writer.byte(1)
        write_chunks(writer, texts)
    else:
        writer.byte(6)
        for key in keys:
            write_key(writer, key)


def read_keys(reader: Reader, count: int) -> Sequence[Key]:
    match reader.byte():
        case 0:
            return reader.integers(count)
        case 1:
            return [value.decode() for value in read_chunks(reader, count)]
        case 2:
            return read_dictionary(reader, count)
        case 3:
            return [ObjectId(reader.raw(12)) for _ in range(count)]
        case 4:
            return [UUID(bytes=reader.raw(16)) for _ in range(count)]
        case 5:
            client = reader.fixed64()
            return [ElementId(client, counter) for counter in reader.integers(count)]
        case 6:
            return [read_key(reader) for _ in range(count)]
        case other:
            raise Malformed(f"{other} is no form of a column of keys")
