"""A sync-server in a folder of its own, on a free port of 127.0.0.1."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from .connection import Connection


class Server:
    def __init__(
        self, program: Path, folder: Path, database: str = "second", settings: str = "", more_databases: str = ""
    ) -> None:
        self.program, self.folder, self.database = program, folder, database
        folder.mkdir(parents=True, exist_ok=True)
        self._tool("keys", "--folder", str(folder / "keys"))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        (folder / "sync-server.yaml").write_text(
            f"""
listen: {{host: 127.0.0.1, port: {self.port}}}
tls: {{certificate: keys/server.pem, key: keys/server-key.pem}}
tokens: {{keys: [{{file: keys/token-public.pem, algorithm: ES256}}]}}
databases: [{{name: {database}, folder: data}}, {more_databases}]
{settings}
"""
        )
        self._process: subprocess.Popen | None = None

    @property
    def authority(self) -> str:
        return str(self.folder / "keys/ca.pem")

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    @property
    def process_id(self) -> int:
        assert self._process, "the server was not started"
        return self._process.pid

    def token(self, user: str) -> str:
        return self._tool("token", "--key", str(self.folder / "keys/token-private.pem"), "--user", user)

    def connection(self) -> Connection:
        return Connection("127.0.0.1", self.port, self.authority)

    def count(self, class_name: str, predicate: str = "TRUEPREDICATE") -> int:
        """What the operator sees."""
        return int(
            self._tool(
                *("query", "--configuration", str(self.folder / "sync-server.yaml"), "--database", self.database),
                *("--class", class_name, "--filter", predicate, "--count"),
            )
        )

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [self.program, "serve", "--configuration", str(self.folder / "sync-server.yaml")],
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.is_running:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError(f"the server does not listen:\n{self.log.read_text()}")

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def end(self) -> int:
        """Asks it to end, and makes it end; its exit status."""
        if not self._process:
            return 0
        if self.is_running:
            os.kill(self._process.pid, signal.SIGTERM)
        try:
            return self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def verify(self) -> list[str]:
        """What is wrong with the databases, while nobody serves them."""
        file = str(self.folder / "sync-server.yaml")
        done = subprocess.run([self.program, "verify", "--configuration", file], capture_output=True, text=True)
        return [f"verify: {done.stdout}{done.stderr}"] if done.returncode else []

    def _tool(self, *arguments: str) -> str:
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{self.program.name} {' '.join(arguments)}: {done.stderr}{done.stdout}")
        return done.stdout.strip()
