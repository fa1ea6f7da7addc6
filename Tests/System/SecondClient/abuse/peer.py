"""HTTP/2 by hand: whatever frames, in whatever order, without reading what comes back unless asked to."""

import select
import socket
import ssl
import struct

from hpack import Encoder

from causeway_client.connection import connect_tls

from .target import Target

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS, ACKNOWLEDGED = 1, 4, 1


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


class Peer:
    def __init__(self, target: Target, settings: bytes = b"") -> None:
        self._target = target
        self.socket: ssl.SSLSocket = connect_tls(
            target.settings.host, target.settings.port, target.settings.authority, 5
        )
        self.socket.settimeout(5)
        self._encoder = Encoder()
        self._next_stream = 1
        self.send(PREFACE + frame(SETTINGS, 0, 0, settings))

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def skim(self) -> None:
        """Takes what has come, and throws it away, so that the server is not held up by it."""
        while self.socket.pending() or select.select([self.socket], [], [], 0)[0]:
            if not self.socket.recv(1 << 16):
                raise ConnectionResetError("the server has closed the connection")

    def next_stream(self) -> int:
        self._next_stream += 2
        return self._next_stream - 2

    def head(
        self, path: str, token: str | None = None, method: str = "POST", more: list[tuple[str, str]] = []
    ) -> bytes:
        fields = [(":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path)]
        if token:
            fields.append(("authorization", f"Bearer {token}"))
        return self._encoder.encode(fields + more)

    def request(self, path: str, token: str | None = None, method: str = "POST", flags: int = 0) -> tuple[int, bytes]:
        """The number of a new stream, and the frame of its head."""
        stream = self.next_stream()
        return stream, frame(HEADERS, END_HEADERS | flags, stream, self.head(path, token, method))


def bare(target: Target) -> socket.socket:
    return socket.create_connection((target.settings.host, target.settings.port), 5)
