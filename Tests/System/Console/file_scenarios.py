"""What the page shows of a file that `causeway browse` has opened."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from browsed import NAME, OWNERS, THINGS, identifier
from console import Site

INPUT = "return document.querySelector('.query input')?.value ?? ''"


@contextmanager
def opened(site: Site, *options: str) -> Iterator[str]:
    """The browser at the printed address, as the page then has it."""
    assert site.file
    with site.file.browse(*options) as printed:
        address = site.before(printed)
        site.browser.go("about:blank")
        site.browser.go(address)
        try:
            yield address
        finally:
            site.browser.go("about:blank")


def reading(site: Site) -> None:
    """a file opens by the printed address: list, query, object, link, and back, and nothing can be written"""
    browser = site.browser
    with opened(site):
        browser.wait_for("Data", "h1")
        assert "token" not in browser.run("return location.href"), browser.run("return location.href")
        assert browser.text("#parts") == "Data" and browser.text("#brand") == NAME, browser.text("header")
        browser.press("Thing")
        browser.wait_for(f"{THINGS} objects", ".found")
        assert "New object" not in browser.text()
        browser.run("document.querySelector('.query input').focus()")
        browser.keys(*"owner.name == 'owner 7'")
        browser.wait_for(f"{THINGS // OWNERS} objects", ".found")
        browser.keys("Enter", "Escape")
        browser.press(identifier(7))
        browser.wait_for(f"Thing {identifier(7)}", "h1")
        shown = browser.text("main")
        for text in ("00 01 02 ff", "17:00:00.000000001Z", "6ba7b810-9dad-11d1-80b4-000000000007", "1.50", "0.875", "small"):
            assert text in shown, (text, shown)
        for word in ("Edit", "Delete", "History"):
            assert word not in shown, shown
        browser.press("Owner owner 7")
        browser.wait_for("Owner owner 7", "h1")
        browser.wait_for("things", "main table")
        # Both ways: the things of this owner.
        browser.press(f"All {THINGS // OWNERS} of Thing")
        browser.wait_for(f"{THINGS // OWNERS} objects", ".found")
        site.inspect("a list of a file")
        for title in ("Owner owner 7", f"Thing {identifier(7)}"):
            browser.run("history.back()")
            browser.wait_for(title, "h1")
        browser.run("history.back()")
        browser.wait_for(f"{THINGS // OWNERS} objects", ".found")
        assert browser.run(INPUT) == "owner.name == 'owner 7'"


def rows(site: Site) -> None:
    """an object without a primary key is found by its row, and through a link"""
    browser = site.browser
    with opened(site):
        browser.press("Room")
        browser.wait_for("2 objects", ".found")
        assert "Row" in browser.text(".grid-head")
        browser.run("location.hash = arguments[0]", f"#/data/{NAME}/Thing/{identifier(1)}")
        browser.wait_for(f"Thing {identifier(1)}", "h1")
        browser.press("Room 1")
        browser.wait_for("Room 1", "h1")
        browser.wait_for("floor", "main table")
        links = browser.run("return [...document.querySelectorAll('main td')].map((cell) => cell.innerText)")
        assert str(THINGS // 2) in links, links
        # No query names an object without a primary key, so none is offered.
        assert browser.run("return document.querySelectorAll('a[aria-label^=All]').length") == 0


def writing(site: Site) -> None:
    """with --writable an object is edited, created and deleted, and another process finds that"""
    browser, file = site.browser, site.file
    assert file
    with opened(site, "--writable"):
        browser.press("Owner")
        browser.press("New object")
        browser.fill("Object", '{"name": "somebody"}')
        browser.press("Create")
        browser.wait_for("Owner somebody", "h1")
        assert [one["name"] for one in file.query("Owner", "name == 'somebody'")] == ["somebody"]
        browser.press("Delete")
        browser.wait_for("Delete Owner somebody?", "dialog")
        browser.press("Delete")
        browser.wait_for(f"{OWNERS} objects", ".found")
        assert file.query("Owner", "name == 'somebody'") == []
        browser.run("location.hash = arguments[0]", f"#/data/{NAME}/Owner/owner%205")
        browser.wait_for("Owner owner 5", "h1")
        browser.press("Delete")
        browser.wait_for(f"{THINGS // OWNERS} objects by Thing.owner", "dialog")
        said = browser.text("dialog")
        assert "from this file" in said and "become nil" in said and "device" not in said, said
        browser.press("Cancel")
        browser.run("location.hash = arguments[0]", f"#/data/{NAME}/Thing/{identifier(5)}")
        browser.wait_for(f"Thing {identifier(5)}", "h1")
        browser.press("Edit words")
        browser.fill("words", "a, b")
        browser.press("Review")
        browser.wait_for('A set is written as ["a", "b"].', "dialog")
        browser.keys("Escape")
        browser.run("location.hash = arguments[0]", f"#/data/{NAME}/Thing/{identifier(6)}")
        browser.wait_for(f"Thing {identifier(6)}", "h1")
        browser.press("Edit aText")
        nil = "return document.querySelector('dialog input[type=checkbox]').checked"
        assert browser.run(nil)
        browser.keys(*"new")
        assert not browser.run(nil)
        browser.keys("Escape")
        browser.run("history.back()")
        browser.wait_for(f"Thing {identifier(5)}", "h1")
        browser.press("Edit aText")
        browser.fill("aText", "<b>written</b>")
        browser.press("Review")
        browser.press("Write")
        browser.wait_for("<b>written</b>", "main table")
        (stored,) = file.query("Thing", "anInt == 5")
        assert stored["aText"] == "<b>written</b>", stored
        assert browser.run("return document.querySelectorAll('main b').length") == 0


def wrong_token(site: Site) -> None:
    """a wrong token in the address leads to the sign-in with a sentence, and the right one in the same tab on from there"""
    browser = site.browser
    with opened(site) as address:
        browser.wait_for("Data", "h1")
        browser.run("sessionStorage.clear()")
        browser.go("about:blank")
        page, token = address.split("#token=")
        browser.go(f"{page}#token={'0' * len(token)}")
        browser.wait_for("The token in the address is not accepted.", ".sign-in")
        browser.wait_for("Sign in", "h1")
        assert browser.run("return sessionStorage.length + (location.href.includes('token') ? 1 : 0)") == 0
        site.inspect("a refused address")
        browser.troubles()  # The 401 that was meant.
        browser.go(address)
        browser.wait_for("Data", "h1")
        assert "token" not in browser.run("return location.href")


def command_that_ends(site: Site) -> None:
    """when causeway browse ends, the page says so within seconds, and keeps what it shows"""
    browser = site.browser
    assert site.file
    try:
        with site.file.browse() as printed:
            browser.go("about:blank")
            browser.go(site.before(printed))
            browser.press("Thing")
            browser.wait_for(f"{THINGS} objects", ".found")
        browser.wait_for("Not live since", "#outage")
        assert f"{THINGS} objects" in browser.text(".found")
    finally:
        browser.go("about:blank")
        browser.troubles()  # Of the moment without a server.


FILE_SCENARIOS: list[Callable[[Site], None]] = [reading, rows, writing, wrong_token, command_that_ends]
