import Logging
import Synchronization

/// Tells the operator of failed requests: a line now and then, however many requests fail.
final class FaultLog: Sendable {
    private let logger: Logger
    private let pace = Mutex(FaultPace())

    init(_ logger: Logger) { self.logger = logger }

    func note(_ error: APIError) {
        let now = ContinuousClock.now
        guard let leftOut = pace.withLock({ $0.lineLeavingOut(at: now) }) else { return }
        logger.error(
            "a request of a back end failed",
            metadata: ["error": "\(error.message)", "failuresNotLogged": "\(leftOut)"])
    }
}

/// Decides which failures are logged.
struct FaultPace: Sendable {
    private var last: ContinuousClock.Instant?
    private var leftOut = 0

    /// From one line to the next.
    static let interval: Duration = .seconds(1)

    /// How many failures were left out since the line before; nil when this one is left out, too.
    mutating func lineLeavingOut(at now: ContinuousClock.Instant) -> Int? {
        if let last, now < last.advanced(by: Self.interval) {
            leftOut += 1
            return nil
        }
        defer { leftOut = 0 }
        last = now
        return leftOut
    }
}
