import CausewayJSON
import CausewayEnvironment
import Foundation
import Logging

/// Logs one JSON object a line to standard error, for collectors.
struct JSONLogHandler: LogHandler {
    let label: String
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    private let clock: any WallClock

    init(label: String, clock: any WallClock = SystemClock()) {
        self.label = label
        self.clock = clock
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let line = line(event.level.rawValue, "\(event.message)", all)
        // One write a line: lines of several threads do not mix.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// The text of a line, without its newline.
    func line(_ level: String, _ message: String, _ metadata: Logger.Metadata) -> String {
        var fields = [
            "\"time\":\(clock.now())", "\"level\":\(JSONText.quoted(level))",
            "\"label\":\(JSONText.quoted(label))", "\"message\":\(JSONText.quoted(message))",
        ]
        // Sorted, so that equal events give equal lines.
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            fields.append("\(JSONText.quoted(key)):\(Self.json(value))")
        }
        return "{" + fields.joined(separator: ",") + "}"
    }

    /// Numbers and truth values are such in JSON, so that collectors can compare them.
    static func json(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): return JSONText.quoted(text)
        case .stringConvertible(let number as any FixedWidthInteger): return "\(number)"
        case .stringConvertible(let number as Double) where number.isFinite: return "\(number)"
        case .stringConvertible(let flag as Bool): return "\(flag)"
        case .stringConvertible(let other): return JSONText.quoted(other.description)
        case .array(let values): return "[" + values.map(json).joined(separator: ",") + "]"
        case .dictionary(let values):
            let fields = values.sorted { $0.key < $1.key }.map { "\(JSONText.quoted($0.key)):\(json($0.value))" }
            return "{" + fields.joined(separator: ",") + "}"
        }
    }
}

extension Configuration.Log {
    /// Call once, before the first logger is made.
    ///
    /// - Parameter recent: keeps the newest lines; nil where nobody reads them.
    func start(keeping recent: RecentLog?) {
        LoggingSystem.bootstrap { label in handler(label, keeping: recent) }
    }

    /// What a logger writes to.
    func handler(_ label: String, keeping recent: RecentLog?) -> any LogHandler {
        var handler: any LogHandler =
            format == .json ? JSONLogHandler(label: label) : StreamLogHandler.standardError(label: label)
        if let recent { handler = MultiplexLogHandler([handler, RecentLogHandler(recent)]) }
        handler.logLevel = Logger.Level(rawValue: level.rawValue) ?? .info
        return handler
    }
}
