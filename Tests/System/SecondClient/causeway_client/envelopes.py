"""The classes that protobuf makes of envelopes.proto, made when they are first asked for."""

import importlib
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from grpc_tools import protoc

from .parts import Malformed, Reader, Writer

PROTO = Path(__file__).resolve().parents[4] / "Sources/Shared/Wire/envelopes.proto"
ENVELOPE_BYTES_MAX = 1 << 20


def _generated() -> ModuleType:
    with tempfile.TemporaryDirectory() as folder:
        failed = protoc.main(["protoc", f"-I{PROTO.parent}", f"--python_out={folder}", PROTO.name])
        if failed:
            raise RuntimeError(f"protoc cannot read {PROTO}")
        sys.path.insert(0, folder)
        try:
            return importlib.import_module("envelopes_pb2")
        finally:
            sys.path.remove(folder)


pb = _generated()


def message(envelope, body: bytes = b"") -> bytes:
    """PROTOCOL.md, "Messages": the size of the envelope, the envelope, the body."""
    writer = Writer()
    writer.data(envelope.SerializeToString())
    writer.raw(body)
    return bytes(writer.bytes)


def read_message(kind, payload: bytes) -> tuple:
    reader = Reader(payload)
    size = reader.varint()
    if size > ENVELOPE_BYTES_MAX:
        raise Malformed(f"an envelope of {size} bytes")
    return kind.FromString(reader.raw(size)), reader.rest()
