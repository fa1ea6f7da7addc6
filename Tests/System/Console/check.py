"""Uses the console in a headless Chromium, with a daemon and with a file. `deploy/test --console` runs it."""

import argparse
import sys
import tempfile
import threading
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "SecondClient"))

from browsed import ThingFile
from browser import Browser
from console import Site
from file_scenarios import FILE_SCENARIOS
from proxy import serve
from scenarios import SCENARIOS, pictures
from verdicts import Verdicts
from world import World


def check(arguments: argparse.Namespace, folder: Path) -> int:
    world = World(arguments.server.resolve(), folder / "server")
    browser = Browser(folder)
    verdicts = Verdicts("console")
    try:
        world.populate()
        file = ThingFile(arguments.tool.resolve(), folder) if arguments.tool else None
        site = Site(world, browser, lambda address: place(address, arguments.page), arguments.pictures, file)
        browser.look(1200)
        for scenario in [*SCENARIOS, *(FILE_SCENARIOS if file else [])]:
            name = scenario.__doc__ or scenario.__name__
            if arguments.only and arguments.only not in name or scenario is pictures and not arguments.pictures:
                continue
            verdicts.run(name, lambda: without_troubles(scenario, site))
    finally:
        browser.end()
        status = world.end()
    if status:
        verdicts.fail(f"the server ended with status {status}\n{world.server.log.read_text()}")
    return verdicts.end()


def without_troubles(scenario: Callable[[Site], object], site: Site) -> None:
    """Does a scenario, in which the page may not have complained either."""
    scenario(site)
    troubles = site.browser.troubles()
    assert not troubles, troubles


def place(address: str, page: Path | None) -> str:
    """Where the browser finds the page: at its listener, or in a folder before it."""
    parts = urllib.parse.urlsplit(address)
    if page and parts.port:
        server = serve(parts.port, page)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        parts = parts._replace(netloc=f"127.0.0.1:{server.server_address[1]}")
    with urllib.request.urlopen(parts._replace(fragment="").geturl(), timeout=20) as answer:
        assert answer.status == 200
    return parts.geturl()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, required=True, help="the program sync-server")
    parser.add_argument("--tool", type=Path, help="the program causeway, whose `browse` is looked at too")
    parser.add_argument("--only", help="scenarios whose names hold this")
    parser.add_argument("--pictures", type=Path, help="a folder for pictures of each part")
    parser.add_argument("--page", type=Path, help="a folder with the console's files, instead of those in the program")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return check(arguments, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
