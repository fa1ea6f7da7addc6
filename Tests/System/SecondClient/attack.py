"""Attacks a daemon while two honest devices work on it. `deploy/test --abuse MINUTES [--seed N]` runs it.

Each attack has the database for a moment, after a calm one, some of them two or three together; all calm moments
together say how busy the machine is with other things. What follows from an attack is its own: the next one waits until
the honest devices go on. Times and memory that go beyond their bounds are measured once more at the end, and count if
they do so again; whatever else goes wrong counts at once. The daemon is new, listens on 127.0.0.1, and has its files in
a folder of its own.
"""

import argparse
import random
import secrets
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from abuse import schedule
from abuse.accounts import ACCOUNTS
from abuse.callers import CALLERS
from abuse.carrier import CARRIER
from abuse.content import BEYOND, CONTENT
from abuse.conversations import CONVERSATIONS
from abuse.copies import COPIES
from abuse.guarded import GUARDED
from abuse.queries import QUERIES
from abuse.report import HEAD
from abuse.run import Run, make_server
from abuse.views import VIEWS

ALWAYS = CARRIER + CALLERS + ACCOUNTS + CONTENT + CONVERSATIONS + QUERIES + VIEWS + COPIES + GUARDED
ATTACKS = {attack.__name__: attack for attack in ALWAYS + BEYOND}
assert len(ATTACKS) == len(ALWAYS + BEYOND), "two attacks have one name"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=float)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--wider", type=float, default=1, help="bounds of time so many times as wide")
    parser.add_argument("--server", type=Path, required=True, help="the program sync-server")
    parser.add_argument("--more-memory", type=float, default=1, help="bounds of memory so many times as high")
    parser.add_argument("--only", help="words of names, with commas between; one+other for two at once")
    parser.add_argument("--keep", type=Path, help="keeps the server's folder there")
    arguments = parser.parse_args()
    chance, seconds = random.Random(arguments.seed), arguments.minutes * 60
    names = [attack.__name__ for attack in ALWAYS]
    if arguments.only:
        try:
            plan = schedule.named(arguments.only, names, list(ATTACKS), seconds, chance)
        except ValueError as error:
            parser.error(str(error))
    else:
        plan = schedule.drawn(names, seconds, chance)
    print(
        f"abuse: {len(plan.names)} of {len(names)} attacks in {len(plan.moments)} moments of {plan.seconds:.1f} s, "
        f"seed {arguments.seed}"
    )
    with tempfile.TemporaryDirectory() as folder:
        server = make_server(arguments.server, arguments.keep or Path(folder))
        try:
            run = Run(
                server, arguments.seed, arguments.wider, arguments.more_memory, {attack.__name__ for attack in GUARDED}, ATTACKS
            )
            print(HEAD, flush=True)
            run.make_all(plan.moments, plan.seconds)
            run.finish()
        finally:
            server.end()
    for trouble in run.troubles:
        print(trouble)
    failed = [row for row in run.rows if row.troubles]
    print(f"abuse: {len(run.repeated)} repeated{': ' if run.repeated else ''}{', '.join(run.repeated)}")
    print(f"abuse: {len(run.rows) - len(failed)} moments within the bounds, {len(failed)} beyond")
    if failed or run.troubles:
        only = f" --only {arguments.only}" if arguments.only else ""
        print(f"again: deploy/test --abuse {arguments.minutes:g} --seed {arguments.seed}{only}")
    return 1 if failed or run.troubles else 0


if __name__ == "__main__":
    sys.exit(main())
