"""Tokens and accounts: what is read before anybody knows who calls."""

import base64
import json

from causeway_client.connection import Connection

from .target import PASSWORD, Target

NESTED_BYTES = 15_000


def _segment(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _nested(target: Target, size: int) -> str:
    """As deep as that many bytes can be, and as wide further in."""
    begin, end = target.random.choice([("[", "]"), ('{"a":', "}")])
    depth = target.random.choice([size // (len(begin) + len(end)), 500])
    inner = "0" if depth > 500 else "[" + "0," * ((size - depth * 6) // 2) + "0]"
    return begin * depth + inner + end * depth


def _with_tokens(target: Target, make) -> None:
    def work() -> None:
        connection = target.connection()
        while target.goes_on:
            target.count()
            connection.request("POST", target.path("session"), make(), b"x")

    target.at_once(4, work)


def nested_headers(target: Target) -> None:
    """tokens whose header is JSON nested as deep as it can be"""

    def make() -> str:
        value = _nested(target, NESTED_BYTES * 3 // 4 - 100)
        return ".".join((_segment('{"alg":"ES256","x":' + value + "}"), "e30", "AAAA"))

    _with_tokens(target, make)


def nested_claims(target: Target) -> None:
    """tokens whose claims are JSON nested as deep as it can be"""

    def make() -> str:
        value = _nested(target, NESTED_BYTES * 3 // 4 - 100)
        return ".".join((_segment('{"alg":"ES256"}'), _segment('{"sub":"m","x":' + value + "}"), "A" * 86))

    _with_tokens(target, make)


def wrong_signatures(target: Target) -> None:
    """tokens of the right form whose signature is somebody else's"""

    def make() -> str:
        head, claims, _ = target.token.split(".")
        return ".".join((head, claims, _segment(target.random.randbytes(32).hex())[:86]))

    _with_tokens(target, make)


def no_algorithm(target: Target) -> None:
    """tokens that want no signature, or another one than the key's"""

    def make() -> str:
        algorithm = target.random.choice(["none", "None", "HS256", "RS512", "", "ES256K"])
        claims = {"sub": "admin", "exp": 1 << 40, "aud": [f"a{n}" for n in range(200)]}
        return ".".join((_segment(json.dumps({"alg": algorithm})), _segment(json.dumps(claims)), ""))

    _with_tokens(target, make)


def call(target: Target, connection: Connection, name: str, body: bytes, token: str | None = None) -> dict:
    """The answer; of a call that was refused, nothing. Whatever it gives out is a secret from then on."""
    target.count()
    status, text = connection.request("POST", target.path(f"auth/{name}"), token, body)
    answer = json.loads(text) if status == 200 else {}
    target.keep_secret(*(answer[part] for part in ("accessToken", "refreshToken", "key") if part in answer))
    return answer


def _account(target: Target, name: str, make, workers: int = 4) -> None:
    def work() -> None:
        connection = target.connection()
        while target.goes_on:
            call(target, connection, name, make())

    target.at_once(workers, work)


def nested_bodies(target: Target) -> None:
    """account calls whose body is JSON nested as deep as it can be"""
    _account(target, "login", lambda: _nested(target, 65_000).encode())


def large_bodies(target: Target) -> None:
    """account calls with the largest body there may be, and larger ones"""
    for_nothing = ("x" * 60_000, "x" * 70_000)
    _account(
        target,
        "login",
        lambda: json.dumps({"provider": "local-userpass", "email": target.random.choice(for_nothing)}).encode(),
    )


def log_ins(target: Target) -> None:
    """many log-ins at once with wrong passwords, each of which is hashed"""

    def make() -> bytes:
        name = f"user{target.random.randrange(1_000_000)}@example.org"
        return json.dumps({"provider": "local-userpass", "email": name, "password": f"{PASSWORD} not"}).encode()

    _account(target, "login", make, 16)


def registrations(target: Target) -> None:
    """many registrations at once, each of which is hashed"""

    def make() -> bytes:
        name = f"user{target.random.randrange(1 << 60)}@example.org"
        return json.dumps({"email": name, "password": PASSWORD * 4}).encode()

    _account(target, "register", make, 16)


def anonymous_users(target: Target) -> None:
    """anonymous users without end"""
    _account(target, "login", lambda: b'{"provider":"anon-user"}')


CALLERS = [
    nested_headers,
    nested_claims,
    wrong_signatures,
    no_algorithm,
    nested_bodies,
    large_bodies,
    log_ins,
    registrations,
    anonymous_users,
]
