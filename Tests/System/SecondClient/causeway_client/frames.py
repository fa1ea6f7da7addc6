"""PROTOCOL.md, "Frames": the stream of bytes as messages."""

import struct
from collections.abc import Iterator

import zstandard

HEADER_BYTES = 9
COMPRESSED, CONTINUES = 1, 2
FRAME_BYTES_MAX = 4 << 20
PAYLOAD_BYTES_MAX = 16 << 20
COMPRESSED_FROM_BYTES = 512


class FrameDamaged(Exception):
    """Nothing behind this frame can be trusted: the stream is given up."""


def _table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F6_3B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC = _table()


def crc32c(*pieces: bytes | bytearray) -> int:
    crc, table = 0xFFFF_FFFF, _CRC
    for piece in pieces:
        for byte in piece:
            crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFF_FFFF


def frame(stored: bytes, flags: int) -> bytes:
    head = struct.pack("<IB", len(stored), flags)
    return head + struct.pack("<I", crc32c(head, stored)) + stored


def write_message(message: bytes) -> bytes:
    pieces = [message[start : start + FRAME_BYTES_MAX] for start in range(0, len(message), FRAME_BYTES_MAX)] or [b""]
    frames = bytearray()
    for number, piece in enumerate(pieces):
        flags = CONTINUES if number + 1 < len(pieces) else 0
        if len(piece) >= COMPRESSED_FROM_BYTES:
            shorter = zstandard.ZstdCompressor(write_content_size=True).compress(piece)
            if len(shorter) < len(piece):
                piece, flags = shorter, flags | COMPRESSED
        frames += frame(piece, flags)
    return bytes(frames)


class MessageReader:
    """Told the bytes as they come, it says which messages are whole, and how many bytes each took on the wire."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._message = bytearray()
        self._message_wire_bytes = 0

    def feed(self, data: bytes) -> Iterator[tuple[bytes, int]]:
        self._bytes += data
        while len(self._bytes) >= HEADER_BYTES:
            size, flags = struct.unpack_from("<IB", self._bytes)
            if flags & ~(COMPRESSED | CONTINUES):
                raise FrameDamaged(f"flags {flags}")
            if len(self._bytes) < HEADER_BYTES + size:
                return
            stored = bytes(self._bytes[HEADER_BYTES : HEADER_BYTES + size])
            if struct.unpack_from("<I", self._bytes, 5)[0] != crc32c(self._bytes[:5], stored):
                raise FrameDamaged("the checksum does not match")
            del self._bytes[: HEADER_BYTES + size]
            self._message += self._payload(stored) if flags & COMPRESSED else stored
            self._message_wire_bytes += HEADER_BYTES + size
            if not flags & CONTINUES:
                yield bytes(self._message), self._message_wire_bytes
                self._message, self._message_wire_bytes = bytearray(), 0

    @staticmethod
    def _payload(stored: bytes) -> bytes:
        size = zstandard.frame_content_size(stored)
        if not 0 <= size <= PAYLOAD_BYTES_MAX:
            raise FrameDamaged(f"a compressed payload of {size} bytes")
        return zstandard.ZstdDecompressor().decompress(stored)


def read_one(data: bytes) -> bytes:
    messages = list(MessageReader().feed(data))
    if len(messages) != 1:
        raise FrameDamaged(f"{len(messages)} messages where one was expected")
    return messages[0][0]
