package import CausewayModel

/// How far somebody has read the feed: all of a version, and the first events of the next one.
///
/// The text is `17`, or `17.250` for 250 events of version 18 on top. A server appends the run that made the newest version in
/// it, as `17.250@1f`: after a restore from an older copy it notices that it has another version 18 now.
package struct FeedPosition: Hashable, Sendable {
    package var version: ServerVersion
    /// How many events of the next version were taken; all are counted, also those that the reader is not shown.
    package var events: Int
    /// See `Lineage`; nil when the reader does not say.
    package var run: UInt64?

    package init(_ version: ServerVersion, events: Int = 0, run: UInt64? = nil) {
        self.version = version
        self.events = events
        self.run = run
    }

    /// The newest version of which something was taken.
    package var reached: ServerVersion { events > 0 ? version.next : version }

    /// Nil for a text that is no position.
    package init?(_ text: some StringProtocol) {
        let halves = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = halves[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let version = UInt64(numbers[0]), version < .max / 2 else { return nil }
        self.init(ServerVersion(version))
        if numbers.count > 1 {
            guard let count = Int(numbers[1]), count >= 0, count <= Int(UInt32.max) else { return nil }
            events = count
        }
        if halves.count > 1 {
            guard let run = UInt64(halves[1], radix: 16) else { return nil }
            self.run = run
        }
    }

    package var text: String {
        var text = String(version.rawValue)
        if events > 0 { text += ".\(events)" }
        if let run { text += "@" + String(run, radix: 16) }
        return text
    }
}

extension ServerVersion {
    var next: ServerVersion { ServerVersion(rawValue + 1) }
    var previous: ServerVersion { ServerVersion(rawValue - 1) }
}
