"""How long somebody waits for an answer about a file with very many objects, in a headless Chromium with `causeway browse`.

    deploy/test --console --figures

Prints medians: from the last key, click or step of the scrollbar until what it asks for is drawn, and how much of it
the request took. A query waits 150 ms for a further key first, and a scrollbar 80 ms.
"""

import argparse
import json
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from browsed import browse, property_
from browser import Browser

SYLLABLES = "an bo ce di el fa gu hi jo ka lu ma no pe ru si to ve xa zo".split()
# Each one is asked once: the tool keeps the answers to the last questions.
PREDICATES = {
    "age > 10": [("age > 1", digit) for digit in "01234567"],
    "name CONTAINS 'x'": [(f"name CONTAINS '{part}", "'") for part in SYLLABLES[-8:]],
    "boss.age == 30": [("boss.age == 3", digit) for digit in "01234567"],
}
COLUMNS = ("age", "name", "city", "score")
PLACES = (0.5, 0.1, 0.9, 0.3, 0.7, 0.2, 0.8, 0.4)

DRAWN = """
const [event, isThere] = arguments;
const found = document.querySelector(".found");
const grid = document.querySelector(".grid");
performance.clearResourceTimings();
window.measured = new Promise((resolve) => {
    let began = 0;
    addEventListener(event, () => { began = performance.now(); }, { capture: true, once: true });
    // The second frame begins when the first one is drawn.
    const isDrawn = () => began > 0 && (isThere === "rows"
        ? [...grid.querySelectorAll(".grid-body .grid-row")].every((row) => row.innerText.trim() !== "…")
        : ![window.before, "Searching…"].includes(found.innerText));
    const look = () => (isDrawn() ? requestAnimationFrame(() => resolve(performance.now() - began)) : requestAnimationFrame(look));
    window.before = found.innerText;
    look();
});
"""
WAITED = """
return window.measured.then((whole) => {
    const asked = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/objects/"));
    return [whole, Math.max(0, ...asked.map(({ duration }) => duration))];
});
"""


def people(count: int) -> Iterator[dict]:
    yield {"causewayExport": 1, "classes": [{"name": "Person", "kind": "object", "properties": [
        property_("id", "int", primaryKey=True), property_("name", "string"), property_("age", "int"),
        property_("city", "string"), property_("score", "double"),
        property_("boss", "object", target="Person", optional=True),
    ]}]}  # fmt: skip
    draw = random.Random(1)
    for number in range(count):
        yield {"class": "Person", "object": {
            "id": number, "name": "".join(draw.choices(SYLLABLES, k=4)).capitalize(), "age": draw.randrange(100),
            "city": f"City {draw.randrange(500)}", "score": draw.randrange(1_000_000) / 8,
            "boss": {"$ref": "Person", "$id": number // 10} if number else None,
        }}  # fmt: skip


class Figures:
    def __init__(self, browser: Browser, count: int) -> None:
        self.browser, self.count = browser, count

    def queries(self, parts: list[tuple[str, str]]) -> Iterator[tuple[float, float]]:
        for beginning, last in parts:
            self.browser.run("const one = document.querySelector('.query input'); one.value = ''; one.focus()")
            self.browser.keys(*beginning)
            self.rest()
            yield self.measure("input", "found", lambda: self.browser.keys(last))

    def sorts(self) -> Iterator[tuple[float, float]]:
        self.browser.run("const one = document.querySelector('.query input'); one.value = ''")
        for column in COLUMNS:
            for _ in ("ascending", "descending"):
                press = f"document.querySelector('[data-key=\"sort {column}\"]').click()"
                yield self.measure("click", "found", lambda: self.browser.run(press))
                self.rest()

    def scrolls(self) -> Iterator[tuple[float, float]]:
        self.browser.run("document.querySelector('[data-key=\"sort id\"]').click()")
        self.browser.wait_for(f"{self.count:,} objects", ".found")
        for part in PLACES:
            self.rest()
            step = f"const grid = document.querySelector('.grid'); grid.scrollTop = {part} * grid.scrollHeight"
            yield self.measure("scroll", "rows", lambda: self.browser.run(step))

    def measure(self, event: str, drawn: str, act: Callable[[], object]) -> tuple[float, float]:
        self.browser.run(DRAWN, event, drawn)
        act()
        whole, asked = self.browser.run(WAITED)
        return whole, asked

    def rest(self) -> None:
        """Waits until nothing is on its way."""
        busy = "return document.querySelector('.grid').ariaBusy === 'true'"
        time.sleep(0.4)
        self.browser.wait(lambda: not self.browser.run(busy), "it stays busy")


def measure(address: str, count: int, folder: Path) -> None:
    browser = Browser(folder)
    try:
        browser.look(1200)
        browser.go(address)
        browser.press("Person")
        browser.wait_for(f"{count:,} objects", ".found")
        figures = Figures(browser, count)
        for name, parts in PREDICATES.items():
            tell(name, list(figures.queries(parts)))
        tell("sort", list(figures.sorts()))
        tell("scroll", list(figures.scrolls()))
    finally:
        browser.end()


def tell(name: str, times: list[tuple[float, float]]) -> None:
    whole, asked = (statistics.median(each) for each in zip(*times, strict=True))
    slowest = max(each for each, _ in times)
    print(f"{name:20} {whole:6.0f} ms, of which the request {asked:6.0f} ms; slowest of {len(times)}: {slowest:6.0f} ms", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", type=Path, required=True, help="the program causeway")
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--file", type=Path, help="a file of an earlier run, or where to keep this one")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = arguments.file or Path(folder) / "people.causeway"
        if not file.exists():
            made = Path(folder) / "people.jsonl"
            with made.open("w") as output:
                output.writelines(json.dumps(line) + "\n" for line in people(arguments.objects))
            subprocess.run([arguments.tool, "import", file, "--from", made], check=True)
        with browse(arguments.tool, file) as address:
            measure(address, arguments.objects, Path(folder))


if __name__ == "__main__":
    main()
