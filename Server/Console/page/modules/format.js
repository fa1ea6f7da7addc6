// How numbers and times are written. Pure.

const numbers = new Intl.NumberFormat("en");

/** @param {number | undefined} value */
export const count = (value) => (value === undefined ? "–" : numbers.format(value));

/** Three significant digits at most. @param {number} value */
export function short(value) {
    if (value === 0) return "0";
    if (Math.abs(value) < 0.01) return "< 0.01";
    const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
    return numbers.format(Number(value.toFixed(Math.min(2, digits))));
}

/** @param {number | undefined} value */
export function bytes(value) {
    if (value === undefined) return "–";
    const units = ["bytes", "KB", "MB", "GB", "TB"];
    let unit = 0;
    let rest = value;
    while (rest >= 1000 && unit < units.length - 1) {
        rest /= 1000;
        unit += 1;
    }
    return `${unit === 0 ? count(rest) : short(rest)} ${units[unit]}`;
}

/** @param {number} seconds */
export function duration(seconds) {
    if (seconds < 1) return `${short(seconds * 1000)} ms`;
    if (seconds < 10) return `${short(seconds)} s`;
    if (seconds < 120) return `${Math.round(seconds)} s`;
    if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
    if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
    return `${Math.round(seconds / 86400)} days`;
}

/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");

/** Hours, minutes and seconds, as the clock of the reader's machine has them. @param {Date} date */
export const clock = (date) => `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;

/** As the clock of the reader's machine has it. @param {string} text */
export function time(text) {
    const date = new Date(text);
    if (Number.isNaN(date.getTime())) return text;
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(date)}`;
}

/** Said once, so that no time needs it. @param {string} zone */
export const zoneWords = (zone) => `Times are of the time zone ${zone}. Days without a time are of UTC.`;

/** @param {number} number @param {string} one @param {string} many */
export const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;
