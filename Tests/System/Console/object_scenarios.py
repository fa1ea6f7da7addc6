"""What the part Data does with objects: long lists, queries, one object, its history, and edits."""

from collections.abc import Callable
from urllib.parse import quote

from browser import Browser
from console import Site
from world import HOSTILE, NOTES, SIGNED_NOTES

LIST = "#/data/notes/Note"
ROWS = "return document.querySelectorAll('.grid-body .grid-row').length"
ACTIVE = """
const grid = document.querySelector(".grid");
const cell = document.getElementById(grid?.getAttribute("aria-activedescendant"));
return cell?.closest("[aria-rowindex]").innerText ?? "";
"""
ASKED = "return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/objects/Note?')).length"


def long_list(site: Site) -> None:
    """of thousands of objects only the rows that are seen exist, and who scrolls fast fetches only where they stop"""
    site.sign_in()
    site.visit(LIST)
    browser = site.browser
    browser.wait_for(f"{NOTES:,} objects", ".found")
    assert browser.run(ROWS) < 60
    grid = "const grid = document.querySelector('.grid');"
    said = browser.run(f"{grid} return [grid.role, grid.ariaRowCount, grid.ariaColCount]")
    assert said == ["grid", str(NOTES + 1), "3"], said
    browser.run("performance.clearResourceTimings()")
    # In one script, so that no pause is longer than a person's hand makes.
    browser.run(f"{grid} for (let step = 1; step <= 200; step += 1) grid.scrollTop = (step * grid.scrollHeight) / 200")
    browser.wait_for(f"{HOSTILE} {NOTES - 1}", ".grid")
    assert browser.run(ASKED) == 1, browser.run(ASKED)
    assert browser.run(ROWS) < 60
    last = f"[aria-rowindex='{NOTES + 1}']"
    assert browser.text(last).split("\n")[0] == str(NOTES - 1), browser.text(last)
    top = "getBoundingClientRect().top"
    head = browser.run(f"{grid} return grid.querySelector('.grid-head').{top} - grid.{top}")
    assert abs(head) < 3, "The head scrolls away."
    browser.run(f"{grid} grid.scrollTop = 0")
    browser.wait(lambda: browser.text("[aria-rowindex='2']").startswith("0"), "the first object does not come")


def grid_by_keyboard(site: Site) -> None:
    """the keyboard goes through a list and opens an object, and Back leads to the row that was left"""
    site.visit("#/data/notes")
    site.visit(LIST)
    browser = site.browser
    browser.run("document.querySelector('.grid').focus()")
    steps = [("End", NOTES - 1), ("PageUp", None), ("Home", 0), ("Down", 1), ("Down", 2), ("Up", 1), ("PageDown", None)]
    for key, row in steps:
        browser.keys(key)
        browser.wait(lambda: "\n" in browser.run(ACTIVE), f"after {key} the row does not come")
        if row is not None:
            assert active(browser) == row, (key, browser.run(ACTIVE))
    assert 5 < active(browser) < 60
    left = active(browser)
    browser.keys("Enter")
    browser.wait_for(f"Note {left}", "h1")
    browser.run("history.back()")
    browser.wait_for("Note", "h1")
    browser.wait(lambda: browser.run(ACTIVE).startswith(f"{left}\n"), "it does not come back to the row")
    assert browser.run("return document.activeElement.role") == "grid"
    # A link's cell leads to what it links to.
    browser.keys("Home", "Control+Right", "Enter")
    browser.wait_for(f"Author {HOSTILE}", "h1")
    browser.run("history.back()")
    browser.wait(lambda: browser.run(ACTIVE).startswith("0\n"), "it does not come back to the row")
    cell = browser.run("return [document.activeElement.role, document.activeElement.getAttribute('aria-activedescendant')]")
    assert cell[0] == "grid" and cell[1].endswith("-0-2"), cell


def active(browser: Browser) -> int:
    return int(browser.run(ACTIVE).split("\n")[0])


