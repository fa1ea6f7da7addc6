// The server's own accounts of a database.

import { path } from "./api.js";
import { code, mark } from "./dom.js";
import { section } from "./outcomes.js";
import { moment, pagedTable } from "./table.js";

/** @param {import("./main.js").Place} place */
export function accountSection(place) {
    return section(() => pagedTable(place, "Accounts of this database", [
        { title: "Name", isHeading: true, cell: (one) => one.name ?? one.email ?? "–" },
        { title: "User", cell: (one) => code(one.user) },
        { title: "State", cell: (one) => (one.isDisabled ? mark("disabled", "warning") : mark("may log in", "good")) },
        { title: "Created", cell: (one) => moment(one.created) },
    ], async (after) => {
        const query = after ? `?${new URLSearchParams({ after })}` : "";
        const answer = await place.api.get(path`/databases/${place.database}/accounts` + query, place.signal);
        return { rows: answer.accounts, next: answer.next };
    }, "Nobody has an account."));
}
