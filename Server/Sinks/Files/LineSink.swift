import CausewayFeed
import CausewaySession
import Synchronization

/// Writes one-way objects as lines of JSON into files that are rolled by size and time, and compressed then.
///
/// | File | Content |
/// |---|---|
/// | `TIME-NUMBER.ndjson` | the file that grows; NUMBER is that of its first object |
/// | `TIME-NUMBER.ndjson.zst` | a complete file, compressed |
/// | `position.json` | how far it is: `LinePosition` |
///
/// Each object is in the files exactly once, whenever the server is killed: opening cuts off what the position does not cover,
/// removes a file that it does not know yet, and completes a compression that was broken off.
package final class LineSink: Sink {
    package struct Rules: Hashable, Sendable {
        package var folder: String
        package var rollBytes: Int
        package var rollMilliseconds: UInt64

        package init(folder: String, rollBytes: Int = 64 << 20, rollMilliseconds: UInt64 = 3_600_000) {
            self.folder = folder
            self.rollBytes = rollBytes
            self.rollMilliseconds = rollMilliseconds
        }
    }

    private let thread = StoreThread(label: "causeway.sink.files")
    private let files: Mutex<LineFiles>

    package init(_ rules: Rules, now: @escaping @Sendable () -> UInt64) {
        files = Mutex(LineFiles(rules, now: now))
    }

    package func open() async throws(SinkFailure) -> UInt64 {
        try await run { files throws(SinkFailure) in try files.open() }
    }

    package func take(_ batch: SinkBatch) async throws(SinkFailure) {
        try await run { files throws(SinkFailure) in try files.take(batch) }
    }

    package func rest() async throws(SinkFailure) {
        try await run { files throws(SinkFailure) in try files.rollIfDue() }
    }

    package func close() async {
        files.withLock { $0.close() }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (inout LineFiles) throws(SinkFailure) -> Value
    ) async throws(SinkFailure) -> Value {
        let result = await thread.runFreely { [self] in
            files.withLock { files in Result { () throws(SinkFailure) in try body(&files) } }
        }
        return try result.get()
    }
}