def sorting(site: Site) -> None:
    """a button in the head sorts up, down and not at all, and the address keeps it"""
    browser = site.browser
    site.visit("#/data/notes")
    site.visit(LIST)
    sorts = "return [...document.querySelectorAll('[role=columnheader]')].map((one) => one.ariaSort)"
    for expected, first in (("ascending", 0), ("descending", NOTES - 1), ("none", 0)):
        browser.press("_id")
        browser.wait(lambda: browser.run(sorts)[0] == expected, f"it is not {expected}")
        browser.wait(
            lambda: browser.text("[aria-rowindex='2']").startswith(f"{first}\n"), "the order is another", browser.text
        )
    assert browser.run(sorts)[2] is None, "A link has no order."
    browser.run("history.back()")
    browser.wait(lambda: "sort=-_id" in browser.run("return location.hash"), "Back does not lead to the order before")
    browser.wait(lambda: browser.text("[aria-rowindex='2']").startswith(f"{NOTES - 1}\n"), "the order is another")


def queries(site: Site) -> None:
    """a query is answered while it is typed, and one that is wrong leaves the list and says why"""
    browser = site.browser
    site.visit("#/data/notes")
    site.visit(LIST)
    browser.run("document.querySelector('.query input').focus()")
    browser.keys(*"_id < 30")
    browser.wait_for("30 objects", ".found")
    assert browser.run("return document.querySelector('.grid').ariaRowCount") == "31"
    browser.keys("Enter")
    browser.keys(*" AND")
    browser.wait(lambda: browser.text(".query-problem") != "", "nothing is said about the query")
    mark = browser.run(
        "const one = document.querySelector('.query-problem pre'); const style = getComputedStyle(one);"
        "return [one.textContent, style.whiteSpace.includes('pre') || style.whiteSpaceCollapse, style.fontFamily]"
    )
    assert mark[0].split("\n")[0] == "_id < 30 AND" and mark[0].endswith("^"), mark
    assert "monospace" in mark[2], mark
    focused = browser.run("const one = document.activeElement; return [one.role, one.ariaInvalid]")
    assert focused == ["combobox", "true"], focused
    assert "30 objects" in browser.text(".found")
    browser.keys(*" author == nil")
    browser.wait_for(f"{30 - SIGNED_NOTES} objects", ".found")
    assert browser.text(".query-problem") == ""
    browser.keys("Enter", "Escape")
    browser.press("How it is answered")
    browser.wait(lambda: browser.text(".plan") != "", "no plan comes")
    browser.press("_id")
    browser.wait(lambda: browser.text(".plan").endswith("sort by _id"), "the plan has no order", browser.text)
    browser.run("history.back()")
    browser.wait_for(f"{30 - SIGNED_NOTES} objects", ".found")
    browser.press("How it is answered")
    address = browser.run("return location.href")
    browser.run("history.back()")
    browser.wait_for("30 objects", ".found")
    assert browser.run("return document.querySelector('.query input').value") == "_id < 30"
    browser.go("about:blank")
    browser.go(address)
    browser.wait_for(f"{30 - SIGNED_NOTES} objects", ".found")
    browser.troubles()  # The 400 of the query that was wrong.


SLOWLY = """
const send = window.fetch;
window.left = 0;
window.fetch = (where, how) => String(where).includes("/objects/") ? new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(send(where, how)), 1_500);
    how.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        window.left += 1;
        reject(how.signal.reason);
    });
}) : send(where, how);
window.quickly = () => { window.fetch = send; };
"""


def slow_search(site: Site) -> None:
    """a search that takes long says so, at once where its address is opened, and ends when somebody leaves"""
    browser = site.browser
    site.visit("#/data/notes")
    browser.run(SLOWLY)
    try:
        began = browser.run("location.hash = arguments[0]; return performance.now()", LIST)
        browser.wait_for("Searching…", ".found")
        assert browser.run("return performance.now()") - began < 1_200
        assert browser.text("h1") == "Note" and "Classes" not in browser.text("main h2"), browser.text("main")
        browser.wait_for(f"{NOTES:,} objects", ".found")
        browser.run("document.querySelector('.query input').focus()")
        browser.keys(*"_id < 30")
        browser.wait_for("Searching…", ".found")
        assert browser.run("return document.querySelector('.grid').ariaBusy") == "true"
        browser.wait_for("30 objects", ".found")
        browser.keys(*" AND")
        browser.wait_for("Searching…", ".found")
        browser.wait_for("30 objects", ".found")
        left = browser.run("return window.left")
        browser.keys(*" _id < 20")
        browser.wait_for("Searching…", ".found")
        site.visit("#/operations")
        assert browser.run("return window.left") > left
    finally:
        browser.run("window.quickly()")
        browser.troubles()  # The 400 of the query that was not whole.


