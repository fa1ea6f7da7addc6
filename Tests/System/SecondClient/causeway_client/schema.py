"""PROTOCOL.md, "Schemas": what a device declares in its hello."""

from dataclasses import dataclass
from enum import IntEnum

from .envelopes import pb


class Type(IntEnum):
    BOOL = 1
    INT = 2
    FLOAT = 3
    DOUBLE = 4
    STRING = 5
    DATA = 6
    DATE = 7
    OBJECT_ID = 8
    UUID = 9
    LINK = 10
    DECIMAL128 = 11
    MIXED = 12
    COUNTER = 18


class Collection(IntEnum):
    NONE = 0
    LIST = 1
    SET = 2
    MAP = 3
    # Of a string: its edits merge letter by letter.
    TEXT = 4


class Kind(IntEnum):
    OBJECT = 0
    EMBEDDED = 1
    ONE_WAY = 2


@dataclass(frozen=True)
class Property:
    name: str
    type: Type
    collection: Collection = Collection.NONE
    optional: bool = False
    primary_key: bool = False
    indexed: bool = False
    target: str = ""


@dataclass(frozen=True)
class ClassSchema:
    name: str
    properties: tuple[Property, ...]
    kind: Kind = Kind.OBJECT


Schema = tuple[ClassSchema, ...]

# Lists and maps inside of mixed values, which nobody declares.
NESTED: Schema = tuple(
    ClassSchema(name, (Property("elements", Type.MIXED, collection),), Kind.EMBEDDED)
    for name, collection in (("#List", Collection.LIST), ("#Map", Collection.MAP))
)


def schema_envelope(schema: Schema):
    return pb.Schema(
        classes=[
            pb.Class(
                name=one.name,
                kind=one.kind,
                properties=[
                    pb.Property(
                        name=each.name,
                        type=each.type,
                        collection=each.collection,
                        optional=each.optional or each.type == Type.MIXED,
                        primary_key=each.primary_key,
                        indexed=each.indexed,
                        target=each.target,
                    )
                    for each in one.properties
                ],
            )
            for one in schema
        ]
    )
