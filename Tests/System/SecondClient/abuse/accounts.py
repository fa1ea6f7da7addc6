"""ACCOUNTS.md: what users do with their accounts, without end and with what is not theirs."""

import json
from pathlib import Path

from .callers import call
from .target import PASSWORD, Target


def _invented(target: Target) -> tuple[str, str]:
    """The id and the secret of a token, a key or a login that nobody was given."""
    return target.random.randbytes(12).hex(), "A" * 43


def _body(**members: object) -> bytes:
    return json.dumps(members).encode()


def _address(target: Target, among: int) -> str:
    return f"user{target.random.randrange(among)}@example.org"


def password_resets(target: Target) -> None:
    """messages asked for and passwords set anew, of addresses that are known and unknown, with tokens good and bad"""

    def work() -> None:
        connection = target.connection()
        call(target, connection, "register", _body(email=_address(target, 20), password=PASSWORD))
        while target.goes_on:
            address = _address(target, 40)
            call(target, connection, target.random.choice(["sendReset", "resend"]), _body(email=address))
            token = _sent(target)
            for name in ("reset", "confirm"):
                id, secret = target.random.choice([token, _invented(target)])
                call(target, connection, name, _body(password=PASSWORD + "2", token=secret, tokenId=id))
            call(target, connection, "callReset", _body(email=address, password=PASSWORD, arguments=[[1] * 500]))

    target.at_once(6, work)


def _sent(target: Target) -> tuple[str, str]:
    """The token of a message that somebody got, be it an old one."""
    path = Path(target.settings.messages)
    lines = path.read_text().splitlines() if path.exists() else []
    try:
        message = json.loads(target.random.choice(lines[-20:]))
        return message["tokenId"], message["token"]
    except (IndexError, KeyError, ValueError):
        return _invented(target)


def api_keys(target: Target) -> None:
    """keys made, listed, disabled, used and deleted, and as many that nobody made"""

    def work() -> None:
        connection = target.connection()
        token = target.token
        while target.goes_on:
            name = f"key{target.random.randrange(1 << 40)}"
            made = call(target, connection, "createKey", _body(name=name), token)
            id = made.get("id") or _invented(target)[0]
            for key in (made.get("key"), ".".join(_invented(target))):
                call(target, connection, "login", _body(provider="api-key", key=key or ".".join(_invented(target))))
            for name in ("keys", "key", "disableKey", "enableKey", "deleteKey"):
                call(target, connection, name, _body(id=id), token)

    target.at_once(4, work)


def kept_keys(target: Target) -> None:
    """keys without end that nobody deletes, listed after each"""

    def work() -> None:
        connection = target.connection()
        token = target.token
        while target.goes_on:
            call(target, connection, "createKey", _body(name=f"kept{target.random.randrange(1 << 60)}"), token)
            call(target, connection, "keys", b"{}", token)

    target.at_once(4, work)


def logins(target: Target) -> None:
    """logins that are refreshed, linked, looked at and ended, and as many that nobody has"""

    def work() -> None:
        connection = target.connection()
        while target.goes_on:
            user = call(target, connection, "login", b'{"provider":"anon-user"}')
            token = user.get("accessToken") or target.token
            refresh = user.get("refreshToken") or ".".join(_invented(target))
            for one in (refresh, ".".join(_invented(target))):
                call(target, connection, "refresh", _body(refreshToken=one))
            credentials = _body(provider="local-userpass", email=_address(target, 40), password=PASSWORD)
            call(target, connection, "link", credentials, token)
            call(target, connection, "profile", b"{}", token)
            call(target, connection, "function", _body(name="none", arguments=[[[1]] * 500]), token)
            call(target, connection, target.random.choice(["logout", "delete"]), _body(refreshToken=refresh), token)

    target.at_once(4, work)


ACCOUNTS = [password_resets, api_keys, kept_keys, logins]
