import CausewayEnvironment
import Logging

/// Keeps what is logged in a `RecentLog`, beside the handler that writes it.
struct RecentLogHandler: LogHandler {
    let log: RecentLog
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    private let clock: any WallClock

    init(_ log: RecentLog, clock: any WallClock = SystemClock()) {
        self.log = log
        self.clock = clock
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        log.append(RecentLine(time: clock.now(), event.level, "\(event.message)", all))
    }
}
