"""What a back end may rely on."""

import dataclasses
import http.client
import os
import signal
import socket
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable

from back_end import BackEnd
from causeway_client.schema import ClassSchema, Collection, Kind, Property, Type
from checks.world import World

PLACE = ClassSchema("Place", (Property("street", Type.STRING),), Kind.EMBEDDED)
FLIGHT = ClassSchema(
    "Flight",
    (
        Property("row", Type.INT, primary_key=True),
        Property("origin", Type.STRING),
        Property("gate", Type.STRING, optional=True),
        Property("seats", Type.COUNTER),
        Property("stops", Type.STRING, Collection.LIST),
        Property("place", Type.LINK, target="Place", optional=True),
    ),
)
SCHEMA = (FLIGHT, PLACE)


@dataclasses.dataclass
class Admin:
    """How administrators reach the daemon."""

    port: int
    token: str = "an-administrators-token-of-a-test-0123456789"

    @property
    def settings(self) -> str:
        return (
            f"admin: {{port: {self.port}, tokenFile: admin-token}}\n"
            "databasesFolder: databases.d\nbackups: {folder: backups}"
        )


class Site:
    """A daemon with the data API, whose schema a device has declared."""

    def __init__(self, world: World, api_port: int, admin: Admin | None = None) -> None:
        self.world, self.server, self.api_port, self.admin = world, world.server, api_port, admin
        world.device(("Flight", "TRUEPREDICATE"), schema=SCHEMA)

    def back_end(self, user: str | None = None) -> BackEnd:
        server = self.server
        return BackEnd(self.api_port, server.authority, server.database, server.token(user or self.world.user))


def life_of_an_object(site: Site) -> None:
    """an object is created, read, changed, found and deleted"""
    back_end = site.back_end()
    made = back_end.expect(201, "POST", "objects/Flight", {"row": 1, "origin": "JFK", "seats": 10, "stops": ["a"]})
    assert made["created"] and made["key"] == 1, made
    edits = {"seats": {"$increment": 5}, "stops": {"$append": ["b"]}, "place": {"street": "x"}}
    back_end.expect(200, "PATCH", "objects/Flight/1", edits)
    read = back_end.expect(200, "GET", "objects/Flight/1")
    wanted = {"row": 1, "origin": "JFK", "gate": None, "seats": 15, "stops": ["a", "b"], "place": {"street": "x"}}
    assert read == wanted, read
    query = urllib.parse.urlencode({"where": "origin == 'JFK'", "count": "true"})
    assert back_end.expect(200, "GET", f"objects/Flight?{query}")["count"] == 1
    back_end.expect(200, "DELETE", "objects/Flight/1")
    back_end.expect(404, "GET", "objects/Flight/1")


def pages(site: Site) -> None:
    """pages have every object once while others write"""
    back_end, other = site.back_end(), site.back_end()
    creates = [{"create": "Flight", "object": {"row": 100 + row, "origin": "P"}} for row in range(300)]
    back_end.expect(200, "POST", "transaction", {"operations": creates})
    rows: list[int] = []
    query = {"where": "origin == 'P'", "limit": "50", "fields": "row"}
    while True:
        page = back_end.expect(200, "GET", f"objects/Flight?{urllib.parse.urlencode(query)}")
        rows += [flight["row"] for flight in page["objects"]]
        other.expect(201, "POST", "objects/Flight", {"row": 10_000 + len(rows), "origin": "P"})
        if "next" not in page or len(rows) > 400:
            break
        query["after"] = page["next"]
    assert len(set(rows)) == len(rows) and set(range(100, 400)) <= set(rows), rows


def kill_and_repeat(site: Site) -> None:
    """writes with keys take effect once, though the daemon is killed and every request repeated"""
    site.back_end().expect(201, "POST", "objects/Flight", {"row": 2, "origin": "K"})
    workers, each = 4, 60
    done = [0] * workers

    def work(number: int) -> None:
        back_end = site.back_end()
        for place in range(each):
            # Every third answer counts as lost.
            repeats = 1 if place % 3 == 0 else 0
            while True:
                try:
                    body = {"seats": {"$increment": 1}}
                    answer = back_end.call(
                        "PATCH", "objects/Flight/2", body, Idempotency_Key=f"kill-{number}-{place}"
                    )
                    if answer.status == 200:
                        repeats -= 1
                        if repeats < 0:
                            break
                        continue
                    assert answer.status in (409, 429, 503), answer.body
                except (OSError, http.client.HTTPException):
                    time.sleep(0.05)
            done[number] += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    kills = 0
    for share in (0.25, 0.5, 0.75):
        while sum(done) < share * workers * each and any(thread.is_alive() for thread in threads):
            time.sleep(0.002)
        os.kill(site.server.process_id, signal.SIGKILL)
        site.server.end()
        site.server.start()
        kills += 1
    for thread in threads:
        thread.join(120)
    assert sum(done) == workers * each, done
    seats = site.back_end().expect(200, "GET", "objects/Flight/2")["seats"]
    assert seats == workers * each and kills == 3, seats


def strangers(site: Site) -> None:
    """without a good token nothing is answered"""
    back_end = site.back_end()
    for token in ("", "x.y.z", back_end.token[:-4] + "AAAA"):
        stranger = BackEnd(site.api_port, site.server.authority, site.server.database, token)
        for method, path in (("GET", "schema"), ("GET", "objects/Flight"), ("POST", "transaction")):
            answer = stranger.call(method, path, {} if method == "POST" else None)
            assert answer.status == 401, (token, answer.body)
            stranger.close()
    other = BackEnd(site.api_port, site.server.authority, "nowhere", back_end.token)
    assert other.call("GET", "schema").json["code"] == "databaseUnknown"


def raw(site: Site, request: bytes) -> bytes:
    """Sends bytes as they are, and reads until the daemon closes."""
    trust = ssl.create_default_context(cafile=site.server.authority)
    with socket.create_connection(("localhost", site.api_port), 20) as plain:
        with trust.wrap_socket(plain, server_hostname="localhost") as connection:
            connection.sendall(request)
            received = b""
            while piece := connection.recv(65_536):
                received += piece
            return received


def malformed_requests(site: Site) -> None:
    """requests that break HTTP or lie about their size are refused, and the daemon goes on"""
    back_end = site.back_end()
    start = f"POST /api/v1/{site.server.database}/transaction HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {back_end.token}\r\n"
    end = "connection: close\r\n"
    for rest, status in (
        (f"{end}content-length: 2\r\n\r\n[]", b" 400 "),
        (f"{end}content-length: 2000000\r\n\r\n" + "[" * 2_000_000, b" 413 "),
        (f"{end}content-length: x\r\n\r\n", b" 400 "),
        (f"{end}transfer-encoding: chunked\r\n\r\nzz\r\n", b" 400 "),
    ):
        received = raw(site, (start + rest).encode())
        assert status in received.split(b"\r\n")[0], (rest[:80], received[:200])
    assert b" 400 " in raw(site, b"GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").split(b"\r\n")[0]
    back_end.expect(200, "GET", "schema")


SCENARIOS: list[Callable[[Site], None]] = [life_of_an_object, pages, strangers, malformed_requests, kill_and_repeat]
