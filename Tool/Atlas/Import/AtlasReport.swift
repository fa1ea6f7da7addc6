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

    /// What became of the documents of one collection.
    struct Counts {
        var documents = 0
        var created = 0
        var replaced = 0
        var skipped = 0

        static func - (all: Counts, before: Counts) -> Counts {
            Counts(
                documents: all.documents - before.documents, created: all.created - before.created,
                replaced: all.replaced - before.replaced, skipped: all.skipped - before.skipped)
        }
    }

    var counts = Counts()
    /// By class, in the order of the import.
    var classes: [(name: String, counts: Counts)] = []
    package var documents: Int { counts.documents }
    package var created: Int { counts.created }
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
            created: counts.created, replaced: counts.replaced, skipped: counts.skipped,
            isForSyncedFile: isForSyncedFile)
        var lines = ["Documents: \(documents) read"]
        if classes.count > 1 {
            lines += classes.map { entry in
                let words = ObjectImport.parts(
                    created: entry.counts.created, replaced: entry.counts.replaced, skipped: entry.counts.skipped)
                return "    \(entry.name): \(entry.counts.documents) read, \(words)"
            }
        }
        lines.append(objects)
        if !losses.isEmpty { lines.append("Not mapped:") }
        for (reason, loss) in losses.sorted(by: { $0.key < $1.key }) {
            lines.append("    \(loss.count) times: \(reason)")
            lines += loss.places.map { "        \($0)" }
            if loss.count > loss.places.count { lines.append("        and \(loss.count - loss.places.count) more") }
        }
        return lines.joined(separator: "\n")
    }
}
