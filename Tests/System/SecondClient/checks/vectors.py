"""The bytes in Tests/Vectors/wire, read as the page says."""

from pathlib import Path

from causeway_client.digests import read_question
from causeway_client.envelopes import pb, read_message
from causeway_client.frames import FrameDamaged, crc32c, read_one, write_message
from causeway_client.objects import ObjectsReader
from causeway_client.states import KeyedState, ListState, TextState

from .world import World

FOLDER = Path(__file__).resolve().parents[4] / "Tests/Vectors/wire"
KINDS = {
    "hello": pb.Hello,
    "welcome": pb.Welcome,
    "upload": pb.UploadRequest,
    "upload-answer": pb.UploadAnswer,
    "download": pb.DownloadRequest,
    "download-": pb.DownloadMessage,
    "resync": pb.ResyncRequest,
    "credit": pb.CreditRequest,
    "subscriptions": pb.SubscriptionsRequest,
    "mark": pb.MarkRequest,
    "accepted": pb.Accepted,
    "ingest": pb.IngestRequest,
    "ingest-answer": pb.IngestAnswer,
    "failure": pb.Failure,
}


def crc(world: World) -> None:
    """CRC-32C is the one of the standard's check value"""
    assert crc32c(b"123456789") == 0xE306_9283


def every_vector(world: World) -> None:
    """every vector of the wire is a message, and its frames are written again as the same payload"""
    names = sorted(path.stem for path in FOLDER.glob("*.frame") if not path.stem.startswith("broken-"))
    assert len(names) > 20, names
    for name in names:
        payload = read_one((FOLDER / f"{name}.frame").read_bytes())
        assert read_one(write_message(payload)) == payload, name
        prefix = max((prefix for prefix in KINDS if name.startswith(prefix)), key=len)
        envelope, body = read_message(KINDS[prefix], payload)
        assert not envelope.ListFields() or str(envelope), name
        if prefix == "download-":
            kind = envelope.WhichOneof("kind")
            assert kind, name
            if kind == "changes":
                ObjectsReader(body).read()
            elif kind == "digests_wanted":
                assert read_question(body), name


def broken(world: World) -> None:
    """damaged frames are refused as damaged"""
    for name in ("checksum", "flags", "size", "bomb"):
        data = (FOLDER / f"broken-{name}.frame").read_bytes()
        try:
            read_one(data)
        except FrameDamaged:
            continue
        raise AssertionError(f"broken-{name} was taken")


def states(world: World) -> None:
    """the states of lists, sets, maps and texts in a vector are read with what they show"""
    found = []
    for name in ("download-changes", "download-changes-part", "download-changes-runs"):
        _, body = read_message(pb.DownloadMessage, read_one((FOLDER / f"{name}.frame").read_bytes()))
        changes = ObjectsReader(body).read()
        found += [state for one in changes.entered + changes.updated for state in one.collections.values()]
    for kind in (ListState, KeyedState, TextState):
        assert any(isinstance(state, kind) for state in found), kind
    assert any(isinstance(state, TextState) and state.text == "hlo" for state in found), found


def edits(world: World) -> None:
    """what happened to a list, a map and a text in a vector is read with its stamps"""
    _, body = read_message(pb.DownloadMessage, read_one((FOLDER / "download-changes-edits.frame").read_bytes()))
    first, second = ObjectsReader(body).read().updated
    assert first.values["v0"] == 7 and not first.collections
    kinds = {name: [edit.kind for edit in change.edits] for name, change in first.changes.items()}
    assert kinds == {"list": [0, 0, 2, 3, 4, 1], "map": [0, 1], "text": [0, 1]}, kinds
    inserts = first.changes["list"].edits[:2]
    assert [edit.value for edit in inserts] == [4, 5] and inserts[1].left == inserts[0].id, inserts
    assert first.changes["list"].edits[4].ids == tuple(edit.id for edit in inserts)
    assert len({edit.stamp for edit in first.changes["list"].edits}) == 2
    assert first.changes["text"].edits[0].text == "é\U0001f6eb"
    assert [edit.kind for edit in second.changes["notes"].edits] == [1]


VECTORS = [crc, every_vector, broken, states, edits]
