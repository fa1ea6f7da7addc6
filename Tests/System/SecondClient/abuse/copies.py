"""PROTOCOL.md, "Copied files" and "Resync": hellos of files that were copied, or that come from a past nobody knows."""

from causeway_client.changesets import Changeset, ChangesetWriter
from causeway_client.device import Device
from causeway_client.envelopes import message, pb
from causeway_client.frames import write_message
from causeway_client.session import Refused, Session
from causeway_client.values import Stamp

from .target import Target

EVERYTHING = ("Item", "TRUEPREDICATE")


def _again(target: Target, device: Device, hello) -> pb.Welcome | None:
    """The same client on a session of its own; what was there before is the other copy's."""
    device.session = Session(device.session.connection, target.settings.database, device.session.token)
    try:
        welcome = device.session.hello(hello)
        device.checkpoint.epoch = welcome.epoch
        return welcome
    except Refused:
        return None
    finally:
        target.count()


def copied_files(target: Target) -> None:
    """two copies of one file that say hello by turns, each with an opening of its own, and begin again"""

    def work() -> None:
        device = target.device(connection=target.connection())
        openings = [target.random.randrange(1, 1 << 64) for _ in range(2)]
        turn = 0
        while target.goes_on:
            turn += 1
            hello = device.hello()
            hello.opening = openings[turn % 2]
            welcome = _again(target, device, hello)
            if welcome and welcome.copied:
                # The copy goes on as a client of its own, which names the one that it was.
                hello.predecessor, device.client = device.client, target.random.randrange(1, 1 << 64)
                hello.client = device.client
                _again(target, device, hello)

    target.at_once(4, work)


def openings(target: Target) -> None:
    """changesets and one-way entries each of another opening, sent again under those that are not kept any more"""

    def work() -> None:
        device = target.device(connection=target.connection())
        device.session.hello(device.hello())
        while target.goes_on:
            device.sequence += 1
            for number in (device.sequence, max(1, device.sequence - target.random.randrange(40))):
                opening = target.random.randrange(1, 1 << 64)
                stamp = Stamp(device._time(), device.client)
                body = ChangesetWriter().document([Changeset(device.client, number, [], stamp)])
                envelope = pb.UploadRequest(session=device.session.number, opening=opening)
                device.session.call("upload", write_message(message(envelope, body)))
                entry = ChangesetWriter().document([Changeset(device.client, number)])
                batch = pb.IngestRequest(client=device.client, first=number, opening=opening)
                device.session.call("ingest", write_message(message(batch, entry)))
                target.count(2)

    target.at_once(4, work)


def lost_runs(target: Target) -> None:
    """hellos from checkpoints of runs and versions that never were, for everything there is"""

    def work() -> None:
        device = target.device(EVERYTHING, connection=target.connection())
        epoch = device.session.hello(device.hello()).epoch
        device.held.CopyFrom(device.wanted)
        while target.goes_on:
            device.checkpoint = pb.Checkpoint(
                epoch=epoch,
                version=target.random.choice([1, 1 << 20, (1 << 62) - 1, (1 << 64) - 1]),
                query_set=1,
                acknowledged=target.random.choice([0, 1, 1 << 40]),
                incarnation=target.random.randrange(1 << 64),
                opening=target.random.randrange(1 << 64),
            )
            hello = device.hello()
            hello.oldest = target.random.choice([0, 1, 1 << 40, (1 << 62) - 1])
            hello.opening = target.random.randrange(1 << 64)
            if _again(target, device, hello):
                stream = device.session.download()
                next(stream, None)

    target.at_once(3, work)


def lifted_numbers(target: Target) -> None:
    """clients that name numbers behind all others, so that what they say is gone over"""

    def work() -> None:
        connection = target.connection()
        while target.goes_on:
            device = target.device(connection=connection)
            hello = device.hello()
            hello.oldest = hello.oldest_one_way = target.random.choice([1 << 20, (1 << 62) - 1, (1 << 64) - 1])
            hello.checkpoint.acknowledged = hello.oldest - 1
            hello.predecessor = target.random.randrange(1 << 64)
            hello.opening = target.random.randrange(1 << 64)
            _again(target, device, hello)

    target.at_once(4, work)


COPIES = [copied_files, openings, lost_runs, lifted_numbers]
