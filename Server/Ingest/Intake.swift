import CausewayModel
import CausewayOperations
package import CausewayStore

/// Accepts one-way objects: what a device writes once and never reads again.
///
/// The record keeps them exactly once and in order. This type checks what holds for every record: how much one batch
/// may carry, and that its numbers make sense. It passes a batch on in pieces, so that a large batch never holds the
/// record's one write transaction for long.
package struct Intake: OneWayIntake {
    package struct Limits: Hashable, Sendable {
        package var entriesMax: Int
        package var operationsMax: Int
        /// Operations in one transaction of the record; one entry is never split.
        package var operationsAtOnce: Int

        package init(entriesMax: Int, operationsMax: Int, operationsAtOnce: Int) {
            precondition(operationsAtOnce > 0 && operationsAtOnce <= operationsMax)
            self.entriesMax = entriesMax
            self.operationsMax = operationsMax
            self.operationsAtOnce = operationsAtOnce
        }

        package static let standard = Limits(entriesMax: 100_000, operationsMax: 1_000_000, operationsAtOnce: 4_000)
    }

    private let backend: any StoreBackend
    private let limits: Limits

    package init(_ backend: any StoreBackend, limits: Limits = .standard) {
        self.backend = backend
        self.limits = limits
    }

    package func accept(_ batch: OneWayBatch, receivedAt time: UInt64) throws(StoreFailure) -> UInt64 {
        try check(batch)
        var acknowledged: UInt64 = 0
        var start = 0
        repeat {
            let end = bite(of: batch.entries, from: start)
            var part = batch
            part.first = batch.first + UInt64(start)
            part.entries = Array(batch.entries[start..<end])
            do {
                acknowledged = try backend.ingest(part, receivedAt: time)
            } catch {
                // Earlier pieces are durable and acknowledged. The device sends the rest again and is then told why it
                // fails.
                if start == 0 { throw error }
                return acknowledged
            }
            let isComplete = acknowledged + 1 >= part.first + UInt64(part.entries.count)
            guard isComplete else { return acknowledged }
            start = end
        } while start < batch.entries.count
        return acknowledged
    }

    private func check(_ batch: OneWayBatch) throws(StoreFailure) {
        guard batch.first > 0, batch.first < UInt64.max / 2 else {
            throw StoreFailure(
                .operationInvalid, "A one-way batch begins with entry \(batch.first). Entries are numbered from 1.")
        }
        guard batch.entries.count <= limits.entriesMax else {
            throw StoreFailure(
                .operationInvalid,
                "A one-way batch has \(batch.entries.count) entries; \(limits.entriesMax) are allowed. Send it in parts."
            )
        }
        var operations = 0
        for entry in batch.entries { operations += entry.count }
        guard operations <= limits.operationsMax else {
            throw StoreFailure(
                .operationInvalid,
                "A one-way batch has \(operations) objects; \(limits.operationsMax) are allowed. Send it in parts.")
        }
    }

    /// The end of the entries that go into one transaction; at least one entry.
    func bite(of entries: [[Operation]], from start: Int) -> Int {
        var end = start
        var operations = 0
        while end < entries.count {
            // An empty entry costs about as much as an operation.
            operations += max(entries[end].count, 1)
            if operations > limits.operationsAtOnce && end > start { break }
            end += 1
        }
        return end
    }
}
