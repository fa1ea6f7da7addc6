import CausewayTelemetry
import Logging
import Synchronization

/// Writes the events that an operator acts upon, each kind within its `LineBudget`.
///
/// Texts from outside are shortened, and their control characters are escaped: nobody outside can make a line.
final class EventLog: Sendable {
    let logger: Logger
    /// Told how many lines of a kind were left out.
    private let suppressed: @Sendable (String, Int) -> Void
    private let budgets = Mutex(Budgets())

    private struct Budgets {
        var lines = LineBudget()
        var audit = LineBudget()
    }

    init(logger: Logger, suppressed: @escaping @Sendable (_ kind: String, _ count: Int) -> Void = { _, _ in }) {
        self.logger = logger
        self.suppressed = suppressed
        let now = Self.milliseconds
        budgets.withLock { budgets in
            // The first windows begin.
            _ = budgets.lines.end(at: now)
            _ = budgets.audit.end(at: now)
        }
    }

    /// - Parameters:
    ///   - message: the kind of the event; the same for all of them.
    ///   - address: who has caused it; empty where that is the server itself.
    func note(
        _ message: String, from address: String = "", level: Logger.Level = .info,
        _ metadata: @autoclosure () -> Logger.Metadata
    ) {
        guard logger.logLevel <= level else { return }
        guard budgets.withLock({ $0.lines.admits(message, from: address) }) else { return }
        var metadata = metadata()
        if !address.isEmpty { metadata["address"] = .text(address) }
        logger.log(level: level, "\(message)", metadata: metadata)
    }

    private static var milliseconds: UInt64 { UInt64(clamping: ContinuousClock.now.millisecondsOfProcess) }

    func admitsAudit(_ event: AuditEvent) -> Bool {
        budgets.withLock { $0.audit.admits(event.kind.rawValue, from: event.address ?? "") }
    }

    /// Writes what was left out in windows that have ended.
    ///
    /// - Parameter isLast: whether to end the windows now.
    func sumUp(isLast: Bool, audit write: (AuditEvent) -> Void) {
        let now = Self.milliseconds
        let (lines, audit) = budgets.withLock { budgets in
            isLast
                ? (budgets.lines.end(at: now), budgets.audit.end(at: now))
                : (budgets.lines.ended(at: now) ?? [], budgets.audit.ended(at: now) ?? [])
        }
        for summary in lines {
            suppressed(summary.kind, summary.suppressed)
            var metadata: Logger.Metadata = [
                "kind": "\(summary.kind)", "count": .stringConvertible(summary.suppressed),
            ]
            if !summary.address.isEmpty { metadata["address"] = .text(summary.address) }
            logger.info("more of the same, not logged line by line", metadata: metadata)
        }
        for summary in audit {
            guard let kind = AuditEvent.Kind(rawValue: summary.kind) else { continue }
            write(
                AuditEvent(
                    kind, address: summary.address.isEmpty ? nil : summary.address, count: summary.suppressed))
        }
    }
}

extension ContinuousClock.Instant {
    private static let first = ContinuousClock.now

    fileprivate var millisecondsOfProcess: Int64 {
        let elapsed = Self.first.duration(to: self).components
        return elapsed.seconds * 1_000 + elapsed.attoseconds / 1_000_000_000_000_000
    }
}

extension Logger.MetadataValue {
    /// A text from outside.
    static func text(_ text: String) -> Logger.MetadataValue {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(textLengthMax) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return .string(text.unicodeScalars.count > textLengthMax ? shown + "…" : shown)
    }

    private static var textLengthMax: Int { 200 }

    static func number(_ number: some FixedWidthInteger & Sendable) -> Logger.MetadataValue {
        .stringConvertible(Int(clamping: number))
    }
}
