package import CausewayOperations

// The small requests of single calls, and their answers.

/// `POST /v1/{database}/upload`, answered by `UploadAnswer`. Changesets in the order of their sequence.
package struct UploadRequest: Hashable, Sendable {
    package var session: UInt64
    /// All changesets are of one opening of the device's file, and made on versions of one run of the server.
    package var changesets: [Changeset]

    package init(session: UInt64, changesets: [Changeset]) {
        self.session = session
        self.changesets = changesets
    }
}

/// `POST /v1/{database}/download`, answered by `DownloadMessage`s until the session ends.
package struct DownloadRequest: Hashable, Sendable {
    package var session: UInt64

    package init(session: UInt64) {
        self.session = session
    }
}

/// `POST /v1/{database}/credit`, answered by `Accepted`: the device has consumed this many more bytes of the download.
package struct CreditRequest: Hashable, Sendable {
    package var session: UInt64
    package var bytes: UInt64

    package init(session: UInt64, bytes: UInt64) {
        self.session = session
        self.bytes = bytes
    }
}

/// `POST /v1/{database}/subscriptions`, answered by `Accepted`. Its effects come in the download.
package struct SubscriptionsRequest: Hashable, Sendable {
    package var session: UInt64
    package var wanted: QuerySet

    package init(session: UInt64, wanted: QuerySet) {
        self.session = session
        self.wanted = wanted
    }
}

/// `POST /v1/{database}/mark`, answered by `Accepted`. The mark itself comes back in the download.
package struct MarkRequest: Hashable, Sendable {
    package var session: UInt64
    package var mark: UInt64

    package init(session: UInt64, mark: UInt64) {
        self.session = session
        self.mark = mark
    }
}

/// The answer to requests whose effects come in the download: the server has accepted the request.
package struct Accepted: Hashable, Sendable {
    package init() {}
}

/// The answer to `IngestBatch`: every entry up to this one is durable on the server.
package struct IngestAnswer: Hashable, Sendable {
    package var acknowledged: UInt64

    package init(acknowledged: UInt64) {
        self.acknowledged = acknowledged
    }
}
