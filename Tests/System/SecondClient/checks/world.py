"""A daemon, and devices of users whose names no other scenario has."""

import itertools

from causeway_client.connection import Connection
from causeway_client.device import Device
from causeway_client.schema import ClassSchema, Collection, Kind, Property, Schema, Type
from causeway_client.server import Server

_numbers = itertools.count(1)

KEY = Property("_id", Type.INT, primary_key=True)
ITEM = ClassSchema(
    "Item", (KEY, Property("owner", Type.STRING), Property("size", Type.INT), Property("done", Type.BOOL))
)
REPORT = ClassSchema("Report", (KEY, Property("text", Type.STRING)), Kind.ONE_WAY)
PLACE = ClassSchema("Place", (Property("street", Type.STRING),), Kind.EMBEDDED)
EVERYTHING = ClassSchema(
    "Everything",
    (
        KEY,
        *(
            Property(f"{kind.name.lower()}", kind, optional=True)
            for kind in Type
            if kind not in (Type.LINK, Type.COUNTER)
        ),
        Property("item", Type.LINK, target="Item", optional=True),
        Property("place", Type.LINK, target="Place", optional=True),
        Property("counter", Type.COUNTER),
        Property("list", Type.STRING, Collection.LIST),
        Property("set", Type.INT, Collection.SET),
        Property("map", Type.DOUBLE, Collection.MAP),
        Property("text", Type.STRING, Collection.TEXT),
    ),
)
SCHEMA: Schema = (ITEM, REPORT, PLACE, EVERYTHING)


class World:
    def __init__(self, server: Server) -> None:
        self.server = server
        self.user = f"user-{next(_numbers)}"
        self._connections: list[Connection] = []

    def connection(self) -> Connection:
        connection = self.server.connection()
        self._connections.append(connection)
        return connection

    def device(
        self,
        *queries: tuple[str, str],
        schema: Schema = SCHEMA,
        user: str | None = None,
        protocol_highest: int = 2,
    ) -> Device:
        device = Device(self.connection(), self.server.database, self.server.token(user or self.user), schema)
        device.protocol_highest = protocol_highest
        device.subscribe(*queries)
        device.connect()
        return device

    @property
    def own(self) -> tuple[str, str]:
        """The items of this scenario."""
        return "Item", f"owner == '{self.user}'"

    def end(self) -> None:
        for connection in self._connections:
            connection.close()
