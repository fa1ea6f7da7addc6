// What is asked of the server about permissions, from what stands in the fields. Pure.

/**
 * @typedef {object} Fields
 * @property {string} class
 * @property {string} object key or values
 * @property {string} caller claims, token or account
 * @property {string} key
 * @property {string} values
 * @property {string} user
 * @property {string} claims
 * @property {string} token
 * @property {string} account
 */

/** @param {Fields} fields @returns {Record<string, unknown> | string} a sentence where something is missing */
export function question(fields) {
    const object = fields.object === "key" ? keyOf(fields.key) : objectOf(fields.values, "values", "The values");
    if (typeof object === "string") return object;
    const caller = callerOf(fields);
    if (typeof caller === "string") return caller;
    return { class: fields.class, ...object, ...caller };
}

/** The server reads the text as the class's primary key. @param {string} key */
const keyOf = (key) => (key === "" ? "Give the primary key of a stored object." : { key });

/** @param {Fields} fields */
function callerOf(fields) {
    if (fields.caller === "token") return fields.token.trim() ? { token: fields.token.trim() } : "Give the token.";
    if (fields.caller === "account") return fields.account ? { account: fields.account } : "Give the id of the user.";
    const claims = objectOf(fields.claims, "claims", "The claims");
    return typeof claims === "string" ? claims : { user: fields.user, ...claims };
}

/** @param {string} text @param {string} name @param {string} words */
function objectOf(text, name, words) {
    let value;
    try {
        value = text.trim() === "" ? {} : JSON.parse(text);
    } catch (error) {
        return `${words} are not JSON: ${error instanceof Error ? error.message : error}`;
    }
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? { [name]: value } : `${words} are not an object. Write them as {"name": "value"}.`;
}
