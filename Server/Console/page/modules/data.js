// Data: the classes of a database, the objects of a class, or one object, as the address says.

import { heading } from "./choice.js";
import { classOverview } from "./classDetails.js";
import { classList, readSchema } from "./classList.js";
import { element } from "./dom.js";
import { notice } from "./notices.js";
import { objectList } from "./objectList.js";
import { objectView } from "./objectView.js";

/** @typedef {import("./main.js").Place} Place */

/** @param {Place} place */
export async function data(place) {
    const schema = await readSchema(place);
    const [className, key] = place.route.names;
    const shown = await content(place, schema, className, key);
    place.container.append(heading(place, shown.title, shown.again), element("div", { class: "data" },
        classList(place, schema, className), element("div", { class: "content" }, shown.content)));
}

/**
 * @typedef {object} Shown
 * @property {string} title
 * @property {import("./dom.js").Content[]} content
 * @property {() => void} [again]
 */

/**
 * @param {Place} place
 * @param {import("./schema.js").Schema} schema
 * @param {string | undefined} className
 * @param {string | undefined} key
 * @returns {Promise<Shown>}
 */
async function content(place, schema, className, key) {
    if (className === undefined) return { title: "Data", content: await classOverview(place, schema.classes) };
    const one = schema.class(className);
    if (one?.kind !== "object") {
        const words = one ? "Its objects are parts of other objects, or are not kept." : "It may have been dropped.";
        return { title: "Data", content: [notice("warning", `${className} has no objects to list`, words)] };
    }
    return key === undefined ? objectList(place, schema, one) : objectView(place, schema, one, key);
}
