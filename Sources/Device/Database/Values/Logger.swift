import Glibc
import Synchronization

/// How much a `Logger` lets through: a message passes when its level is not above the logger's.
public enum LogLevel: Int, Comparable, Sendable, CaseIterable {
    case off = 0
    case fatal = 1
    case error = 2
    case warn = 3
    case info = 4
    case detail = 5
    case debug = 6
    case trace = 7
    case all = 8

    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Where the library tells what it does.
///
/// ```swift
/// Logger.shared = Logger(level: .debug) { level, message in
///     print("[\(level)] \(message)")
/// }
/// ```
///
/// The function may be called from several threads at once. Without one of your own, messages of level `info` and
/// graver go to standard error.
public final class Logger: Sendable {
    public typealias LogFunction = @Sendable (_ level: LogLevel, _ message: String) -> Void

    private let function: LogFunction
    private let threshold: Atomic<Int>

    public init(level: LogLevel, logFunction: @escaping LogFunction) {
        function = logFunction
        threshold = Atomic(level.rawValue)
    }

    /// What passes. May be changed at any time, from any thread.
    public var level: LogLevel {
        // Only levels are ever stored, so the fallback is never taken.
        get { LogLevel(rawValue: threshold.load(ordering: .relaxed)) ?? .info }
        set { threshold.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Passes a message on if its level lets it. The text is not even made otherwise.
    public func log(level: LogLevel, message: @autoclosure () -> String) {
        guard level != .off, level.rawValue <= threshold.load(ordering: .relaxed) else { return }
        function(level, message())
    }

    // MARK: - The one that the library uses

    private static let current = Mutex(
        Logger(level: .info) { level, message in
            let line = "Causeway: \(level): \(message)\n"
            _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        }
    )

    /// The logger of everything in this process. Set it before the first Realm is opened to miss nothing.
    public static var shared: Logger {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
