import Glibc
import Synchronization

/// How much a `Logger` lets through: a message passes when its level is not above the logger's.
///
/// ```swift
/// Logger.shared.level = LogLevel.info
/// let grave: [LogLevel] = [.fatal, .error, .warn]
/// let quiet = LogLevel.off < .detail    // true
/// ```
public enum LogLevel: Int, Comparable, Sendable, CaseIterable {
    /// Nothing.
    case off = 0
    /// What ends the program.
    case fatal = 1
    /// What failed.
    case error = 2
    /// What may be a mistake.
    case warn = 3
    /// What happens seldom, and is worth knowing.
    case info = 4
    /// What happens in the course of things.
    case detail = 5
    /// What helps to find a mistake.
    case debug = 6
    /// Every step.
    case trace = 7
    /// Everything.
    case all = 8

    /// Whether the first level is more severe, and lets fewer messages through.
    ///
    /// ```swift
    /// LogLevel.error < .info    // true: with .info, errors pass too
    /// ```
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Receives the log messages of the library.
///
/// ```swift
/// Logger.shared = Logger(function: { level, category, message in
///     print("[\(category.rawValue) \(level)] \(message)")
/// })
/// Logger.setLogLevel(.debug, for: Category.Sync.all)
/// ```
///
/// The function may be called from several threads at once. The default logger writes messages of level `info` and more
/// severe ones to standard error.
public final class Logger: Sendable {
    /// A function that gets the level and the text of a message.
    ///
    /// ```swift
    /// let function: Logger.LogFunction = { level, message in print("[\(level)] \(message)") }
    /// Logger.shared = Logger(level: .info, logFunction: function)
    /// ```
    public typealias LogFunction = @Sendable (_ level: LogLevel, _ message: String) -> Void

    /// A function that gets the level, the category and the text of a message.
    ///
    /// ```swift
    /// let function: Logger.CategoryLogFunction = { level, category, message in print(category.rawValue, message) }
    /// Logger.shared = Logger(level: .info, function: function)
    /// ```
    public typealias CategoryLogFunction =
        @Sendable (_ level: LogLevel, _ category: any LogCategory, _ message: String) -> Void

    private let function: CategoryLogFunction
    private let threshold: Atomic<Int>

    /// Creates a logger that passes the level and the text of messages to a function.
    ///
    /// ```swift
    /// let logger = Logger(level: .debug) { level, message in print("[\(level)] \(message)") }
    /// ```
    @preconcurrency
    public init(level: LogLevel, logFunction: @escaping LogFunction) {
        function = { level, _, message in logFunction(level, message) }
        threshold = Atomic(level.rawValue)
    }

    /// Creates a logger that passes the level, the category and the text of messages to a function.
    ///
    /// ```swift
    /// let logger = Logger(level: .debug) { level, category, message in print(category.rawValue, message) }
    /// ```
    @preconcurrency
    public init(level: LogLevel, function: @escaping CategoryLogFunction) {
        self.function = function
        threshold = Atomic(level.rawValue)
    }

    /// Creates a logger of level `info`. `setLogLevel(_:for:)` changes the level of single categories.
    ///
    /// ```swift
    /// let logger = Logger(function: { level, category, message in print(category.rawValue, level, message) })
    /// ```
    @preconcurrency
    public convenience init(function: @escaping CategoryLogFunction) {
        self.init(level: .info, function: function)
    }

    /// The level of categories that have none of their own. It may be changed at any time, from any thread. Changing it
    /// on the shared logger removes the levels of all categories.
    ///
    /// ```swift
    /// Logger.shared.level = .debug
    /// ```
    public var level: LogLevel {
        // Only levels are ever stored, so the fallback is never taken.
        get { LogLevel(rawValue: threshold.load(ordering: .relaxed)) ?? .info }
        set {
            if self === Logger.shared { Logger.levels.withLock { $0 = [:] } }
            threshold.store(newValue.rawValue, ordering: .relaxed)
            Logger.noteLoudest()
        }
    }

    /// Logs a message if its level passes. The text is evaluated only then.
    ///
    /// ```swift
    /// Logger.shared.log(level: .info, message: "The kennel is open.")
    /// ```
    public func log(
        level: LogLevel, category: any LogCategory = Category.sdk, message: @autoclosure () -> String
    ) {
        guard level != .off, level <= self.level(of: category) else { return }
        function(level, category, message())
    }

    // MARK: - Categories

    /// What was set for single categories, for all loggers.
    private static let levels = Mutex<[String: LogLevel]>([:])

    private func level(of category: any LogCategory) -> LogLevel {
        Logger.levels.withLock { $0[category.rawValue] } ?? level
    }

    /// Sets the level up to which messages of a category, and of all within it, pass.
    ///
    /// ```swift
    /// Logger.setLogLevel(.trace, for: Category.Sync.Client.session)
    /// ```
    public static func setLogLevel(_ level: LogLevel, for category: any LogCategory = Category.realm) {
        levels.withLock { levels in
            for name in Category.allNames where name == category.rawValue || name.hasPrefix(category.rawValue + ".") {
                levels[name] = level
            }
        }
        noteLoudest()
    }

    /// Up to which level messages of a category pass.
    ///
    /// ```swift
    /// if Logger.logLevel(for: Category.Sync.all) >= .debug { print("The log will be long.") }
    /// ```
    public static func logLevel(for category: any LogCategory) -> LogLevel {
        shared.level(of: category)
    }

    // MARK: - The one that the library uses

    private static let current = Mutex(
        Logger(level: .info) { level, message in
            let line = "Causeway: \(level): \(message)\n"
            _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        }
    )

    /// The logger that this process uses. Set it before the first Realm is opened to miss nothing.
    ///
    /// ```swift
    /// Logger.shared = Logger(level: .debug) { level, message in print("[\(level)] \(message)") }
    /// ```
    public static var shared: Logger {
        get { current.withLock { $0 } }
        set {
            current.withLock { $0 = newValue }
            noteLoudest()
        }
    }

    /// The highest level that any category of the shared logger lets through.
    private static let loudest = Atomic(LogLevel.info.rawValue)

    private static func noteLoudest() {
        // Stored under the lock, so that of two changes at once the later one stands.
        levels.withLock { levels in
            loudest.store(max(shared.level, levels.values.max() ?? .off).rawValue, ordering: .relaxed)
        }
    }

    /// Logs a step of the library's work. Where no category lets its level through, it costs the reading of one number.
    @inline(__always)
    static func note(_ level: LogLevel, _ category: any LogCategory, _ message: @autoclosure () -> String) {
        guard level.rawValue <= loudest.load(ordering: .relaxed) else { return }
        shared.log(level: level, category: category, message: message())
    }
}
