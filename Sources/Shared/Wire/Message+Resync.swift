package import CausewayMerge

/// Server to device, in the download: asks for digests of ranges of objects. PROTOCOL.md, "Resync".
package struct DigestQuestion: Hashable, Sendable {
    /// Counts the questions of one resync, from 1.
    package var number: UInt64
    /// The key of all digests of this resync.
    package var seed: UInt64
    /// The server's state includes the device's changesets up to this one, so the device counts them as acknowledged.
    package var acknowledged: UInt64
    package var asks: [DigestAsk]

    package init(number: UInt64, seed: UInt64, acknowledged: UInt64, asks: [DigestAsk]) {
        self.number = number
        self.seed = seed
        self.acknowledged = acknowledged
        self.asks = asks
    }
}

/// `POST /v1/{database}/resync`, answered by `Accepted`: the device's digests of the ranges of a question, in their
/// order.
package struct ResyncRequest: Hashable, Sendable {
    package var session: UInt64
    /// The number of the question.
    package var number: UInt64
    package var reports: [DigestReport]

    package init(session: UInt64, number: UInt64, reports: [DigestReport]) {
        self.session = session
        self.number = number
        self.reports = reports
    }
}
