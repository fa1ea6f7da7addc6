"""What the machine says of the server, and whether it answers who asks for its health."""

import os
import threading
import time
from pathlib import Path

from causeway_client.connection import Connection, ConnectionLost

from .target import Settings

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def cpu_seconds(process_id: int) -> float:
    fields = Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def memory_mebibytes(process_id: int) -> float:
    """What the process has taken for itself. Pages of its mapped database can be taken back and do not count."""
    for line in Path(f"/proc/{process_id}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("this kernel does not tell anonymous memory")


class Gauge:
    """Looks at the server's memory and health several times a second."""

    def __init__(self, settings: Settings, process_id: int) -> None:
        self._settings, self._process_id = settings, process_id
        self._lock = threading.Lock()
        self._peak = 0.0
        self._slowest = 0.0
        self._asked_at: float | None = None
        self._is_over = False
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._memory, self._health)]
        for thread in self._threads:
            thread.start()

    def take(self) -> tuple[float, float]:
        """The most memory, and the slowest answer about health, since it was last asked."""
        with self._lock:
            if self._asked_at is not None:
                self._slowest = max(self._slowest, time.monotonic() - self._asked_at)
            taken = self._peak, self._slowest
            self._peak = self._slowest = 0.0
        return taken

    def end(self) -> None:
        self._is_over = True

    def _memory(self) -> None:
        while not self._is_over:
            try:
                memory = memory_mebibytes(self._process_id)
            except OSError:
                return
            with self._lock:
                self._peak = max(self._peak, memory)
            time.sleep(0.05)

    def _health(self) -> None:
        connection: Connection | None = None
        while not self._is_over:
            with self._lock:
                self._asked_at = time.monotonic()
            try:
                connection = connection or Connection(
                    self._settings.host, self._settings.port, self._settings.authority
                )
                status, _ = connection.request("GET", "/healthz")
                if status != 200:
                    raise ConnectionLost(f"/healthz answers {status}")
                with self._lock:
                    self._slowest = max(self._slowest, time.monotonic() - self._asked_at)
                    self._asked_at = None
            except (OSError, ConnectionLost):
                connection = None
            time.sleep(0.2)
