"""ENCODING.md, section 1: the parts that everything else is written with."""

import struct


class Malformed(Exception):
    """Bytes that are not what the page says."""


class Writer:
    """Puts parts behind each other."""

    def __init__(self) -> None:
        self.bytes = bytearray()

    def byte(self, value: int) -> None:
        self.bytes.append(value)

    def raw(self, value: bytes | bytearray) -> None:
        self.bytes += value

    def varint(self, value: int) -> None:
        while value >= 0x80:
            self.bytes.append(value & 0x7F | 0x80)
            value >>= 7
        self.bytes.append(value)

    def signed(self, value: int) -> None:
        self.varint((value << 1 ^ value >> 63) & 0xFFFF_FFFF_FFFF_FFFF)

    def fixed32(self, value: int) -> None:
        self.bytes += struct.pack("<I", value)

    def fixed64(self, value: int) -> None:
        self.bytes += struct.pack("<Q", value)

    def text(self, value: str) -> None:
        self.data(value.encode())

    def data(self, value: bytes) -> None:
        self.varint(len(value))
        self.bytes += value

    def bits(self, values: list[bool]) -> None:
        packed = bytearray((len(values) + 7) // 8)
        for index, value in enumerate(values):
            if value:
                packed[index // 8] |= 1 << index % 8
        self.bytes += packed

    def integers(self, values: list[int]) -> None:
        if not values:
            return
        if all(value == values[0] for value in values):
            self.byte(2)
            self.signed(values[0])
            return
        each, differences, last = Writer(), Writer(), 0
        for value in values:
            each.signed(value)
            differences.signed(wrapped(value - last))
            last = value
        shorter_is_each = len(each.bytes) <= len(differences.bytes)
        self.byte(0 if shorter_is_each else 1)
        self.raw(each.bytes if shorter_is_each else differences.bytes)


class Reader:
    """Takes parts off, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data_bytes = data
        self.offset = 0

    @property
    def left(self) -> int:
        return len(self.data_bytes) - self.offset

    def raw(self, count: int) -> bytes:
        if count > self.left:
            raise Malformed(f"{count} bytes are wanted and {self.left} are left, at {self.offset}")
        taken = self.data_bytes[self.offset : self.offset + count]
        self.offset += count
        return bytes(taken)

    def rest(self) -> bytes:
        return self.raw(self.left)

    def finish(self) -> None:
        if self.left:
            raise Malformed(f"{self.left} bytes stand behind the end")

    def byte(self) -> int:
        return self.raw(1)[0]

    def varint(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                if value >> 64 or (byte == 0 and shift > 7):
                    raise Malformed(f"a varint that is too long or too large, at {self.offset}")
                return value
            if shift >= 70:
                raise Malformed(f"a varint of more than ten bytes, at {self.offset}")

    def signed(self) -> int:
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def fixed32(self) -> int:
        return struct.unpack("<I", self.raw(4))[0]

    def fixed64(self) -> int:
        return struct.unpack("<Q", self.raw(8))[0]

    def text(self) -> str:
        return self.raw(self.varint()).decode()

    def data(self) -> bytes:
        return self.raw(self.varint())

    def bits(self, count: int) -> list[bool]:
        packed = self.raw((count + 7) // 8)
        if count % 8 and packed[-1] >> count % 8:
            raise Malformed("a bit is set behind the last one")
        return [packed[index // 8] >> index % 8 & 1 == 1 for index in range(count)]

    def integers(self, count: int) -> list[int]:
        if count == 0:
            return []
        form = self.byte()
        if form == 2:
            return [self.signed()] * count
        if form > 2:
            raise Malformed(f"{form} is no form of integers")
        values, last = [], 0
        for _ in range(count):
            value = self.signed()
            last = value if form == 0 else wrapped(last + value)
            values.append(last)
        return values


def wrapped(value: int) -> int:
    """A sum or difference as 64 bits hold it."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)
