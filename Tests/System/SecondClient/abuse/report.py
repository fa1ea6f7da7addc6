"""One row for each attack, and the bounds that it must keep."""

from dataclasses import dataclass

# Of commit to visible, on a machine that has nothing else to do.
WAIT_MILLISECONDS = 250
# What a quiet machine needs without an attack: a busy one may need as many times the bound as it needs of this.
QUIET_MILLISECONDS = 40
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

    def judge(self, memory_before: float) -> None:
        """Adds what does not keep the bounds, which a machine that is busy with other things widens."""
        busy = max(1.0, self.calm_milliseconds / QUIET_MILLISECONDS)
        if self.p99_milliseconds > WAIT_MILLISECONDS * busy:
            self.troubles.append(f"p99 over {WAIT_MILLISECONDS * busy:.0f} ms")
        if self.memory_mebibytes - memory_before > RISE_MEBIBYTES:
            self.troubles.append(f"{self.memory_mebibytes - memory_before:.0f} MiB more")
        if self.health_seconds > HEALTH_SECONDS * busy:
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
