// Asks for the administrator's token.

import { Refusal } from "./api.js";
import { element, field, muted, replace } from "./dom.js";
import { notice } from "./notices.js";

/**
 * @param {import("./api.js").API} api
 * @param {import("./session.js").Session} session
 * @param {string} reason why it is asked for, if there is more to say
 * @param {() => void} done
 */
export function signIn(api, session, reason, done) {
    const token = /** @type {HTMLInputElement} */ (element("input", {
        type: "password", autocomplete: "off", spellcheck: "false",
    }));
    const said = element("div", { role: "alert" }, reason && notice("warning", reason));
    const attempt = async (/** @type {Event} */ event) => {
        event.preventDefault();
        session.keep(token.value.trim());
        try {
            await api.get("/databases?limit=1");
            done();
        } catch (error) {
            session.forget();
            const isToken = error instanceof Refusal && error.status === 401;
            replace(said, notice("problem", isToken ? "This is not the administrator's token" : "Signing in failed",
                error instanceof Error ? error.message : String(error)));
            token.focus();
            token.select();
        }
    };
    return element("div", { class: "sign-in" },
        element("h1", { tabindex: -1 }, "Sign in"),
        element("form", { onsubmit: attempt },
            said,
            field("Administrator's token", token,
                "What the file admin.tokenFile of the configuration holds, or what causeway browse has printed. "
                    + "Empty where your browser shows a certificate instead."),
            element("div", {}, element("button", { type: "submit", class: "main" }, "Sign in"))),
        muted("The token stays in this tab and is gone when you close it."));
}
