"""Speaks to a real daemon as PROTOCOL.md says, and checks bytes and values. `deploy/test --second-client` runs it."""

import argparse
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from causeway_client.server import Server
from checks import SCENARIOS
from checks.world import World


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, required=True, help="the program sync-server")
    parser.add_argument("--only", help="scenarios whose names hold this")
    arguments = parser.parse_args()
    passed, failed = 0, 0
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
                started = time.monotonic()
                world = World(server)
                try:
                    scenario(world)
                    passed += 1
                    print(f"passed  {name} ({time.monotonic() - started:.2f} s)", flush=True)
                except Exception:
                    failed += 1
                    print(f"FAILED  {name}", flush=True)
                    traceback.print_exc()
                finally:
                    world.end()
            if not server.is_running:
                failed += 1
                print("FAILED  the server has died")
        finally:
            status = server.end()
        if failed:
            print(server.log.read_text())
        if status != 0:
            failed += 1
            print(f"FAILED  the server ended with status {status}")
    print(f"second client: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
