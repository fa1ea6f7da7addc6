// Where the console's files are.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const page = fileURLToPath(new URL("../../../../Server/Console/page/", import.meta.url));

/** @param {string} name */
export const module = (name) => import(`${page}modules/${name}.js`);

/** The names and texts of the files in a folder of the page. @param {string} folder */
export const files = (folder) =>
    readdirSync(page + folder, { withFileTypes: true }).filter((one) => one.isFile())
        .map((one) => ({ name: folder + one.name, text: readFileSync(page + folder + one.name, "utf8") }));
