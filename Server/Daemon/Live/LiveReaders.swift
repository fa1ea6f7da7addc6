import CausewayAdmin
import CausewayTelemetry
import Synchronization

/// Who reads events: a bounded number of readers, and why one has to end.
final class LiveReaders: Sendable {
    static let readersMax = 16

    private let state = Mutex(State())

    private struct Reader {
        /// Why it ends; nil while it goes on.
        var ending: AdminError?
    }

    private struct State {
        var readers: [UInt64: Reader] = [:]
        var lastNumber: UInt64 = 0
        /// Set once the server ends: nobody begins any more.
        var closing: AdminError?

        /// Whoever ends already keeps the reason.
        mutating func end(_ error: AdminError) {
            readers = readers.mapValues { Reader(ending: $0.ending ?? error) }
        }
    }

    var count: Int { state.withLock { $0.readers.count } }

    /// A place among the readers. It is given back with the last reference.
    func enter() throws(AdminError) -> Place {
        try state.withLock { state throws(AdminError) in
            if let closing = state.closing { throw closing }
            guard state.readers.count < Self.readersMax else {
                throw AdminError(
                    .serverBusy,
                    "\(Self.readersMax) readers follow the events, and that is the most. Close one of them.")
            }
            state.lastNumber += 1
            state.readers[state.lastNumber] = Reader()
            return Place(state.lastNumber, of: self)
        }
    }

    /// Ends those that there are.
    func end(_ error: AdminError) { state.withLock { $0.end(error) } }

    /// Ends all, for good.
    func close(_ error: AdminError) {
        state.withLock { state in
            state.closing = error
            state.end(error)
        }
    }

    final class Place: Sendable {
        private let number: UInt64
        private let readers: LiveReaders

        fileprivate init(_ number: UInt64, of readers: LiveReaders) {
            (self.number, self.readers) = (number, readers)
        }

        deinit { readers.state.withLock { _ = $0.readers.removeValue(forKey: number) } }

        /// Why the reader ends, once it does.
        var ending: AdminError? { readers.state.withLock { $0.readers[number]?.ending } }
    }
}

extension LiveReaders {
    /// Read at a scrape.
    var sample: MetricSample { MetricSample(MetricCatalog.adminEventReaders, is: Double(count)) }
}
