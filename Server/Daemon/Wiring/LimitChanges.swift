import CausewayJournal
import CausewayLimits
import CausewayStore
import CausewayStoreEmbedded

extension Configuration.Limits {
    /// A limit that has changed.
    struct Change: Hashable {
        var name: String
        /// Whether it counts only from the next start.
        var waits: Bool
    }

    /// Those that count at once: for new connections, new sessions, and the next hello, upload or maintenance.
    private static var atOnce: [(name: String, limit: WritableKeyPath<Self, Int>)] {
        [
            ("connections", \.connections), ("connectionsOfAddress", \.connectionsOfAddress),
            ("handshakes", \.handshakes), ("handshakesOfAddress", \.handshakesOfAddress),
            ("storageMegabytes", \.storageMegabytes), ("objectsOfUser", \.objectsOfUser),
            ("burstSeconds", \.rates.burstSeconds),
            ("creditKilobytes", \.creditKilobytes), ("historyVersions", \.historyVersions),
            ("historyMegabytes", \.historyMegabytes), ("historyDays", \.historyDays), ("clientDays", \.clientDays),
            ("refusals", \.refusals), ("sessions", \.sessions), ("sessionsOfUser", \.sessionsOfUser),
            ("queryMegabytesOfUser", \.queryMegabytesOfUser), ("beginnings", \.beginnings),
            ("schemaClasses", \.schemaClasses), ("schemaProperties", \.schemaProperties),
            ("schemaClassesOfUser", \.schemaClassesOfUser), ("schemaPropertiesOfUser", \.schemaPropertiesOfUser),
        ]
    }

    /// Those that the state of a database depends on. On nodes they are in the journal.
    static let ofTheState = Set(StoreEmbedded.Options().settings.named.map(\.name))

    /// Those that the server is built with at its start.
    private static var atStart: [(name: String, limit: KeyPath<Self, Int>)] {
        [
            ("frameMegabytes", \.frameMegabytes), ("operations", \.operations), ("queryTerms", \.queryTerms),
            ("heartbeatSeconds", \.heartbeatSeconds), ("looksCheckedPercent", \.looksCheckedPercent),
            ("gracefulEndSeconds", \.gracefulEndSeconds),
        ]
    }

    /// The limits that are rates, by their names. They count at once.
    private var ofRates: [(name: String, value: Int)] {
        Limit.allCases.compactMap { limit in rates.amounts[limit].map { (limit.rawValue, $0) } }
    }

    /// Each by its name in the configuration.
    var named: [(name: String, value: Int)] {
        Self.atOnce.map { ($0.name, self[keyPath: $0.limit]) } + ofRates
            + Self.atStart.map { ($0.name, self[keyPath: $0.limit]) }
    }

    /// What has changed since the last reload, and what waits because it has changed since the start.
    func changes(from before: Self, start: Self) -> [Change] {
        var changes = Self.atOnce.filter { self[keyPath: $0.limit] != before[keyPath: $0.limit] }
            .map { Change(name: $0.name, waits: false) }
        changes += zip(ofRates, before.ofRates).filter { $0.value != $1.value }
            .map { Change(name: $0.0.name, waits: false) }
        var rest = start
        rest.rates = rates
        for (_, limit) in Self.atOnce { rest[keyPath: limit] = self[keyPath: limit] }
        let waiting = Self.atStart.filter { self[keyPath: $0.limit] != start[keyPath: $0.limit] }
        changes += waiting.map { Change(name: $0.name, waits: true) }
        // A limit that neither list has must not go unnoticed.
        if waiting.isEmpty, self != rest { changes.append(Change(name: "others", waits: true)) }
        return changes
    }
}

extension RecordSettings {
    /// In the names and units of the configuration; nil where there is no limit.
    var named: [(name: String, value: UInt64?)] {
        let counts = [
            ("objectsOfUser", objectsOfUserMax), ("refusals", refusalsMax), ("schemaClasses", schemaBounds.classes),
            ("schemaProperties", schemaBounds.properties), ("schemaClassesOfUser", schemaBounds.classesOfUser),
            ("schemaPropertiesOfUser", schemaBounds.propertiesOfUser),
        ]
        return [
            ("historyVersions", historyVersionsMax), ("historyMegabytes", historyBytesMax >> 20),
            ("historyDays", historyAgeMaxMilliseconds / 86_400_000), ("clientDays", clientDaysMax),
        ] + counts.map { ($0, $1.map(UInt64.init)) }
    }
}
