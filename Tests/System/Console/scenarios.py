"""What the console shows and does, in a browser, with a daemon."""

import os
import signal
import time
from collections.abc import Callable

from browser import Browser
from console import PARTS, Site
from live_scenarios import LIVE_SCENARIOS
from object_scenarios import OBJECT_SCENARIOS
from world import HOSTILE, TOKEN

WIDTHS = (1200, 400)
OBJECT_PICTURES = (
    ("objects", "#/data/flights/Flight?where=origin+%3D%3D+'JFK'+AND+price+>+300&sort=-price"),
    ("object", "#/data/notes/Author/grace"),
)


def signing_in(site: Site) -> None:
    """a wrong token is refused with a sentence, the right one stays in the tab and is gone after signing out"""
    browser = site.browser
    browser.go(site.address)
    browser.wait_for("Administrator's token")
    assert browser.focused().startswith("Administrator's token"), browser.focused()
    site.inspect("sign in")
    browser.fill("Administrator's token", "wrong")
    browser.press("Sign in")
    browser.wait_for("This is not the administrator's token")
    assert browser.run("return sessionStorage.length + localStorage.length") == 0
    browser.fill("Administrator's token", TOKEN)
    browser.keys("Enter")
    browser.wait_for("Overview", "h1")
    assert browser.run("return localStorage.length + document.cookie.length") == 0
    browser.go(site.address)
    browser.wait_for("Overview", "h1")
    browser.press("Sign out")
    browser.wait_for("You have signed out.")
    assert browser.run("return sessionStorage.length") == 0
    browser.troubles()  # The 401 of the wrong token.


