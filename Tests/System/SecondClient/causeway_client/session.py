"""PROTOCOL.md, "Messages": the requests of one client of one database, as calls."""

from collections.abc import Iterator
from urllib.parse import quote

from .changesets import Changeset, ChangesetWriter
from .connection import Connection
from .envelopes import message, pb, read_message
from .frames import MessageReader, read_one, write_message


class Refused(Exception):
    """The server answered with a failure."""

    def __init__(self, status: int, failure) -> None:
        super().__init__(f"{status}: {failure.code} {failure.message}")
        self.status = status
        self.failure = failure
        self.code: int = failure.code


class Session:
    def __init__(self, connection: Connection, database: str, token: str) -> None:
        self.connection = connection
        self.token = token
        self.number = 0
        self.database = database
        self._path = f"/v1/{quote(database, safe='')}/"

    def hello(self, hello):
        welcome, _ = self._call("session", message(hello), pb.Welcome)
        self.number = welcome.session
        return welcome

    def download(self) -> Iterator[tuple]:
        """Each message with its body, and the bytes to give credit for."""
        body = write_message(message(pb.DownloadRequest(session=self.number)))
        status, pieces = self.connection.stream(self._path + "download", self.token, body)
        if status != 200:
            raise Refused(status, read_message(pb.Failure, read_one(b"".join(pieces)))[0])
        reader = MessageReader()
        for piece in pieces:
            for payload, wire_bytes in reader.feed(piece):
                yield *read_message(pb.DownloadMessage, payload), wire_bytes

    def upload(self, changesets: list[Changeset], opening: int = 0, run: int = 0):
        """All of one opening of the file, and made on versions of one run of the server. Zero says nothing."""
        body = ChangesetWriter().document(changesets)
        envelope = pb.UploadRequest(session=self.number, opening=opening, run=run)
        return self._call("upload", message(envelope, body), pb.UploadAnswer)[0]

    def ingest(self, client: int, entries: list[Changeset], opening: int = 0) -> int:
        """One-way entries, each as a changeset whose stamp and base are zero; the first one's number counts."""
        envelope = pb.IngestRequest(client=client, first=entries[0].sequence, opening=opening)
        body = ChangesetWriter().document(entries)
        return self._call("ingest", message(envelope, body), pb.IngestAnswer)[0].acknowledged

    def credit(self, wire_bytes: int) -> None:
        self._accepted("credit", pb.CreditRequest(session=self.number, bytes=wire_bytes))

    def mark(self, mark: int) -> None:
        self._accepted("mark", pb.MarkRequest(session=self.number, mark=mark))

    def subscriptions(self, wanted) -> None:
        self._accepted("subscriptions", pb.SubscriptionsRequest(session=self.number, wanted=wanted))

    def resync(self, question: int, digests: bytes) -> None:
        self._accepted("resync", pb.ResyncRequest(session=self.number, number=question), digests)

    def call(self, name: str, body: bytes) -> tuple[int, bytes]:
        """A request with whatever bytes."""
        return self.connection.request("POST", self._path + name, self.token, body)

    def _accepted(self, name: str, envelope, body: bytes = b"") -> None:
        self._call(name, message(envelope, body), pb.Accepted)

    def _call(self, name: str, payload: bytes, kind) -> tuple:
        status, answer = self.call(name, write_message(payload))
        if status != 200:
            raise Refused(status, read_message(pb.Failure, read_one(answer))[0])
        return read_message(kind, read_one(answer))
