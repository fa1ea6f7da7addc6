"""The console as a browser shows it: where one goes, and what the admin API says of the same."""

import json
import urllib.request
from collections.abc import Callable
from pathlib import Path

from browsed import ThingFile
from browser import Browser
from world import TOKEN, World

INSPECTION = (Path(__file__).parent / "inspection.js").read_text()
PARTS = ("overview", "data", "devices", "access", "operations")


class Site:
    def __init__(
        self, world: World, browser: Browser, before: Callable[[str], str], pictures: Path | None, file: ThingFile | None
    ) -> None:
        self.world, self.browser, self.pictures, self.file = world, browser, pictures, file
        # Where the browser finds the page of a listener.
        self.before = before
        self.address = before(f"http://127.0.0.1:{world.admin_port}/console/")

    def sign_in(self) -> None:
        self.browser.go("about:blank")
        self.browser.go(self.address)
        # A page that still asks for something would miss the token.
        self.settle()
        self.browser.run("sessionStorage.clear()")
        self.browser.go("about:blank")
        self.browser.go(self.address)
        self.browser.wait_for("Administrator's token")
        self.browser.fill("Administrator's token", TOKEN)
        self.browser.press("Sign in")
        self.browser.wait_for("Overview", "h1")

    def open(self, part: str, database: str = "flights") -> None:
        named = "" if part in ("overview", "operations") else f"/{database}"
        self.visit(f"#/{part}{named}")
        self.browser.wait_for(part.capitalize(), "h1")

    def visit(self, address: str) -> None:
        """Goes to an address of the page, and waits until it is there. A scenario that runs alone signs in first."""
        if not self.browser.run("return location.href").startswith(self.address):
            self.sign_in()
        self.browser.run(
            """
            const [address] = arguments;
            if (location.hash === address) return;
            return new Promise((resolve) => {
                addEventListener("hashchange", () => resolve(), { once: true });
                location.hash = address;
            });
            """,
            address,
        )
        self.settle()

    def settle(self) -> None:
        busy = "const one = document.querySelector('main'); return one.ariaBusy !== null || !one.children.length"
        self.browser.wait(lambda: not self.browser.run(busy), "it stays busy")

    def admin(self, method: str, path: str, body: object = None) -> dict:
        """What the admin API says of the same."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.world.admin_port}/admin/v1{path}",
            None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"authorization": f"Bearer {TOKEN}"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def inspect(self, words: str) -> None:
        found = self.browser.run(INSPECTION)
        assert not found, f"{words}: " + "; ".join(found)
