"""Which attacks are made, when, and which of them together."""

import random
from dataclasses import dataclass

# So long an attack lasts at least: what waits for limits of time shows nothing before.
MOMENT_SECONDS = 8.0
# The calm before a moment, and what follows from it, as a rule.
BETWEEN_SECONDS = 2.5
# Each third moment has two or three attacks at once.
TOGETHER_EACH = 3


@dataclass(frozen=True)
class Schedule:
    moments: list[tuple[str, ...]]
    seconds: float

    @property
    def names(self) -> set[str]:
        return {name for moment in self.moments for name in moment}


def drawn(names: list[str], seconds: float, chance: random.Random) -> Schedule:
    """As many moments as there is time for. Where that is not enough for every attack, a part of them is drawn: each
    run draws another one."""
    room = max(1, int(seconds / (MOMENT_SECONDS + BETWEEN_SECONDS)))
    order = chance.sample(names, len(names))
    moments = _dealt(order, room, [2, 3], chance)
    if sum(map(len, moments)) < len(order):
        # What does not fit in so may fit in with more at once.
        moments = _dealt(order, room, [3], chance)
    return Schedule(moments, _each(seconds, len(moments)))


def _dealt(order: list[str], room: int, together: list[int], chance: random.Random) -> list[tuple[str, ...]]:
    moments: list[tuple[str, ...]] = []
    waiting = list(order)
    while waiting and len(moments) < room:
        count = chance.choice(together) if len(moments) % TOGETHER_EACH == TOGETHER_EACH - 1 else 1
        moments.append(tuple(waiting[:count]))
        del waiting[:count]
    return moments


def named(words: str, names: list[str], known: list[str], seconds: float, chance: random.Random) -> Schedule:
    """Those of `names` that hold a word, each alone, and `one+other` together. Words stand between commas."""
    moments: list[tuple[str, ...]] = []
    for word in words.split(","):
        if "+" in word:
            moments.append(tuple(word.split("+")))
        else:
            # The whole name of one means that one alone.
            moments += [(name,) for name in ([word] if word in known else names) if word in name]
    unknown = {name for moment in moments for name in moment} - set(known)
    if unknown or not moments:
        raise ValueError(f"no attack is called {', '.join(sorted(unknown)) or words}")
    moments = list(dict.fromkeys(moments))
    chance.shuffle(moments)
    room = max(1, int(seconds / (MOMENT_SECONDS + BETWEEN_SECONDS)))
    return Schedule(moments[:room], _each(seconds, min(room, len(moments))))


def _each(seconds: float, count: int) -> float:
    return max(MOMENT_SECONDS, seconds / count - BETWEEN_SECONDS)
