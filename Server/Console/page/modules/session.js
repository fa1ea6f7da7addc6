// The operator's token. It stays in this tab, and goes with it.

const KEY = "causeway-admin-token";

export class Session {
    /** @param {Storage} storage */
    constructor(storage) {
        this.storage = storage;
    }

    /** Nil before the operator has signed in. Empty where a certificate says who calls. @returns {string | null} */
    get token() {
        return this.storage.getItem(KEY);
    }

    /** @param {string} token */
    keep(token) {
        this.storage.setItem(KEY, token);
    }

    forget() {
        this.storage.removeItem(KEY);
    }
}
