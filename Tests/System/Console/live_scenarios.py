"""What the console shows by itself, and what it does with databases, schemas and the log."""

from collections.abc import Callable

from console import Site
from world import NOTES


def live_list(site: Site) -> None:
    """what somebody else writes appears in an open list and in an open object, without being asked for"""
    site.sign_in()
    browser = site.browser
    site.visit("#/data/notes/Note")
    browser.wait(lambda: browser.text("[aria-rowindex='2']").startswith("0"), "no object comes", browser.text)
    site.admin("PATCH", "/databases/notes/objects/Note/0", {"text": "live <b>"})
    browser.wait_for("live <b>", ".grid")
    site.admin("POST", "/databases/notes/objects/Note", {"_id": NOTES + 1, "text": "one more"})
    browser.wait_for(f"{NOTES + 1:,} objects", ".found")
    browser.wait(lambda: f"{NOTES + 1:,}" in browser.text(".classes [aria-current]"), "the count of the class stays")
    site.visit("#/data/notes/Note/0")
    site.admin("PATCH", "/databases/notes/objects/Note/0", {"text": "live again"})
    browser.wait_for("live again", "main table")
    site.admin("DELETE", f"/databases/notes/objects/Note/{NOTES + 1}")


def live_devices(site: Site) -> None:
    """a session appears when it begins and goes when it ends, and its subscriptions are shown"""
    site.open("devices")
    browser = site.browser
    device = site.world.device("erin", "UA")
    browser.wait_for("erin", "main table")
    browser.press("Show what the client")
    browser.wait_for("TRUEPREDICATE", ".detail")
    device.session.connection.close()
    browser.wait(lambda: "erin" not in browser.text("main table"), "the session stays")


def log(site: Site) -> None:
    """the log appears as it is written, by level, and stands still while it is paused"""
    site.open("operations")
    browser = site.browser
    count = "return document.querySelectorAll('.log li').length"
    browser.wait(lambda: browser.run(count) > 1, "there is no line", browser.text)
    before = browser.run(count)
    site.world.device("finn", "UA").session.connection.close()
    browser.wait(lambda: browser.run(count) > before, "no line comes")
    browser.press("Pause")
    before = browser.run(count)
    site.world.device("gwen", "UA").session.connection.close()
    browser.wait_for("new line", "main")
    assert browser.run(count) == before
    level = (
        "const level = document.querySelector('main section select');"
        "level.value = arguments[0]; level.dispatchEvent(new Event('change'))"
    )
    browser.run(level, "critical")
    browser.wait_for("No line of this level is kept.", ".log")
    browser.run(level, "info")
    assert browser.run(count) == before, "What is shown stands still at another level, too."
    browser.press("Go on")
    browser.wait(lambda: browser.run(count) > before, "the lines do not come")
    browser.run(level, "critical")
    browser.wait_for("No line of this level is kept.", ".log")


def databases(site: Site) -> None:
    """a database is added, and dropped when its name is typed"""
    site.open("operations")
    browser = site.browser
    browser.press("Add a database")
    browser.fill("Name", "notes")
    browser.press("Add")
    browser.wait_for("This was not done", "dialog")
    browser.fill("Name", "more")
    browser.press("Add")
    drop = "return document.querySelector(\"[aria-label='Drop the database more']\") !== null"
    browser.wait(lambda: browser.run(drop), "it is not listed", browser.text)
    assert "more" in [one["name"] for one in site.admin("GET", "/databases")["databases"]]
    browser.press("Drop the database more")
    browser.fill("Its name once more", "mor")
    browser.press("Drop")
    browser.wait_for("This is not its name", "dialog")
    browser.fill("Its name once more", "more")
    browser.press("Drop")
    browser.wait_for("not served any more", "#status")
    assert "more" not in [one["name"] for one in site.admin("GET", "/databases")["databases"]]
    browser.troubles()  # The 409 that was meant.


def schema_changes(site: Site) -> None:
    """a property is converted and a class is dropped, each after a preview and when its name is typed"""
    site.open("data", "notes")
    browser = site.browser
    browser.press("Author –")
    browser.press("Convert Author.name")
    browser.run("document.querySelector('dialog select').value = 'mixed'")
    browser.press("Preview")
    browser.wait_for("All values fit.", "dialog")
    whole_database(site)
    change(site, "Author.name", "Convert")
    browser.wait_for("Author.name was converted.", "#status")
    site.settle()
    assert "Last declared" in browser.text("details[open]"), browser.text("main")
    assert shape(site)["Author"]["name"] == "mixed"
    browser.press("Kind001 –")
    browser.press("Drop the class Kind001")
    browser.wait_for("The class has 0 objects", "dialog")
    whole_database(site)
    change(site, "Kind001", "Drop")
    browser.wait_for("Kind001 was dropped.", "#status")
    assert "Kind001" not in shape(site)
    browser.troubles()  # The 409 of what a device has declared.


def whole_database(site: Site) -> None:
    """The dialog says what goes beside what it names."""
    said = site.browser.text("dialog")
    for words in ("history of all objects", "historyGone", "may bring one back", "compared with the database once"):
        assert words in said, (words, said)


def change(site: Site, name: str, word: str) -> None:
    browser = site.browser
    browser.fill(f"Type {name}", "other")
    browser.press(word)
    browser.wait_for(f"This is not {name}.", "dialog")
    browser.fill(f"Type {name}", name)
    browser.press(word)
    browser.wait_for("This was not done", "dialog")
    browser.run("document.querySelector('dialog input[type=checkbox]').click()")
    browser.press(word)


def shape(site: Site) -> dict[str, dict[str, str]]:
    classes = site.admin("GET", "/databases/notes/schema?limit=1000")["classes"]
    return {one["name"]: {each["name"]: each["type"] for each in one["properties"]} for one in classes}


LIVE_SCENARIOS: list[Callable[[Site], None]] = [live_list, live_devices, log, databases, schema_changes]
