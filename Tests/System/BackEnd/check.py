"""Calls the data API of a real daemon as API.md says. `deploy/test --api` runs it."""

import argparse
import socket
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "SecondClient"))

from causeway_client.server import Server
from checks.world import World
from figures import figures
from described import administered, described
from guide import run_guide
from scenarios import SCENARIOS, Admin, Site
from verdicts import Verdicts


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def check(arguments: argparse.Namespace, folder: Path) -> int:
    verdicts = Verdicts("back end")
    for number, scenario in enumerate([run_guide, described, administered, *SCENARIOS]):
        name = scenario.__doc__ or scenario.__name__
        if arguments.only and arguments.only not in name:
            continue
        port = free_port()
        settings = f"api: {{host: 127.0.0.1, port: {port}}}\nlimits: {{gracefulEndSeconds: 1}}"
        admin = Admin(free_port()) if scenario is administered else None
        if admin:
            settings += "\n" + admin.settings
        server = Server(arguments.server.resolve(), folder / str(number), settings=settings)
        if admin:
            (server.folder / "admin-token").write_text(admin.token)
        server.start()
        world = World(server)
        try:
            verdicts.run(name, lambda: scenario(Site(world, port, admin)))
        finally:
            world.end()
            status = server.end()
        problems = server.verify() + ([f"the server ended with status {status}"] if status else [])
        for problem in problems:
            verdicts.fail(f"{problem}\n{server.log.read_text()}")
    return verdicts.end()


def measure(arguments: argparse.Namespace, folder: Path) -> int:
    port = free_port()
    server = Server(arguments.server.resolve(), folder, settings=f"api: {{host: 127.0.0.1, port: {port}}}")
    server.start()
    world = World(server)
    try:
        figures(Site(world, port))
        return 0
    finally:
        world.end()
        server.end()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, required=True, help="the program sync-server")
    parser.add_argument("--only", help="scenarios whose names hold this")
    parser.add_argument("--figures", action="store_true", help="requests a second instead")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return (measure if arguments.figures else check)(arguments, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
