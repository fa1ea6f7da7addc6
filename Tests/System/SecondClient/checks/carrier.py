"""PROTOCOL.md, "Carrier" and "Errors": statuses and codes."""

from causeway_client.envelopes import message, pb, read_message
from causeway_client.frames import read_one, write_message
from causeway_client.session import Refused, Session

from .world import World


def expect(code: int, status: int, call) -> None:
    try:
        call()
    except Refused as refused:
        assert (refused.code, refused.status) == (code, status), refused
        assert refused.failure.message
    else:
        raise AssertionError(f"expected {code}")


def health(world: World) -> None:
    """the daemon says that it lives and that it is ready"""
    connection = world.connection()
    for path in ("/healthz", "/readyz"):
        status, text = connection.request("GET", path)
        assert status == 200 and text.endswith(b"\n"), (path, status, text)


def tokens(world: World) -> None:
    """no token, a token that is none, and an unknown database are told apart"""
    connection = world.connection()
    hello = pb.Hello(client=7, protocol_lowest=1, protocol_highest=1)
    status, answer = connection.request("POST", f"/v1/{world.server.database}/session", None, b"x")
    assert (status, read_message(pb.Failure, read_one(answer))[0].code) == (401, 101)
    expect(101, 401, lambda: Session(connection, world.server.database, "e30.e30.e30").hello(hello))
    token = world.server.token(world.user)
    expect(201, 404, lambda: Session(connection, "elsewhere", token).hello(hello))


def versions(world: World) -> None:
    """a hello of another protocol version is refused with 203"""
    session = Session(world.connection(), world.server.database, world.server.token(world.user))
    expect(203, 400, lambda: session.hello(pb.Hello(client=7, protocol_lowest=3, protocol_highest=9)))


def damage(world: World) -> None:
    """a damaged frame is 301, a message that is none 303, a path that is none 204"""
    session = Session(world.connection(), world.server.database, world.server.token(world.user))
    whole = write_message(message(pb.Hello(client=7, protocol_lowest=1, protocol_highest=1)))
    for code, body in ((301, whole[:-1] + bytes([whole[-1] ^ 1])), (301, whole[:-2]), (303, write_message(b"\x05ab"))):
        status, answer = session.call("session", body)
        assert (status, read_message(pb.Failure, read_one(answer))[0].code) == (400, code), (code, status)
    status, answer = session.call("nowhere", whole)
    assert (status, read_message(pb.Failure, read_one(answer))[0].code) == (404, 204)


def unknown_session(world: World) -> None:
    """an unknown session is 202, in a download as its last message"""
    session = Session(world.connection(), world.server.database, world.server.token(world.user))
    session.number = 12345
    expect(202, 410, lambda: session.mark(1))
    kinds = [(one.WhichOneof("kind"), one.end.code) for one, _, _ in session.download()]
    assert kinds == [("end", 202)], kinds


CARRIER = [health, tokens, versions, damage, unknown_session]
