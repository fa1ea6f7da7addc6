// Runs in the page: returns what people with a keyboard, a screen reader, bad eyes or a small screen would trip over.
// The body of a function, for WebDriver.

const found = [];
const seen = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const words = (one) => `<${one.tagName.toLowerCase()}> “${one.textContent.trim().slice(0, 40)}”`;

// Names
for (const one of document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=img], [role=region], dialog[open], nav")) {
    if (!seen(one)) continue;
    const by = one.getAttribute("aria-labelledby");
    const name = one.getAttribute("aria-label")
        ?? (by ? by.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ") : null)
        ?? ([...(one.labels ?? [])].map((label) => label.textContent).join(" ") || one.textContent);
    if (!name.trim()) found.push(`${words(one)} has no name`);
}
for (const image of document.querySelectorAll("img:not([alt])")) found.push(`${words(image)} has no alternative`);

// Structure
const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
for (const id of ids.filter((id, index) => ids.indexOf(id) !== index)) found.push(`two elements have the id ${id}`);
for (const attribute of ["for", "aria-labelledby", "aria-describedby"]) {
    for (const one of document.querySelectorAll(`[${attribute}]`)) {
        if (!document.getElementById(one.getAttribute(attribute))) found.push(`${words(one)}: ${attribute} names nothing`);
    }
}
const levels = [...document.querySelectorAll("main h1, main h2, main h3")].filter(seen).map((one) => Number(one.tagName[1]));
if (levels.filter((level) => level === 1).length !== 1) found.push("the page has not exactly one h1");
levels.forEach((level, index) => {
    if (index > 0 && level > levels[index - 1] + 1) found.push(`an h${level} follows an h${levels[index - 1]}`);
});
for (const table of document.querySelectorAll("table")) {
    if (!table.caption) found.push("a table has no caption");
    if ([...table.querySelectorAll("thead th")].some((one) => one.scope !== "col")) found.push("a column's head has no scope");
}
if (document.querySelectorAll("main").length !== 1) found.push("the page has not exactly one main");
if (!document.documentElement.lang) found.push("the page says no language");

// Width: only what scrolls by itself may be wider than the screen.
const { scrollWidth, clientWidth } = document.documentElement;
if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} wide on a screen of ${clientWidth}`);
for (const one of document.querySelectorAll("button, input, select, textarea, a, summary")) {
    if (!seen(one) || one.classList.contains("skip")) continue;
    // A label around a field is part of it.
    const { height, width } = (one.closest("label") ?? one).getBoundingClientRect();
    if (height > 0 && (height < 20 || width < 12)) found.push(`${words(one)} is ${Math.round(width)} × ${Math.round(height)}: too small to hit`);
}

// Contrast: of every text that is seen with the colour behind it.
const rgb = (text) => {
    const numbers = text.match(/[\d.]+/g).map(Number);
    return { colour: numbers.slice(0, 3), alpha: numbers[3] ?? 1 };
};
const luminance = (colour) => {
    const [red, green, blue] = colour.map((part) => {
        const value = part / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const behind = (one) => {
    for (let each = one; each; each = each.parentElement) {
        const { colour, alpha } = rgb(getComputedStyle(each).backgroundColor);
        if (alpha === 1) return colour;
    }
    return [255, 255, 255];
};
const low = new Set();
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !seen(one) || one.closest("[disabled]")) continue;
    const pair = [luminance(rgb(getComputedStyle(one).color).colour), luminance(behind(one))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5) low.add(`${words(one)} has a contrast of ${contrast.toFixed(2)}`);
}
return [...found, ...low];
