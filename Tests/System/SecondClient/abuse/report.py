"""One row for each attack, and the bounds that it must keep."""

from dataclasses import dataclass

# Of commit to visible, on a machine that has nothing else to do.
WAIT_MILLISECONDS = 250
# On a busy or slow machine it may be as many times what the same run needs without an attack.
WAIT_TIMES_CALM = 5
RISE_MEBIBYTES = 128
# What may be left of it when nobody attacks any more.
REST_MEBIBYTES = 64
HEALTH_SECONDS = 2


@dataclass
class Row:
    name: str
    sent: int
    cpu_percent: float
    p99_milliseconds: float
    calm_milliseconds: float
    memory_mebibytes: float
    health_seconds: float
    troubles: list[str]

    def judge(self, memory_before: float, times: float) -> None:
        """Adds what does not keep the bounds; those of time are wider where the machine is busy with other things.

        All are as many times wider as they are said to be, for a machine of which nobody knows how fast it is.
        """
        if not self.sent:
            self.troubles.append("nothing was sent")
        bound = times * max(WAIT_MILLISECONDS, WAIT_TIMES_CALM * self.calm_milliseconds)
        if self.p99_milliseconds > bound:
            self.troubles.append(f"p99 over {bound:.0f} ms")
        if self.memory_mebibytes - memory_before > times * RISE_MEBIBYTES:
            self.troubles.append(f"{self.memory_mebibytes - memory_before:.0f} MiB more")
        if self.health_seconds > HEALTH_SECONDS * bound / WAIT_MILLISECONDS:
            self.troubles.append(f"/healthz after {self.health_seconds:.1f} s")


HEAD = f"{'attack':<22}{'sent':>9}{'CPU %':>8}{'p99 ms':>9}{'calm ms':>9}{'MiB':>7}{'health s':>10}  beyond the bounds"


def line(row: Row) -> str:
    return (
        f"{row.name:<22}{row.sent:>9}{row.cpu_percent:>8.0f}{row.p99_milliseconds:>9.1f}{row.calm_milliseconds:>9.1f}"
        f"{row.memory_mebibytes:>7.0f}{row.health_seconds:>10.2f}  {'; '.join(row.troubles)}"
    )


def percentile(values: list[float], share: float) -> float:
    """The nearest rank; of nothing, nothing."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
