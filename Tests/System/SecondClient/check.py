"""Speaks to a real daemon as PROTOCOL.md says, and checks bytes and values. `deploy/test --second-client` runs it."""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from causeway_client.server import Server
from checks import SCENARIOS
from checks.world import World
from verdicts import Verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, required=True, help="the program sync-server")
    parser.add_argument("--only", help="scenarios whose names hold this")
    arguments = parser.parse_args()
    verdicts = Verdicts("second client")
    with tempfile.TemporaryDirectory() as folder:
        # Heartbeats tell that the server has nothing else to say: often, so that nobody waits long. Nor for it to end.
        limits = "limits: {heartbeatSeconds: 1, gracefulEndSeconds: 1}"
        server = Server(arguments.server.resolve(), Path(folder), settings=limits)
        server.start()
        try:
            for scenario in SCENARIOS:
                name = scenario.__doc__ or scenario.__name__
                if arguments.only and arguments.only not in name:
                    continue
                world = World(server)
                try:
                    verdicts.run(name, lambda: scenario(world))
                finally:
                    world.end()
            if not server.is_running:
                verdicts.fail("the server has died")
        finally:
            status = server.end()
        if verdicts.failed:
            print(server.log.read_text())
        if status != 0:
            verdicts.fail(f"the server ended with status {status}")
    return verdicts.end()


if __name__ == "__main__":
    sys.exit(main())
