"""What the server's log must not hold, whoever sends what."""

import json
import re
from pathlib import Path

from .target import PASSWORD

BYTES_MAX = 1 << 20
# Shorter ones could stand there by chance.
SECRET_BYTES_MIN = 16
ALARM = re.compile(rb"^.* (?:error|critical) sync-server.*$|^.*(?:Fatal error|Crash|\*\*\*).*$", re.MULTILINE)
ADDRESS = re.compile(rb"[\w+-]@[\w-]+\.\w")


class Log:
    """Reads on where it stopped, and looks for errors and for what nobody may learn from a log: passwords, addresses,
    and every token and key that the server took or gave out since the run began."""

    def __init__(self, path: Path, tokens: tuple[str, ...], secrets: Path, messages: Path) -> None:
        self._path, self._secrets_path, self._messages_path = path, secrets, messages
        self._offset = 0
        self._secrets: set[bytes] = {PASSWORD.encode()}
        self._keep(*tokens)

    def troubles(self) -> list[str]:
        self._gather()
        with self._path.open("rb") as log:
            log.seek(self._offset)
            text = log.read()
        self._offset += len(text)
        troubles = []
        if alarm := ALARM.search(text):
            troubles.append(f"the log says: {alarm.group(0).decode(errors='replace')[:200]}")
        if ADDRESS.search(text):
            troubles.append("the log holds an address")
        if shown := [secret for secret in self._secrets if secret in text]:
            troubles.append(f"the log holds {len(shown)} secrets")
        if len(text) > BYTES_MAX:
            troubles.append(f"{len(text) >> 10} KiB of log")
        return troubles

    @property
    def count(self) -> int:
        return len(self._secrets)

    def _gather(self) -> None:
        if self._secrets_path.exists():
            self._keep(*self._secrets_path.read_text().split())
        if self._messages_path.exists():
            for line in self._messages_path.read_text().splitlines():
                try:
                    self._keep(json.loads(line).get("token", ""))
                except ValueError:
                    pass  # the last one is being written

    def _keep(self, *texts: str) -> None:
        """Whole, and the last part by itself, without which a token is worth nothing."""
        for text in texts:
            for one in (text, text.rsplit(".", 1)[-1]):
                if len(one) >= SECRET_BYTES_MIN:
                    self._secrets.add(one.encode())
