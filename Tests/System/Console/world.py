"""A daemon with two databases, rules, devices, and something that needs attention."""

import base64
import math
import secrets
import socket
import subprocess
import threading
import time
from pathlib import Path

from browsed import HOSTILE
from causeway_client.changesets import Create, Delete, Field, Set
from causeway_client.connection import Connection
from causeway_client.device import Device
from causeway_client.schema import ClassSchema, Property, Type
from causeway_client.server import Server
from causeway_client.values import Link

TOKEN = "an-administrators-token-of-a-test-0123456789"

FLIGHT = ClassSchema(
    "Flight",
    (
        Property("row", Type.INT, primary_key=True),
        Property("airline", Type.STRING),
        Property("origin", Type.STRING),
        Property("gate", Type.STRING, optional=True),
        Property("price", Type.DOUBLE),
    ),
)
# More classes than a page of the API has.
MANY = tuple(
    ClassSchema(f"Kind{number:03}", (Property("_id", Type.INT, primary_key=True),)) for number in range(120)
)
NOTE = ClassSchema(
    "Note",
    (
        Property("_id", Type.INT, primary_key=True),
        Property("text", Type.STRING),
        Property("author", Type.LINK, optional=True, target="Author"),
    ),
)
AUTHOR = ClassSchema("Author", (Property("_id", Type.STRING, primary_key=True), Property("name", Type.STRING)))
# More than a screen, and more than the page keeps.
NOTES = 2_500
# Of one author.
SIGNED_NOTES = 25
# Of another one, and the others have none.
GRACES_NOTES = range(200, 240)

FLIGHTS = """{name: flights, folder: flights, permissions: {classes: {Flight: {
    read: "airline == $user.claims.airline OR $user.claims.role == 'operations'",
    write: "airline == $user.claims.airline", delete: false,
    properties: {price: {read: "$user.claims.role == 'sales'", write: true}}}}},
    webhooks: [{name: orders, url: "https://127.0.0.1:9/orders", secretFile: hook-secret, trustRoots: keys/ca.pem}]}"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class World:
    def __init__(self, program: Path, folder: Path) -> None:
        self.admin_port = free_port()
        settings = (
            f"admin: {{port: {self.admin_port}, tokenFile: admin-token}}\n"
            "backups: {folder: backups}\nlimits: {gracefulEndSeconds: 1}\ndatabasesFolder: databases.d"
        )
        self.server = Server(program, folder, database="notes", settings=settings, more_databases=FLIGHTS)
        (folder / "hook-secret").write_bytes(base64.b64encode(secrets.token_bytes(32)))
        (folder / "databases.d").mkdir()
        self.token_file = folder / "admin-token"
        self.token_file.write_text(TOKEN)
        self.server.start()
        self._connections: list[Connection] = []
        self._ends = threading.Event()
        self._writer: threading.Thread | None = None

    def device(
        self, user: str, airline: str, database: str = "flights", schema: tuple[ClassSchema, ...] = (FLIGHT,)
    ) -> Device:
        connection = self.server.connection()
        self._connections.append(connection)
        key = str(self.server.folder / "keys/token-private.pem")
        made = [self.server.program, "token", "--key", key, "--user", user, "--claim", f"airline={airline}"]
        token = subprocess.run(made, capture_output=True, text=True, check=True).stdout.strip()
        device = Device(connection, database, token, schema)
        device.subscribe((schema[0].name, "TRUEPREDICATE"))
        device.connect()
        return device

    def populate(self) -> None:
        self.ada = self.device("ada", "UA")
        self.ada.write(*(flight(row, "UA") for row in range(200)))
        self.device("ben", "DL")
        # A row of another airline, and a delete: the rules refuse both.
        hostile = self.device(HOSTILE, "AA")
        hostile.write(flight(1_000, "AA"), flight(1_001, "UA"), Delete("Flight", 1))
        noted = self.device("carl", "", "notes", (NOTE, AUTHOR, *MANY))
        noted.write(Create("Author", HOSTILE, (Field("name", "Ann"),)), Create("Author", "grace", (Field("name", "Grace"),)))
        for start in range(0, NOTES, 500):
            noted.write(*(note(number) for number in range(start, start + 500)))
        # What the history of an object shows.
        noted.write(Set("Note", 7, Field("text", "changed <b>once</b>")))
        noted.write(Set("Author", "grace", Field("name", "Grace Hopper")))

    def write_on(self) -> None:
        """Keeps writing, so that charts have something to show."""
        device = self.device("dora", "B6")

        def write() -> None:
            row, started = 10_000, time.monotonic()
            while not self._ends.wait(0.2):
                number = round(20 + 15 * math.sin((time.monotonic() - started) / 12))
                device.write(*(flight(row + each, "B6") for each in range(number)))
                row += number
                if row % 9 == 0:
                    device.write(flight(row, "UA"))

        self._writer = threading.Thread(target=write, daemon=True)
        self._writer.start()

    def keep_accounts(self, database: str, program: str) -> None:
        """Has the server keep accounts, of which a program has one."""
        self.server.end()
        file = self.server.folder / "sync-server.yaml"
        file.write_text(file.read_text() + "accounts: {enabled: true}\n")
        self.server.start()
        made = ("accounts", "server-key", "--configuration", str(file), "--database", database, "--name", program)
        subprocess.run([self.server.program, *made], capture_output=True, check=True)

    def damage(self) -> None:
        """Flips a bit of a note's text, wherever the file of the ended server has it. No checksum fits then."""
        file = self.server.folder / "data/database.causeway"
        whole, text = file.read_bytes(), f"{HOSTILE} {NOTES - 1}".encode()
        assert text in whole
        file.write_bytes(whole.replace(text, text[:-1] + bytes([text[-1] ^ 1])))

    def rest(self) -> None:
        self._ends.set()
        if self._writer:
            self._writer.join(20)

    def end(self) -> int:
        self.rest()
        for connection in self._connections:
            connection.close()
        return self.server.end()


def note(number: int) -> Create:
    key = HOSTILE if number < SIGNED_NOTES else "grace" if number in GRACES_NOTES else None
    author = (Field("author", Link(key)),) if key else ()
    return Create("Note", number, (Field("text", f"{HOSTILE} {number}"), *author))


def flight(row: int, airline: str) -> Create:
    gate = (Field("gate", f"{'ABC'[row % 3]}{row % 29}"),) if row % 5 else ()
    price = Field("price", 89.5 + row * 37 % 400)
    return Create("Flight", row, (Field("airline", airline), Field("origin", ("JFK", "LGA", "EWR")[row % 3]), price, *gate))
