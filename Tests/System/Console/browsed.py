"""A file with objects of every type, and `causeway browse` with its page in the browser."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

# A text that would run if anything took it for markup.
HOSTILE = "<img src=x onerror=alert(1)>"
NAME = "things.causeway"
OWNERS = 12
THINGS = 300


def property_(name: str, kind: str, **more: object) -> dict:
    return {"name": name, "type": kind, **more}


CLASSES = [
    {"name": "Box", "kind": "embedded", "properties": [property_("size", "int"), property_("label", "string")]},
    {"name": "Owner", "kind": "object", "properties": [
        property_("name", "string", primaryKey=True), property_("things", "object", target="Thing", collection="list"),
    ]},
    {"name": "Room", "kind": "object", "properties": [
        property_("floor", "int"), property_("first", "object", target="Thing", optional=True),
    ]},
    {"name": "Thing", "kind": "object", "properties": [
        property_("_id", "objectId", primaryKey=True), property_("aBool", "bool"), property_("anInt", "int", indexed=True),
        property_("aFloat", "float"), property_("aDouble", "double"), property_("aText", "string", optional=True),
        property_("someData", "data"), property_("aDate", "date"), property_("aUUID", "uuid"),
        property_("aDecimal", "decimal128"), property_("aMixed", "mixed", optional=True),
        property_("numbers", "int", collection="list"), property_("words", "string", collection="set"),
        property_("anything", "mixed", collection="map", optional=True),
        property_("box", "object", target="Box", optional=True),
        property_("owner", "object", target="Owner", optional=True),
        property_("room", "object", target="Room", optional=True),
    ]},
]  # fmt: skip


def identifier(number: int) -> str:
    return f"{number:024x}"


def thing(number: int) -> dict:
    return {
        "_id": {"$oid": identifier(number)}, "aBool": number % 2 == 0, "anInt": number, "aFloat": 0.5,
        "aDouble": number / 8, "aText": None if number % 3 == 0 else f"{HOSTILE} {number}",
        "someData": {"$binary": {"base64": "AAEC/w=="}}, "aDate": {"$date": "2026-11-28T17:00:00.000000001Z"},
        "aUUID": {"$uuid": f"6ba7b810-9dad-11d1-80b4-{number:012x}"}, "aDecimal": {"$numberDecimal": "1.50"},
        "aMixed": [1, "two", {"three": {"$oid": identifier(3)}}], "numbers": [3, 1, 2], "words": ["a", "b"],
        "anything": {"one": 1, "ref": {"$ref": "Owner", "$id": "owner 1"}}, "box": {"size": 3, "label": "small"},
        "owner": {"$ref": "Owner", "$id": f"owner {number % OWNERS}"}, "room": {"$ref": "Room", "$number": number % 2},
    }  # fmt: skip


def lines() -> Iterator[dict]:
    yield {"causewayExport": 1, "classes": CLASSES}
    for number in range(OWNERS):
        things = [{"$ref": "Thing", "$id": {"$oid": identifier(number)}}]
        yield {"class": "Owner", "object": {"name": f"owner {number}", "things": things}}
    for number in range(2):
        yield {"class": "Room", "number": number, "object": {"floor": number, "first": None}}
    for number in range(THINGS):
        yield {"class": "Thing", "object": thing(number)}


class ThingFile:
    def __init__(self, tool: Path, folder: Path) -> None:
        self._tool = tool
        self._file = folder / NAME
        made = folder / "things.jsonl"
        made.write_text("".join(json.dumps(line) + "\n" for line in lines()))
        self._run("import", str(self._file), "--from", str(made))

    def browse(self, *options: str) -> AbstractContextManager[str]:
        return browse(self._tool, self._file, *options)

    def query(self, name: str, where: str) -> list[dict]:
        """What another process finds in the file."""
        return [json.loads(line) for line in self._run("query", str(self._file), name, where).splitlines()]

    def _run(self, *arguments: str) -> str:
        done = subprocess.run([str(self._tool), *arguments], capture_output=True, text=True)
        assert done.returncode == 0, f"{arguments}: {done.stderr}{done.stdout}"
        return done.stdout


@contextmanager
def browse(tool: Path, file: Path, *options: str) -> Iterator[str]:
    """The address that the command prints, until it is ended."""
    with subprocess.Popen([tool, "browse", file, *options], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            status = process.wait(20)
    assert status == 0, f"causeway browse ended with status {status}"
