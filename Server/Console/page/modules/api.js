// Calls the admin API of the listener that this page came from.

/** How long an answer is waited for. */
const ANSWER_MILLISECONDS = 20_000;
/** How long an answer is waited for that takes no work. */
const SIGN_MILLISECONDS = 5_000;

/** What the server says of a call that it refuses. */
export class Refusal extends Error {
    /** @param {number} status @param {string} code @param {string} message */
    constructor(status, code, message) {
        super(message);
        this.status = status;
        this.code = code;
    }
}

/** There was no answer. */
export class NoAnswer extends Error {}

/** Parts of a path. @param {TemplateStringsArray} texts @param {...string} values */
export const path = (texts, ...values) =>
    texts.map((text, index) => text + (index < values.length ? encodeURIComponent(values[index]) : "")).join("");

/** Names a write, which may be sent again when its answer does not come. */
export const requestKey = () =>
    [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export class API {
    /**
     * @param {import("./session.js").Session} session
     * @param {typeof fetch} [send]
     */
    constructor(session, send = (...all) => fetch(...all)) {
        this.session = session;
        this.send = send;
    }

    /** @param {string} where below /admin/v1 @param {AbortSignal} [signal] */
    get(where, signal) {
        return this.call("GET", where, undefined, signal);
    }

    /**
     * @param {string} method
     * @param {string} where below /admin/v1
     * @param {unknown} [body]
     * @param {AbortSignal} [signal]
     * @returns {Promise<any>}
     */
    async call(method, where, body, signal) {
        const answer = await this.answer(method, `/admin/v1${where}`, body, signal);
        return answer.json();
    }

    /**
     * What is read, and the tag that a write names so that it meets the same.
     *
     * @param {string} where @param {AbortSignal} [signal] @returns {Promise<{value: any, tag: string | null}>}
     */
    async read(where, signal) {
        const answer = await this.answer("GET", `/admin/v1${where}`, undefined, signal);
        return { value: await answer.json(), tag: answer.headers.get("etag") };
    }

    /**
     * A write that is refused where somebody else has written meanwhile, and that takes effect once however often it is sent.
     *
     * @param {string} method @param {string} where @param {unknown} body @param {string | null} tag
     * @param {string} [key] of `requestKey`
     * @returns {Promise<any>}
     */
    async write(method, where, body, tag, key) {
        /** @type {Record<string, string>} */
        const headers = {};
        if (tag) headers["if-match"] = tag;
        if (key) headers["idempotency-key"] = key;
        const answer = await this.answer(method, `/admin/v1${where}`, body, undefined, headers);
        return answer.json();
    }

    /**
     * What the server sends as it happens. Only the signal ends it.
     *
     * @param {string} where @param {AbortSignal} signal
     * @returns {Promise<ReadableStreamDefaultReader<string>>}
     */
    async stream(where, signal) {
        const answer = await this.refusing(await this.sent("GET", where, undefined, signal, {}, Infinity));
        if (!answer.body) throw new NoAnswer("The server has sent nothing.");
        return answer.body.pipeThrough(new TextDecoderStream()).getReader();
    }

    /** Ends where the server answers. */
    async answers() {
        await this.refusing(await this.sent("GET", "/admin/v1/about", undefined, undefined, {}, SIGN_MILLISECONDS));
    }

    /** All metrics as text. @param {AbortSignal} [signal] */
    async metrics(signal) {
        return (await this.answer("GET", "/metrics", undefined, signal)).text();
    }

    /** Why the server is not ready; empty where it is. @param {AbortSignal} [signal] @returns {Promise<string[]>} */
    async problems(signal) {
        const answer = await this.sent("GET", "/readyz", undefined, signal);
        return answer.status === 503 ? (await answer.text()).trim().split("\n").slice(1) : [];
    }

    /**
     * @param {string} method @param {string} where @param {unknown} body @param {AbortSignal} [signal]
     * @param {Record<string, string>} [headers]
     */
    async answer(method, where, body, signal, headers) {
        return this.refusing(await this.sent(method, where, body, signal, headers));
    }

    /** @param {Response} answer */
    async refusing(answer) {
        if (answer.ok) return answer;
        let said;
        try {
            said = await answer.json();
        } catch {
            said = {};
        }
        throw new Refusal(answer.status, said.code ?? "unknown", said.message ?? `The server answered ${answer.status}.`);
    }

    /**
     * @param {string} method @param {string} where @param {unknown} body @param {AbortSignal} [signal]
     * @param {Record<string, string>} [headers] @param {number} [milliseconds] how long it is waited for
     */
    async sent(method, where, body, signal, headers = {}, milliseconds = ANSWER_MILLISECONDS) {
        const { token } = this.session;
        const ends = [...(signal ? [signal] : []), ...(milliseconds === Infinity ? [] : [AbortSignal.timeout(milliseconds)])];
        try {
            return await this.send(where, {
                method,
                headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
                body: body === undefined ? undefined : JSON.stringify(body),
                signal: AbortSignal.any(ends),
                credentials: "same-origin",
                cache: "no-store",
                redirect: "error",
            });
        } catch (error) {
            if (signal?.aborted) throw error;
            throw new NoAnswer("The server does not answer. It may have ended, or the network is interrupted.");
        }
    }
}
