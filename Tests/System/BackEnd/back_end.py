"""A back end: calls the data API over one connection, which it keeps open."""

import http.client
import json
import ssl
from typing import Any


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class BackEnd:
    def __init__(self, port: int, authority: str, database: str, token: str) -> None:
        self.port, self.database, self.token = port, database, token
        self._trust = ssl.create_default_context(cafile=authority)
        self._connection: http.client.HTTPSConnection | None = None

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Sends a request once; raises OSError or HTTPException when there is no answer. A path that begins with a slash
        is one of the server, all others are of the database."""
        if not self._connection:
            self._connection = http.client.HTTPSConnection("localhost", self.port, timeout=60, context=self._trust)
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            self._connection.request(
                method,
                path if path.startswith("/") else f"/api/v1/{self.database}/{path}",
                content,
                {"Authorization": f"Bearer {self.token}", **named},
            )
            answer = self._connection.getresponse()
            return Answer(answer.status, {name.lower(): text for name, text in answer.getheaders()}, answer.read())
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def expect(self, status: int, method: str, path: str, body: Any = None, **headers: str) -> Any:
        answer = self.call(method, path, body, **headers)
        assert answer.status == status, f"{method} {path}: {answer.status} {answer.body.decode()[:500]}"
        return answer.json

    def close(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None
