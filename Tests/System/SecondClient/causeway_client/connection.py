"""PROTOCOL.md, "Carrier": HTTP/2 over TLS, one connection for many requests.

One thread reads the socket and hands what comes to whoever waits for it. Requests may be made from any thread.
"""

import queue
import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import h2.config
import h2.connection
import h2.events
import h2.exceptions

T = TypeVar("T")
MEDIA_TYPE = "application/vnd.causeway.frames"


class ConnectionLost(Exception):
    """The connection, or the stream, ended before the answer did."""


@dataclass
class Stream:
    number: int
    # The status, pieces of the body, and at the end None, or why there is no end.
    arrived: queue.SimpleQueue = field(default_factory=queue.SimpleQueue)


def connect_tls(host: str, port: int, authority: str, timeout_seconds: float = 30) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=authority)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["h2"])
    connection = socket.create_connection((host, port), timeout_seconds)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return context.wrap_socket(connection, server_hostname="localhost")


class Connection:
    def __init__(self, host: str, port: int, authority: str) -> None:
        self._socket = connect_tls(host, port, authority)
        self._socket.setblocking(False)
        # OpenSSL's state of a connection is for one thread at a time.
        self._tls = threading.Lock()
        self._h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        # Guards the state of the protocol and the order of what is sent; told whenever a window opens.
        self._changed = threading.Condition()
        self._streams: dict[int, Stream] = {}
        self._is_lost = False
        with self._changed:
            self._h2.initiate_connection()
            # So that many downloads at once are not held up by the window that they share.
            self._h2.increment_flow_control_window(16 << 20)
            self._flush()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def request(self, method: str, path: str, token: str | None = None, body: bytes = b"") -> tuple[int, bytes]:
        stream = self._begin(method, path, token, body)
        status = self._status(stream)
        return status, b"".join(self._pieces(stream))

    def stream(self, path: str, token: str, body: bytes) -> tuple[int, Iterator[bytes]]:
        """An answer that lasts: its pieces as they come."""
        stream = self._begin("POST", path, token, body)
        return self._status(stream), self._pieces(stream)

    def close(self) -> None:
        with self._changed:
            if not self._is_lost:
                self._h2.close_connection()
                self._flush()
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._thread.join()
        self._socket.close()

    # What goes out

    def _begin(self, method: str, path: str, token: str | None, body: bytes) -> Stream:
        headers = [(":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path)]
        if token is not None:
            headers.append(("authorization", f"Bearer {token}"))
        if body:
            headers += [("content-type", MEDIA_TYPE), ("content-length", str(len(body)))]
        with self._changed:
            self._check()
            stream = Stream(self._h2.get_next_available_stream_id())
            self._streams[stream.number] = stream
            self._h2.send_headers(stream.number, headers, end_stream=not body)
            self._flush()
        if body:
            self._send(stream.number, memoryview(body))
        return stream

    def _send(self, number: int, body: memoryview) -> None:
        """As much at a time as the windows of the stream and of the connection let through."""
        while body:
            with self._changed:
                room = 0
                while not room:
                    self._check()
                    try:
                        window = self._h2.local_flow_control_window(number)
                    except h2.exceptions.StreamClosedError:
                        return  # the server has answered without wanting the rest
                    room = min(window, self._h2.max_outbound_frame_size, len(body))
                    if not room:
                        self._changed.wait()
                self._h2.send_data(number, bytes(body[:room]), end_stream=room == len(body))
                self._flush()
            body = body[room:]

    def _flush(self) -> None:
        data = self._h2.data_to_send()
        rest = memoryview(data)
        while rest:
            rest = rest[self._when_ready(select.POLLOUT, lambda: self._socket.send(rest)) :]

    def _when_ready(self, event: int, operation: Callable[[], T]) -> T:
        """Does it as soon as the socket lets it, one thread at a time."""
        while True:
            with self._tls:
                try:
                    return operation()
                except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    pass
            # Not `select`, which knows a thousand sockets only.
            poll = select.poll()
            poll.register(self._socket, event)
            poll.poll(1_000)

    def _check(self) -> None:
        if self._is_lost:
            raise ConnectionLost("the connection is closed")

    # What comes in

    @staticmethod
    def _status(stream: Stream) -> int:
        status = stream.arrived.get()
        if not isinstance(status, int):
            raise status or ConnectionLost("no answer came")
        return status

    def _pieces(self, stream: Stream) -> Iterator[bytes]:
        while (piece := stream.arrived.get()) is not None:
            if isinstance(piece, ConnectionLost):
                raise piece
            yield piece

    def _read(self) -> None:
        try:
            while data := self._when_ready(select.POLLIN, lambda: self._socket.recv(1 << 16)):
                with self._changed:
                    for event in self._h2.receive_data(data):
                        self._take(event)
                    self._flush()
                    self._changed.notify_all()
        except (OSError, h2.exceptions.ProtocolError):
            pass
        with self._changed:
            self._is_lost = True
            for stream in self._streams.values():
                stream.arrived.put(ConnectionLost("the connection is closed"))
            self._changed.notify_all()

    def _take(self, event: h2.events.Event) -> None:
        stream = self._streams.get(getattr(event, "stream_id", 0))
        match event:
            case h2.events.ResponseReceived() if stream:
                stream.arrived.put(next(int(value) for name, value in event.headers if name == ":status"))
            case h2.events.DataReceived():
                if stream:
                    stream.arrived.put(event.data)
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            case h2.events.StreamEnded() if stream:
                stream.arrived.put(None)
                del self._streams[stream.number]
            case h2.events.StreamReset() if stream:
                stream.arrived.put(ConnectionLost(f"the stream was reset with {event.error_code}"))
                del self._streams[stream.number]
