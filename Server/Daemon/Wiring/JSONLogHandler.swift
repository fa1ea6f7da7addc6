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
        let line = line(event.level.rawValue, "\(event.message)", all.mapValues { "\($0)" })
        // One write a line: lines of several threads do not mix.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// The text of a line, without its newline.
    func line(_ level: String, _ message: String, _ metadata: [String: String]) -> String {
        var fields = [
            "\"time\":\(clock.now())", "\"level\":\(JSONText.quoted(level))",
            "\"label\":\(JSONText.quoted(label))", "\"message\":\(JSONText.quoted(message))",
        ]
        // Sorted, so that equal events give equal lines.
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            fields.append("\(JSONText.quoted(key)):\(JSONText.quoted(value))")
        }
        return "{" + fields.joined(separator: ",") + "}"
    }
}

extension Configuration.Log {
    /// Call once, before the first logger is made.
    func start() {
        let level = Logger.Level(rawValue: level.rawValue) ?? .info
        let format = format
        LoggingSystem.bootstrap { label in
            var handler: any LogHandler =
                format == .json ? JSONLogHandler(label: label) : StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
    }
}
