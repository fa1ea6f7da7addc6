"""What became of the scenarios of a check, a line each. The checks of this folder and of those beside it share it."""

import time
import traceback
from collections.abc import Callable


class Verdicts:
    def __init__(self, check: str) -> None:
        self.check = check
        self.passed, self.failed = 0, 0

    def run(self, name: str, scenario: Callable[[], object]) -> None:
        started = time.monotonic()
        try:
            scenario()
            self.passed += 1
            print(f"passed  {name} ({time.monotonic() - started:.2f} s)", flush=True)
        except Exception:
            self.failed += 1
            print(f"FAILED  {name}", flush=True)
            traceback.print_exc()

    def fail(self, problem: str) -> None:
        self.failed += 1
        print(f"FAILED  {problem}")

    def end(self) -> int:
        """The status of the program. A check of which nothing ran has failed."""
        print(f"{self.check}: {self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0
