"""A headless Chromium, driven by the W3C WebDriver protocol: plain JSON over HTTP to chromedriver."""

import base64
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {
    "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Space": " ", "Shift": "\ue008", "Control": "\ue009",
    "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015",
    "PageUp": "\ue00e", "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011",
}  # fmt: skip
WAIT_SECONDS = 20


class StaleElement(RuntimeError):
    """The page has replaced the element meanwhile."""


class Browser:
    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        driver = shutil.which("chromedriver")
        assert driver, "chromedriver is missing: install chromium-driver"
        self._log = (folder / "chromedriver.log").open("wb")
        self._driver = subprocess.Popen([driver, f"--port={self.port}"], stdout=self._log, stderr=self._log)
        self._root = f"http://127.0.0.1:{self.port}"
        self.wait(self._is_ready, "chromedriver does not answer")
        arguments = [
            "--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-dev-shm-usage",
            f"--user-data-dir={folder / 'profile'}", "--lang=en",
        ]  # fmt: skip
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{made['sessionId']}"

    def end(self) -> None:
        try:
            self._call("DELETE", self._session)
        finally:
            self._driver.terminate()
            self._driver.wait(20)
            self._log.close()

    # The page

    def go(self, address: str) -> None:
        self._ask("POST", "/url", {"url": address})

    def run(self, script: str, *arguments: Any) -> Any:
        """What the body of a function returns in the page."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, selector: str = "body") -> str:
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def wait_for(self, text: str, selector: str = "body") -> None:
        self.wait(lambda: text in self.text(selector), f"“{text}” does not appear in {selector}", self.text)

    def wait(self, holds: Callable[[], bool], words: str, more: Callable[[], str] = lambda: "") -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"{words}\n{more()}")
            time.sleep(0.05)

    def press(self, name: str) -> None:
        """Presses a button or link as a person does who sees its name, once it is there."""
        self.wait(lambda: self._pressed(name), f"there is nothing to press that is named “{name}”", self.text)

    def _pressed(self, name: str) -> bool:
        found = self.run(
            """
            const name = arguments[0];
            // While a dialog asks, nothing behind it can be pressed.
            const place = document.querySelector("dialog[open]") ?? document;
            const all = [...place.querySelectorAll("button, a, summary")];
            const fits = (one) => (one.getAttribute("aria-label") ?? one.textContent).trim().startsWith(name);
            const isSeen = (one) => one.checkVisibility() && !one.closest("[hidden]");
            return all.find((one) => isSeen(one) && fits(one)) ?? null;
            """,
            name,
        )
        if not found:
            return False
        try:
            self._ask("POST", f"/element/{found[ELEMENT]}/click", {})
        except StaleElement:
            # The page has drawn it anew before it was pressed.
            return False
        return True

    def fill(self, label: str, value: str) -> None:
        """Writes into the field of a label, once it is there."""
        field = """
            const place = document.querySelector("dialog[open]") ?? document;
            const label = [...place.querySelectorAll("label")]
                .find((one) => one.checkVisibility() && one.textContent.trim() === arguments[0]);
            return label?.control ?? null;
            """
        self.wait(lambda: self.run(field, label) is not None, f"there is no field named “{label}”", self.text)
        found = self.run(field, label)
        self._ask("POST", f"/element/{found[ELEMENT]}/clear", {})
        self._ask("POST", f"/element/{found[ELEMENT]}/value", {"text": value})

    def keys(self, *names: str) -> None:
        """Types with the keyboard alone, wherever the focus is. `Shift+Tab` is one stroke."""
        actions = []
        for name in names:
            strokes = [KEYS.get(part, part) for part in name.split("+")]
            actions += [{"type": "keyDown", "value": one} for one in strokes]
            actions += [{"type": "keyUp", "value": one} for one in reversed(strokes)]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def focused(self) -> str:
        return self.run(
            "const one = document.activeElement;"
            "const label = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent;"
            "return (label ?? one.textContent).trim().slice(0, 80)"
        )

    # How it looks

    def look(self, width: int, *, dark: bool = False, height: int = 900) -> None:
        self._chrome(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        scheme = "dark" if dark else "light"
        self._chrome("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, file: Path, *, whole: bool = True) -> None:
        taken = self._chrome("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(taken["data"]))

    def troubles(self) -> list[str]:
        """What the browser has complained of since it was asked last: errors, and what the policy forbade."""
        entries = self._ask("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    # The protocol

    def _chrome(self, command: str, **parameters: Any) -> Any:
        return self._ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        return self._call(method, self._session + path, body)

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._root + path, data, {"content-type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            said = json.load(error)["value"]
            kind = StaleElement if said["error"] == "stale element reference" else RuntimeError
            raise kind(f"{method} {path}: {said['error']}: {said['message']}") from None

    def _is_ready(self) -> bool:
        try:
            return bool(self._call("GET", "/status")["ready"])
        except OSError:
            return False