def completion(site: Site) -> None:
    """the query is completed by the keyboard, and screen readers hear of it"""
    browser = site.browser
    site.visit("#/data/notes")
    site.visit(LIST)
    value = "return document.querySelector('.query input').value"
    expanded = "return document.querySelector('.query input').ariaExpanded"
    browser.run("document.querySelector('.query input').focus()")
    browser.keys(*"aut")
    browser.wait(lambda: browser.run(expanded) == "true", "no completion is offered")
    browser.keys("Down")
    chosen = "return document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.innerText"
    assert browser.run(chosen).startswith("author"), browser.run(chosen)
    browser.keys("Enter")
    assert browser.run(value) == "author"
    browser.keys(*".na")
    browser.keys("Down", "Enter")
    assert browser.run(value) == "author.name"
    browser.keys(*" ==")
    browser.keys("Down", "Enter")
    browser.keys(*"'Ann'")
    browser.wait_for(f"{SIGNED_NOTES} objects", ".found")
    browser.keys(*" ")
    assert browser.run(expanded) == "false", "Nothing is begun."
    for asking in ("Control+Space", "Down"):
        browser.keys(asking)
        browser.wait(lambda: browser.run(expanded) == "true", "no completion is offered")
        browser.keys("Escape")
    browser.keys(*"AND te")
    browser.wait(lambda: browser.text(".query-problem") != "", "nothing is said about the query")
    # What is offered covers neither what is wrong nor what was found.
    edges = "return ['.query-problem', '.found', '.options'].map((one) => document.querySelector(one).getBoundingClientRect())"
    problem, found, options = browser.run(edges)
    assert options["height"] > 0 and max(problem["bottom"], found["bottom"]) <= options["top"], (problem, found, options)
    browser.keys("Escape")
    assert browser.run(expanded) == "false"
    browser.troubles()


def hostile_values(site: Site) -> None:
    """a value, a key and a query that look like markup are text, and nothing of them runs"""
    browser = site.browser
    site.visit(LIST)
    browser.wait_for(HOSTILE, ".grid")
    site.visit(f"#/data/notes/Author/{quote(HOSTILE, safe='')}")
    browser.wait_for(f"Author {HOSTILE}", "h1")
    browser.wait_for(HOSTILE, "main table")
    site.visit(f"{LIST}?where={quote(HOSTILE)}")
    browser.wait(lambda: browser.text(".query-problem") != "", "nothing is said about the query")
    assert browser.run("return document.querySelector('.query input').value") == HOSTILE
    site.visit(f"#/data/notes/{quote(HOSTILE, safe='')}")
    browser.wait_for(f"{HOSTILE} has no objects", "main")
    assert browser.run("return document.querySelectorAll('main img, main b').length") == 0
    assert all("400" in trouble for trouble in browser.troubles())


def links_and_history(site: Site) -> None:
    """an object has its links both ways, and who changed what of it"""
    browser = site.browser
    site.visit(f"#/data/notes/Author/{quote(HOSTILE, safe='')}")
    browser.press(f"All {SIGNED_NOTES} of Note")
    browser.wait_for(f"{SIGNED_NOTES} objects", ".found")
    site.visit("#/data/notes/Note/7")
    browser.wait_for("changed <b>once</b>", "main table")
    browser.wait_for("carl", ".history")
    (first, second) = browser.run("return [...document.querySelectorAll('.history > li')].map((one) => one.innerText)")
    assert "updated" in first and f"{HOSTILE} 7" in first and "changed <b>once</b>" in first, first
    assert "created" in second, second
    browser.press(f"Author {HOSTILE}")
    browser.wait_for(f"Author {HOSTILE}", "h1")
    # A client has the same name everywhere.
    site.visit("#/data/notes/Note/7")
    (client,) = [one["client"] for one in site.admin("GET", "/databases/notes/clients?user=carl")["clients"]]
    browser.press(client)
    browser.wait_for("Devices", "h1")
    browser.wait_for(client, "[aria-current=true]")
    shown = browser.text("main table")
    assert "carl" in shown and "ada" not in shown, shown


