// Operations: backups, verification, databases, the log, a reload with its report, and the configuration in force.

import { backupSection } from "./backups.js";
import { hasSection, settings } from "./configuration.js";
import { ask } from "./dialog.js";
import { code, element, mark, muted, replace } from "./dom.js";
import { plural } from "./format.js";
import { logView } from "./logView.js";
import { section } from "./outcomes.js";
import { databaseSection } from "./serverDatabases.js";
import { table } from "./table.js";
import { verifySection } from "./verifySection.js";

/** @typedef {import("./main.js").Place} Place */

/** @param {Place} place */
export async function operations(place) {
    const [report, configuration] = [element("div"), element("section")];
    const readInForce = () => place.api.get("/configuration", place.signal);
    const read = async () => replace(configuration, configurationTables(await readInForce()));
    const inForce = await readInForce();
    replace(configuration, configurationTables(inForce));
    place.recover(read);
    const log = await section(() => logView(place));
    const backups = element("section", {}, hasSection(inForce, "backups")
        ? await Promise.all(place.databases.map((name) => backupSection(place, name)))
        : muted("The server makes no backups: its configuration has no section backups."));
    const verification = await section(() => verifySection(place));
    place.container.append(
        element("div", { class: "heading" }, element("h1", { tabindex: -1 }, "Operations")),
        element("h2", {}, "Backups"), backups,
        element("h2", {}, "Verification"), verification,
        element("h2", {}, "Databases"), databaseSection(place), element("h2", {}, "Log"), log,
        element("h2", {}, "Reload"),
        element("p", {}, "Reads the configuration, keys and certificates anew, as SIGHUP does. Connections stay open."),
        element("p", {}, element("button", {
            type: "button", class: "main", onclick: () => reload(place, report, read),
        }, "Reload…")),
        report, element("h2", {}, "Configuration in force"), configuration);
}

// MARK: - Reload

/** @type {Record<string, "good" | "plain" | "problem" | "warning">} */
const OUTCOMES = { applied: "good", unchanged: "plain", refused: "problem", waits: "warning" };

/** @param {Place} place @param {HTMLElement} report @param {() => Promise<void>} read */
async function reload(place, report, read) {
    const answer = await ask({
        title: "Reload the configuration?", action: "Reload",
        text: "What has changed in the file, in keys and in certificates counts at once, unless it waits for the next start. "
            + "What has a problem stays as it is.",
    });
    if (!answer) return;
    await place.attempt(async () => {
        const { parts } = await place.api.call("POST", "/reload", undefined, place.signal);
        replace(report, table("What became of each part", [
            { title: "Part", isHeading: true, cell: (one) => one.part },
            { title: "Outcome", cell: (one) => mark(one.outcome, OUTCOMES[one.outcome] ?? "plain") },
            { title: "Why", cell: (one) => one.reason ?? "–" },
        ], parts, "Nothing was reported."));
        place.notices.say(summary(parts));
        await read();
    });
}

/** @param {{outcome: string}[]} parts */
function summary(parts) {
    const number = (/** @type {string} */ outcome) => parts.filter((one) => one.outcome === outcome).length;
    return `Reloaded: ${plural(number("applied"), "part", "parts")} applied, ${number("refused")} refused, `
        + `${number("waits")} waiting for the next start.`;
}

// MARK: - Configuration

/** @param {any} configuration */
function configurationTables(configuration) {
    return Object.entries(settings(configuration)).map(([section, rows]) =>
        element("details", {},
            element("summary", {}, element("strong", {}, section), ` – ${plural(rows.length, "setting", "settings")}`),
            element("div", {}, table(`Settings of ${section}`, [
                { title: "Setting", isHeading: true, cell: ([name]) => code(name) },
                { title: "Value", cell: ([, value]) => code(value) },
            ], rows, "Nothing is set."))));
}
