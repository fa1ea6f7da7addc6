package import CausewayFeed
package import CausewayModel
import CausewayStore

/// Reads one-way objects batch by batch, in the order of their arrival.
package struct ArrivalReader: Sendable {
    private let source: FeedSource
    /// Nil is every class.
    let classes: Set<ExactString>?
    private let bounds: Bounds

    package struct Bounds: Hashable, Sendable {
        /// Arrivals that one batch goes over, those of other classes among them.
        package var rowsMax = 2_000
        /// Of values, about; one object may go beyond.
        package var bytesMax = 4 << 20

        package init() {}
    }

    package init(_ source: FeedSource, classes: Set<ExactString>?, bounds: Bounds = Bounds()) {
        self.source = source
        self.classes = classes
        self.bounds = bounds
    }

    /// The next batch; it may be empty, with a position further on.
    func batch(after position: UInt64) async throws(FeedFailure) -> (batch: SinkBatch, isLeft: Bool) {
        try await source.read { [self] snapshot throws(FeedFailure) in
            do throws(StoreFailure) {
                return try read(snapshot, after: position)
            } catch {
                throw FeedFailure(error)
            }
        }
    }

    private func read(
        _ snapshot: any StoreSnapshot, after position: UInt64
    ) throws(StoreFailure) -> (SinkBatch, Bool) {
        let arrivals = try snapshot.arrivals(after: position, countMax: bounds.rowsMax)
        var batch = SinkBatch(after: position, through: position, rows: [], schema: snapshot.schema)
        var left = bounds.bytesMax
        for arrival in arrivals {
            guard left > 0 else { return (batch, true) }
            batch.through = arrival.sequence
            let className = snapshot.className(arrival.row.classNumber)
            // A row that is gone was let go by an object of the same entry.
            guard classes?.contains(ExactString(className)) ?? true, let found = try snapshot.values(of: arrival.row)
            else { continue }
            left -= found.values.sizeBytes
            batch.rows.append(
                SinkRow(
                    sequence: arrival.sequence, time: arrival.time, key: found.name.key, values: found.values))
        }
        return (batch, arrivals.count == bounds.rowsMax)
    }
}

extension ObjectValues {
    /// About how much memory the values take.
    fileprivate var sizeBytes: Int {
        properties.reduce(64) { $0 + 32 + $1.content.sizeBytes }
    }
}

extension ObjectValues.Content {
    fileprivate var sizeBytes: Int {
        switch self {
        case .single(let item): item.sizeBytes
        case .list(let items): items.reduce(0) { $0 + $1.sizeBytes }
        case .map(let entries): entries.reduce(0) { $0 + $1.key.utf8.count + $1.item.sizeBytes }
        }
    }
}

extension ObjectValues.Item {
    fileprivate var sizeBytes: Int {
        switch self {
        case .value(.string(let text)), .mixed(.string(let text)): 16 + text.utf8.count
        case .value(.bytes(let bytes)), .mixed(.bytes(let bytes)): 16 + bytes.count
        case .value, .mixed, .link: 16
        case .embedded(let object): object.sizeBytes
        case .nested(let content): content.sizeBytes
        }
    }
}
