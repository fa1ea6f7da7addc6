"""PROTOCOL.md, "Resync": digests find what differs, and only that travels."""

from causeway_client.changesets import Field, Set

from .sessions import item
from .values import collections, embedded, every_value, nested
from .world import World

UNKNOWN = (1 << 64) - 1


def again(world: World, device) -> list[int]:
    """Connects with a checkpoint of no schema, which the server answers with a resync; how many objects it told."""
    device.session.connection.close()
    device.wait_for_end()
    told: list[int] = []
    device.on_change = lambda changes: told.append(
        len(changes.entered) + len(changes.updated) + len(changes.left) + len(changes.deleted)
    )
    device.checkpoint.schema = UNKNOWN
    device.session.connection = world.connection()
    device.connect()
    device.catch_up()
    assert device.questions_answered > 0
    return told


def equal(world: World) -> None:
    """a resync of a device that lacks nothing tells nothing, whatever its objects hold"""
    for write in (every_value, collections, embedded, nested):
        write(world)
    base = 1_000 * int(world.user.split("-")[1])
    device = world.device(("Everything", f"_id >= {base} AND _id < {base + 1000}"), world.own)
    device.write(*(item(world, 700_000 + number) for number in range(500)))
    device.wait(lambda: len([one for one in device.objects if one[0] == "Item"]) == 500)
    assert len(device.objects) > 520
    assert sum(again(world, device)) == 0


def different(world: World) -> None:
    """a resync brings what the device lacks or holds otherwise, and takes away what ended, and nothing else"""
    device, other = world.device(world.own), world.device(world.own)
    device.write(*(item(world, 800_000 + number, size=number) for number in range(2_000)))
    device.wait(lambda: len(device.objects) == 2_000)
    other.catch_up()
    del device.objects["Item", 800_003]
    device.objects["Item", 800_004].values["size"] = -1
    ghost = device.objects["Item", 800_005]
    device.objects["Item", 899_999] = type(ghost)("Item", 899_999, 1, ghost.born, dict(ghost.values))
    device.session.connection.close()
    device.wait_for_end()
    other.write(Set("Item", 800_006, Field("size", -6)))
    told = again(world, device)
    assert sum(told) == 4, told
    assert device.objects["Item", 800_003].values["size"] == 3
    assert device.objects["Item", 800_004].values["size"] == 4
    assert device.objects["Item", 800_006].values["size"] == -6
    assert ("Item", 899_999) not in device.objects


RESYNC = [equal, different]
