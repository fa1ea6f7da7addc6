import CausewayFiles

/// What an import did.
package struct AtlasReport: Sendable {
    /// Reasons beyond these are counted together.
    private static let reasonsMax = 1_000
    private static let placesMax = 3

    /// What was not mapped for one reason.
    package struct Loss: Sendable {
        package var count = 0
        /// Where it happened first.
        package var places: [String] = []
    }

    package internal(set) var documents = 0
    package internal(set) var created = 0
    package internal(set) var replaced = 0
    package internal(set) var skipped = 0
    /// Whether a server hears of the objects.
    package internal(set) var isForSyncedFile = false
    /// By reasons.
    package private(set) var losses: [String: Loss] = [:]

    mutating func note(_ reason: String, at place: @autoclosure () -> String) {
        let reason = losses[reason] != nil || losses.count < Self.reasonsMax ? reason : "other reasons"
        var loss = losses[reason] ?? Loss()
        loss.count += 1
        if loss.places.count < Self.placesMax { loss.places.append(place()) }
        losses[reason] = loss
    }

    package var text: String {
        let objects = ObjectImport.words(
            created: created, replaced: replaced, skipped: skipped, isForSyncedFile: isForSyncedFile)
        var lines = ["Documents: \(documents) read", objects]
        if !losses.isEmpty { lines.append("Not mapped:") }
        for (reason, loss) in losses.sorted(by: { $0.key < $1.key }) {
            lines.append("    \(loss.count) times: \(reason)")
            lines += loss.places.map { "        \($0)" }
            if loss.count > loss.places.count { lines.append("        and \(loss.count - loss.places.count) more") }
        }
        return lines.joined(separator: "\n")
    }
}