def edits(site: Site) -> None:
    """an edit shows from and to before it is written, and is not written over what somebody else wrote"""
    browser = site.browser
    site.visit("#/data/notes/Note/30")
    browser.press("Edit text")
    browser.fill("text", "one <i>")
    browser.press("Review")
    browser.wait_for(f"{HOSTILE} 30", "dialog")
    browser.wait_for("one <i>", "dialog dd:last-child")
    assert stored(site, 30)["text"] == f"{HOSTILE} 30"
    browser.press("Write")
    browser.wait_for("Written as version", "#status")
    browser.wait_for("one <i>", "main table")
    assert stored(site, 30)["text"] == "one <i>"
    browser.wait_for("updated", ".history")
    browser.press("Edit author")
    browser.fill("author", "{")
    browser.press("Review")
    browser.wait_for("This is not JSON", "dialog")
    browser.keys("Escape")
    browser.press("Edit text")
    browser.fill("text", "two")
    browser.press("Review")
    site.admin("PATCH", "/databases/notes/objects/Note/30", {"text": "somebody's"})
    browser.press("Back")
    assert browser.focused() == "text", browser.focused()
    browser.press("Review")
    browser.press("Write")
    browser.wait_for("Somebody has changed the object meanwhile", "dialog")
    assert stored(site, 30)["text"] == "somebody's"
    buttons = browser.run("return [...document.querySelectorAll('dialog .actions button:not([disabled], [hidden])')].map((one) => one.innerText)")
    assert buttons == ["Back", "Load again"], buttons
    browser.press("Load again")
    browser.wait_for("somebody's", "main table")
    browser.press("Edit text")
    browser.fill("text", "three")
    browser.press("Review")
    browser.press("Write")
    browser.wait_for("three", "main table")
    assert "Written as version" in browser.text("#status")
    site.visit("#/data/notes")
    assert browser.text("#status") == "", "What was said of a part that was left stays."
    browser.troubles()  # The 412 that was meant.


def stored(site: Site, key: int) -> dict:
    return site.admin("GET", f"/databases/notes/objects/Note/{key}")


def creating_and_deleting(site: Site) -> None:
    """an object is created and deleted, and its history stays"""
    browser = site.browser
    site.visit("#/data/notes")
    site.visit(LIST)
    browser.press("New object")
    browser.fill("Object", '{"_id": 1}')
    browser.press("Create")
    browser.wait_for("This was not written", "dialog")
    browser.fill("Object", f'{{"_id": {NOTES}, "text": "new"}}')
    browser.press("Create")
    browser.wait_for(f"Note {NOTES}", "h1")
    assert stored(site, NOTES)["text"] == "new"
    browser.press("Delete")
    browser.wait_for(f"Delete Note {NOTES}?", "dialog")
    browser.wait_for("No object links to it.", "dialog")
    browser.press("Cancel")
    assert stored(site, NOTES)["text"] == "new"
    browser.press("Delete")
    browser.press("Delete")
    browser.wait_for(f"{NOTES:,} objects", ".found")
    site.visit(f"#/data/notes/Note/{NOTES}")
    browser.wait_for(f"There is no Note with the key {NOTES}", "main")
    browser.wait_for("deleted", ".history")
    site.visit("#/data/notes/Author/grace")
    browser.press("Delete")
    browser.wait_for("40 objects by Note.author", "dialog")
    browser.wait_for("author != nil AND author._id == nil", "dialog")
    assert "on every device" in browser.text("dialog")
    browser.press("Cancel")
    browser.troubles()  # The 409 and the 404 that were meant.


def objects_look(site: Site) -> None:
    """a list, an object, a dialog and completions pass the inspection at both widths, light and dark"""
    browser = site.browser
    try:
        for width in (1200, 400):
            for dark in (False, True):
                browser.look(width, dark=dark)
                words = f"at {width}, {'dark' if dark else 'light'}"
                site.visit("#/data/notes")
                site.visit(LIST)
                browser.wait(lambda: HOSTILE in browser.text(".grid"), "no object comes")
                site.inspect(f"a list {words}")
                browser.run("document.querySelector('.query input').focus()")
                browser.keys("Down")
                shown = "return document.querySelector('.options').checkVisibility()"
                browser.wait(lambda: browser.run(shown), "nothing is offered")
                site.inspect(f"completions {words}")
                site.visit("#/data/notes/Note/7")
                site.inspect(f"an object {words}")
                browser.press("Edit text")
                site.inspect(f"a form {words}")
                browser.press("Review")
                site.inspect(f"a review {words}")
                browser.keys("Escape")
    finally:
        browser.look(1200)


OBJECT_SCENARIOS: list[Callable[[Site], None]] = [
    long_list,
    grid_by_keyboard,
    sorting,
    queries,
    slow_search,
    completion,
    hostile_values,
    links_and_history,
    edits,
    creating_and_deleting,
    objects_look,
]
