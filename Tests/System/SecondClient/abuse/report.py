"""One row for each moment, and the bounds that it must keep."""

from collections.abc import Iterable
from dataclasses import dataclass, field

# Of commit to visible, on a machine that has nothing else to do.
WAIT_MILLISECONDS = 250
# On a busy or slow machine it may be as many times what the same run needs without an attack.
WAIT_TIMES_CALM = 5
HEALTH_SECONDS = 2
# Beside what the first server of the run held at rest, at any moment of it.
RISE_MEBIBYTES = 128
# What may be left of that when an attack is over.
REST_MEBIBYTES = 64


@dataclass(frozen=True)
class Trouble:
    text: str
    # Whether the machine may have been busy with other things: it counts when it shows a second time. All else counts
    # at once, for what the server did once it did.
    may_be_chance: bool = False


@dataclass
class Row:
    # What was made at that moment, and how much each sent.
    sent: dict[str, int]
    cpu_percent: float
    p99_milliseconds: float
    calm_milliseconds: float
    # The most beside what the first server of the run held at rest.
    rise_mebibytes: float
    health_seconds: float
    troubles: list[Trouble] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "+".join(self.sent)

    @property
    def is_by_chance(self) -> bool:
        return bool(self.troubles) and all(trouble.may_be_chance for trouble in self.troubles)

    def judge(self, wider: float, more_memory: float = 1) -> None:
        """Adds what does not keep the bounds.

        Those of time are wider where the machine is busy with other things, and as many times wider as is said, for a
        machine of which nobody knows how fast it is. That of memory depends on no speed: it is higher only where that is
        said by itself.
        """
        self.troubles += [
            Trouble(f"{name} sent nothing", may_be_chance=True) for name, count in self.sent.items() if not count
        ]
        bound = wider * max(WAIT_MILLISECONDS, WAIT_TIMES_CALM * self.calm_milliseconds)
        if self.p99_milliseconds > bound:
            self.troubles.append(Trouble(f"p99 over {bound:.0f} ms", may_be_chance=True))
        if self.health_seconds > HEALTH_SECONDS * bound / WAIT_MILLISECONDS:
            self.troubles.append(Trouble(f"/healthz after {self.health_seconds:.1f} s", may_be_chance=True))
        if self.rise_mebibytes > more_memory * RISE_MEBIBYTES:
            self.troubles.append(Trouble(f"{self.rise_mebibytes:.0f} MiB more", may_be_chance=True))


HEAD = (
    f"{'attack':<32}{'sent':>9}{'CPU %':>7}{'p99 ms':>9}{'calm ms':>9}{'MiB more':>10}{'health s':>10}"
    "  beyond the bounds"
)


def line(row: Row) -> str:
    return (
        f"{row.name:<32}{sum(row.sent.values()):>9}{row.cpu_percent:>7.0f}{row.p99_milliseconds:>9.1f}"
        f"{row.calm_milliseconds:>9.1f}{row.rise_mebibytes:>10.0f}{row.health_seconds:>10.2f}  {listed(row.troubles)}"
    ).rstrip()


def listed(troubles: Iterable[Trouble]) -> str:
    return "; ".join(trouble.text for trouble in troubles)


def percentile(values: list[float], share: float) -> float:
    """The nearest rank; of nothing, nothing."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
