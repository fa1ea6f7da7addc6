"""GRAMMAR.md: queries within every bound, each condition of which costs more than a comparison."""

import math

from causeway_client.changesets import Create, Field, ListInsert, Operation, Set
from causeway_client.device import Device
from causeway_client.session import Refused
from causeway_client.values import ElementId, Link

from .target import Target

# The bounds of PROTOCOL.md: of one query's text, of all of a set, of their terms.
QUERY_BYTES = 64_000
SET_BYTES = 900_000
TERMS = 3_900
PAGES = 300
WORDS = 60
PARTS = 30


def _pages(target: Target, device: Device, parts: int = 0) -> None:
    """Objects that such queries are asked of: each has words, a point and perhaps parts."""
    operations: list[Operation] = []
    first = device.client >> 8
    for number in range(PAGES):
        base = number * (2 * PARTS + 3)
        words = " ".join(f"w{target.random.randrange(10_000)}" for _ in range(WORDS))
        operations.append(
            Create("Page", first + number, (Field("words", words), Field("number", number), Field("value", words)))
        )
        place = ElementId(device.client, base)
        coordinates = [ElementId(device.client, base + 1 + n) for n in range(2)]
        operations += [
            Create("Place", place, (Field("type", "Point"),)),
            ListInsert("Place", place, "coordinates", coordinates[0], target.random.uniform(-80, 80)),
            ListInsert("Place", place, "coordinates", coordinates[1], target.random.uniform(-80, 80), coordinates[0]),
            Set("Page", first + number, Field("place", Link(place))),
        ]
        left = None
        for part in range(parts):
            floor, element = (ElementId(device.client, base + 3 + 2 * part + n) for n in range(2))
            operations.append(Create("Floor", floor, (Field("number", part),)))
            operations.append(ListInsert("Page", first + number, "parts", element, Link(floor), left))
            left = element
    device.write(*operations)


def _asking(target: Target, condition, weight: int = 1, joined: str = " OR ", parts: int = 0) -> None:
    """Sets of queries as large as they may be, replaced again and again. `condition` makes one, which counts as so many
    terms beside the OR, and is true of nothing, so that all of it is asked of each object."""

    def work() -> None:
        device = target.device()
        device.connect()
        _pages(target, device, parts)
        device.subscribe(("Page", condition()))
        device.catch_up()
        if device.refused_queries:
            return  # what is no query is no attack of this kind, and counts as nothing sent
        while target.goes_on and not device.ended:
            try:
                device.subscribe(*_queries(condition, weight, joined))
            except Refused:
                pass
            target.count()

    target.at_once(2, work)


def _queries(condition, weight: int, joined: str) -> list[tuple[str, str]]:
    queries: list[tuple[str, str]] = []
    size, terms = 0, 0
    while terms < TERMS and size < SET_BYTES:
        parts: list[str] = []
        length = 0
        while terms < TERMS:
            text = condition()
            if parts and length + len(text) > QUERY_BYTES:
                break
            parts.append(text)
            length += len(text) + len(joined)
            terms += weight
        terms += 1
        size += length
        queries.append(("Page", joined.join(parts)))
    return queries


def text_queries(target: Target) -> None:
    """queries of TEXT with a hundred words each"""

    def condition() -> str:
        words = " ".join(f"w{target.random.randrange(100)}*" for _ in range(99))
        return f"words TEXT '{words} none'"

    _asking(target, condition)


def geo_queries(target: Target) -> None:
    """queries of polygons with a thousand points"""

    def condition() -> str:
        count, size = 990, target.random.uniform(1, 40)
        angles = [2 * math.pi * n / count for n in range(count)]
        points = [f"[{size * math.cos(one) + 99:.4f},{size * math.sin(one):.4f}]" for one in angles]
        return f"place GEOWITHIN GEOPOLYGON({{{', '.join([*points, points[0]])}}})"

    _asking(target, condition, weight=1 + 991 // 16)


def arithmetic_queries(target: Target) -> None:
    """queries of a hundred additions and divisions on each side"""

    def condition() -> str:
        sign = target.random.choice(["+", "*", "-"])
        side = f" {sign} ".join(["number"] * 50)
        return f"{side} == ({side} + {target.random.randrange(1, 1 << 30)}) / 3"

    # The numbers that are computed with, and the comparison.
    _asking(target, condition, weight=50 + 50 + 2 + 1)


def decimal_queries(target: Target) -> None:
    """queries that compute with decimals of 34 digits"""

    def condition() -> str:
        factor = f"decimal(1.{target.random.randrange(10**32):033d})"
        return f"{' * '.join(['number', factor] * 25)} == decimal(3E-300)"

    _asking(target, condition, weight=50 + 1)


def subqueries(target: Target) -> None:
    """queries of SUBQUERY over embedded objects, of each of which a dozen things are asked"""

    def condition() -> str:
        first = target.random.randrange(1 << 30)
        asked = " OR ".join(f"$x.number == {1_000 + first + n}" for n in range(12))
        return f"SUBQUERY(parts, $x, {asked}).@count > 0"

    _asking(target, condition, weight=14, parts=PARTS)


def type_queries(target: Target) -> None:
    """queries of @type, and of subscripts a hundred deep"""

    def condition() -> str:
        names = target.random.sample(["int", "double", "date", "uuid", "binary", "list", "dictionary"], 3)
        deep = "[*]" * target.random.randrange(1, 90)
        kinds = ", ".join("'" + name + "'" for name in names)
        return target.random.choice([f"value.@type IN {{{kinds}}}", f"value{deep}.@type == 'int'", f"value{deep} == 5"])

    _asking(target, condition)


def deep_nots(target: Target) -> None:
    """queries of NOTs as deep as they may be, next to each other"""

    def condition() -> str:
        # Each NOT and each parenthesis is a level, of which there may be a hundred.
        depth = 2 * target.random.randrange(15, 25)
        inner = f"number == {PAGES + target.random.randrange(1 << 30)}"
        return "NOT (" * depth + inner + ")" * depth

    _asking(target, condition)


def quantified_queries(target: Target) -> None:
    """queries of ALL, ANY and aggregates over embedded objects"""

    def condition() -> str:
        number = 1_000 + target.random.randrange(1 << 30)
        side = target.random.choice(["ANY parts.number", "parts.@sum.number", "parts.@avg.number", "parts.@max.number"])
        return f"{side} == {number}"

    _asking(target, condition, parts=PARTS)


QUERIES = [
    text_queries,
    geo_queries,
    arithmetic_queries,
    decimal_queries,
    subqueries,
    type_queries,
    deep_nots,
    quantified_queries,
]