def overview(site: Site) -> None:
    """the overview says what needs attention, and has each database with its sessions"""
    site.sign_in()
    browser = site.browser
    browser.wait_for("orders of flights is held up", ".notices")
    for name in ("flights", "notes"):
        assert name in browser.text("tbody"), browser.text()
    stated = {one["name"]: one for one in site.admin("GET", "/databases")["databases"]}
    shown = browser.run(
        "return [...document.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    sessions = {row[0]: int(row[6]) for row in shown}
    assert sessions == {name: sum(one["sessions"].values()) for name, one in stated.items()}, (sessions, stated)
    browser.wait(
        lambda: browser.run("return document.querySelectorAll('.chart .line').length") >= 4, "no chart has a line"
    )


def data(site: Site) -> None:
    """the data part has classes with their properties, and who created how many objects"""
    site.open("data")
    browser = site.browser
    text = browser.text("main")
    assert "Flight" in text and "5 properties" in text and "201 objects" in text, text
    browser.press("Flight –")
    browser.wait(lambda: "price" in browser.text("details[open]"), "the properties do not appear", browser.text)
    assert "ada" in browser.text("main")
    site.open("data", "notes")
    classes = "return document.querySelectorAll('main section details').length"
    assert browser.run(classes) == 100
    browser.press("Show more classes")
    browser.wait(lambda: browser.run(classes) == 122, "the other classes do not come", browser.text)
    assert "Show more" not in browser.text("main")


def hostile_names(site: Site) -> None:
    """a name that looks like markup is text everywhere, and nothing of it runs"""
    browser = site.browser
    for part, database in (("devices", "flights"), ("data", "flights")):
        site.open(part, database)
        browser.wait_for(HOSTILE, "main")
        assert browser.run("return document.querySelectorAll('main img').length") == 0
    site.open("devices")
    browser.press(f"End the session of {HOSTILE}")
    browser.wait_for(HOSTILE, "dialog")
    browser.keys("Escape")
    browser.run("location.hash = arguments[0]", f"#/devices/{HOSTILE}")
    browser.wait_for("Devices", "h1")
    assert browser.run("return document.querySelectorAll('main img').length") == 0
    assert not browser.troubles()


def ending_a_session(site: Site) -> None:
    """a session ends when that is confirmed, and stays when it is not"""
    browser = site.browser
    site.open("devices")
    browser.press("End the session of ben")
    browser.wait_for("connects again by itself", "dialog")
    browser.press("Cancel")
    assert any(one["user"] == "ben" for one in site.admin("GET", "/databases/flights/sessions")["sessions"])
    assert browser.focused().startswith("End the session of ben"), browser.focused()
    browser.press("End the session of ben")
    browser.press("End the session")
    browser.wait_for("The session of ben was ended.", "#status")
    browser.wait(lambda: "End the session of ben" not in names(browser), "it is still shown", browser.text)


def names(browser: Browser) -> str:
    return browser.run("return [...document.querySelectorAll('[aria-label]')].map((one) => one.ariaLabel).join('\\n')")


def refusals(site: Site) -> None:
    """what was refused of a client is shown by class and code"""
    browser = site.browser
    site.open("devices")
    browser.press(f"Show what was refused of {HOSTILE}")
    browser.wait_for("Flight: 1 × permissionDenied, Flight: 1 × objectUnknown", "main")


def shutting_out(site: Site) -> None:
    """a user is shut out behind a confirmation, with a note, and let in again"""
    browser = site.browser
    site.open("devices")
    browser.fill("User to shut out", "mallory")
    # The buttons of clients have names of their own.
    browser.press("Shut out…")
    browser.wait_for("Every token of mallory", "dialog")
    browser.fill("Note", "lost phone")
    browser.press("Shut out")
    browser.wait_for("mallory is shut out.", "#status")
    browser.wait_for("lost phone", "main")
    (entry,) = site.admin("GET", "/databases/flights/shut-out/users")["entries"]
    assert entry["name"] == "mallory" and entry["note"] == "lost phone", entry
    browser.press("Let mallory in")
    browser.wait_for("mallory may come in again", "#status")
    assert site.admin("GET", "/databases/flights/shut-out/users")["entries"] == []


def access(site: Site) -> None:
    """the tester says what a user with claims may do, and which rule says so"""
    browser = site.browser
    site.open("access")
    browser.fill("Primary key", "1")
    browser.fill("User", "eve")
    browser.fill("Claims", '{"airline": "UA"}')
    browser.press("What may they do?")
    browser.wait_for("asked for eve", "main")
    verdicts = browser.run(
        "return [...document.querySelectorAll('form .tree > li > details > summary')].map((one) => one.innerText)"
    )
    said = {text.split()[0]: text.split()[1] for text in verdicts}
    assert said == {"read": "permitted", "create": "permitted", "write": "permitted", "delete": "refused"}, verdicts
    browser.fill("Claims", "{airline}")
    browser.press("What may they do?")
    browser.wait_for("The claims are not JSON", "main")
    browser.fill("Claims", "{}")
    browser.fill("Primary key", "987654")
    browser.press("What may they do?")
    browser.wait_for("The server does not say", "main")
    browser.press("Flight")
    browser.wait_for("airline == $user.claims.airline", "details[open]")
    browser.troubles()  # The 4xx of the key that is not there.


def operations(site: Site) -> None:
    """a backup is begun and appears, a reload reports each part, and the configuration has no secret"""
    browser = site.browser
    site.open("operations")
    browser.press("Back up notes now")
    browser.wait(lambda: site.admin("GET", "/databases/notes/backups")["backups"], "no backup was made")
    newest = site.admin("GET", "/databases/notes/backups")["backups"][0]["name"]
    browser.wait_for(newest, "main")
    browser.press("Reload…")
    browser.press("Reload")
    browser.wait_for("Reloaded: ", "#status")
    browser.wait_for("permissions.flights", "main")
    browser.press("limits")
    browser.wait_for("heartbeatSeconds", "main")
    assert TOKEN not in browser.run("return document.documentElement.outerHTML")
    browser.troubles()  # A conflict, if the server was making a backup itself.


def verification(site: Site) -> None:
    """a database is verified while it is used, and what was found is said"""
    browser = site.browser
    site.open("operations")
    browser.press("Verify notes")
    browser.wait_for("notes is sound: ", "#status")
    last = site.admin("GET", "/databases/notes/verify")["last"]
    assert last["isSound"], last
    row = browser.run("return document.querySelector(\"[aria-label='Verify notes']\").closest('tr').innerText")
    assert "sound" in row and f"{last['objects']:,}" in row, row
    site.open("overview")
    site.open("operations")
    browser.wait_for("sound", "main")


def keyboard(site: Site) -> None:
    """everything is reached and done by the keyboard alone"""
    site.sign_in()
    browser = site.browser
    browser.go("about:blank")
    browser.go(site.address)
    browser.wait_for("Overview", "h1")
    browser.keys("Tab")
    assert browser.focused() == "Skip to the content", browser.focused()
    browser.keys("Enter")
    assert browser.run("return document.activeElement.id") == "main", browser.focused()
    assert browser.run("return location.hash") == ""
    browser.keys("Shift+Tab")
    assert browser.focused() == "Sign out", browser.focused()
    to(browser, "Devices", back=True)
    browser.keys("Enter")
    browser.wait_for("Devices", "h1")
    browser.wait(lambda: browser.focused() == "Devices", "the heading has no focus", browser.focused)
    assert browser.run("return document.querySelector('nav [aria-current=page]').textContent") == "Devices"
    to(browser, "Shut out the client")
    browser.keys("Enter")
    browser.wait_for("Shut out this client?", "dialog")
    # The focus cannot leave the dialog for the page.
    for _ in range(6):
        browser.keys("Tab")
        inside = "const one = document.activeElement; return one === document.body || !!one.closest('dialog')"
        assert browser.run(inside)
    browser.keys("Escape")
    browser.wait(lambda: browser.focused().startswith("Shut out the client"), "the focus is lost", browser.focused)
    outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", outline


def to(browser: Browser, name: str, *, back: bool = False) -> None:
    for _ in range(60):
        if browser.focused().startswith(name):
            return
        browser.keys("Shift+Tab" if back else "Tab")
    raise AssertionError(f"the keyboard does not reach “{name}”")


def looks(site: Site) -> None:
    """each part passes the inspection at both widths, light and dark"""
    site.sign_in()
    browser = site.browser
    try:
        for width in WIDTHS:
            for dark in (False, True):
                browser.look(width, dark=dark)
                for part in PARTS:
                    site.open(part)
                    browser.run("for (const one of document.querySelectorAll('main details')) one.open = true")
                    if part == "access":
                        browser.wait(lambda: "Reading…" not in browser.text("main"), "the rules do not appear")
                    site.inspect(f"{part} at {width}, {'dark' if dark else 'light'}")
        site.open("devices")
        browser.press("End the session")
        browser.wait_for("End this session?", "dialog")
        site.inspect("a dialog")
        browser.keys("Escape")
    finally:
        browser.look(1200)


def pictures(site: Site) -> None:
    """pictures of each part, at both widths, light and dark"""
    assert site.pictures
    site.pictures.mkdir(parents=True, exist_ok=True)
    site.sign_in()
    browser = site.browser
    site.world.write_on()
    # Sampled every ten seconds: a chart of three points says little.
    browser.wait_for("Overview", "h1")
    deadline = time.monotonic() + 75
    while time.monotonic() < deadline:
        time.sleep(1)
    for width in WIDTHS:
        for dark in (False, True):
            browser.look(width, dark=dark, height=800)
            for part in PARTS:
                site.open(part)
                prepare(site, part)
                name = f"{part}-{width}-{'dark' if dark else 'light'}"
                browser.picture(site.pictures / f"{name}.png")
                browser.picture(site.pictures / f"{name}-top.png", whole=False)
            for name, address in OBJECT_PICTURES:
                site.visit(address)
                prepare(site, name)
                browser.picture(site.pictures / f"{name}-{width}-{'dark' if dark else 'light'}-top.png", whole=False)
    browser.look(1200)
    site.world.rest()


def prepare(site: Site, part: str) -> None:
    browser = site.browser
    if part == "data":
        browser.press("Flight –")
    if part == "objects":
        browser.wait(lambda: "JFK" in browser.text(".grid"), "no object comes", browser.text)
        browser.press("How it is answered")
        browser.wait(lambda: browser.text(".plan") != "", "no plan comes")
    if part == "operations":
        browser.press("Verify notes")
        browser.wait_for("notes is sound", "#status")
    if part == "access":
        browser.fill("Primary key", "1")
        browser.fill("User", "eve")
        browser.fill("Claims", '{"airline": "DL"}')
        browser.press("What may they do?")
        browser.wait_for("asked for eve", "main")
    # A result is not what the next picture is of.
    browser.run("document.activeElement.blur(); document.querySelector('#status').textContent = ''; scrollTo(0, 0)")


def expired_token(site: Site) -> None:
    """a token that counts no more leads back to signing in, and the part is there again afterwards"""
    browser = site.browser
    site.sign_in()
    site.open("devices")
    other = TOKEN.replace("an-", "another-")
    site.world.token_file.write_text(other)
    site.admin("POST", "/reload")
    try:
        # The server ends the stream, so the page asks and learns of it.
        browser.wait_for("does not accept this token any more")
        assert browser.run("return sessionStorage.length") == 0
        browser.fill("Administrator's token", other)
        browser.press("Sign in")
        browser.wait_for("Devices", "h1")
    finally:
        site.world.token_file.write_text(TOKEN)
        os.kill(site.world.server.process_id, signal.SIGHUP)
    # The page learns that this one counts no more either.
    browser.wait_for("does not accept this token any more")
    browser.troubles()  # The two 401 that were meant.


def damage(site: Site) -> None:
    """a damaged database is named with what is wrong"""
    world, browser = site.world, site.browser
    world.server.end()
    world.damage()
    world.server.start()
    site.open("operations")
    browser.press("Verify notes")
    browser.wait_for("notes is not sound", "main")
    problems = site.admin("GET", "/databases/notes/verify")["last"]["problems"]
    assert problems and problems[0] in browser.text("main"), problems
    browser.troubles()  # Of the moment without a server.


def accounts(site: Site) -> None:
    """an account is disabled behind a confirmation, and enabled again"""
    world, browser = site.world, site.browser
    site.open("access")
    assert "The server keeps no accounts" in browser.text("main")
    world.keep_accounts("notes", "a program")
    site.open("operations")
    site.open("access", "notes")
    for word, said in (("Disable", "disabled"), ("Enable", "enabled")):
        browser.press(f"{word} a program")
        browser.wait_for(f"{word} this account?", "dialog")
        (listed,) = site.admin("GET", "/databases/notes/accounts")["accounts"]
        assert f"(user {listed['user']})" in browser.text("dialog"), browser.text("dialog")
        browser.press("Cancel")
        (now,) = site.admin("GET", "/databases/notes/accounts")["accounts"]
        assert now["isDisabled"] == (word == "Enable"), now
        browser.press(f"{word} a program")
        browser.press(word)
        browser.wait_for(f"is {said}.", "#status")
        (now,) = site.admin("GET", "/databases/notes/accounts")["accounts"]
        assert now["isDisabled"] == (word == "Disable"), now
    site.inspect("accounts")
    browser.troubles()  # Of the moment without a server.


def server_that_ends(site: Site) -> None:
    """a server that ends is said to be gone in every part within seconds, and all is read again when it is back"""
    site.sign_in()
    browser = site.browser
    for part, shown in PARTS_WITHOUT_SERVER:
        site.visit(part)
        browser.wait_for(shown, "main")
        before = browser.run("return performance.now()")
        site.world.server.end()
        browser.wait_for("Not live since", "#outage")
        waited = browser.run("return performance.now()") - before
        assert waited < 8_000, f"{part}: {waited} ms"
        assert shown in browser.text("main"), browser.text("main")
        assert browser.text("#alert") == "", browser.text("#alert")
        browser.run("performance.clearResourceTimings()")
        site.world.server.start()
        browser.wait(lambda: browser.text("#outage") == "", f"{part}: the line stays", browser.text)
        again = "return performance.getEntriesByType('resource').some(({ name }) => name.includes(arguments[0]))"
        browser.wait(lambda: browser.run(again, PARTS_WITHOUT_SERVER[part, shown]), f"{part}: it is not read again")
        assert shown in browser.text("main")
    site.visit("#/data/flights")
    site.world.server.end()
    browser.wait_for("Not live since", "#outage")
    browser.run("location.hash = '#/devices'")
    browser.wait_for("Try again", "main")
    site.world.server.start()
    # Nobody has to press anything.
    browser.wait_for("Open sessions", "main")
    browser.wait(lambda: browser.text("#outage") == "", "the line stays", browser.text)
    browser.troubles()


# What is seen of a part, and what it asks for when the server is back.
PARTS_WITHOUT_SERVER = {
    ("#/overview", "flights"): "/readyz",
    ("#/data/notes/Note", "_id"): "/objects/Note",
    ("#/devices/flights", "Open sessions"): "/sessions",
    ("#/operations", "Configuration in force"): "/configuration",
}


SCENARIOS: list[Callable[[Site], None]] = [
    signing_in,
    overview,
    data,
    *OBJECT_SCENARIOS,
    hostile_names,
    refusals,
    shutting_out,
    access,
    operations,
    verification,
    keyboard,
    looks,
    *LIVE_SCENARIOS,
    ending_a_session,
    pictures,
    expired_token,
    server_that_ends,
    accounts,
    damage,
]
