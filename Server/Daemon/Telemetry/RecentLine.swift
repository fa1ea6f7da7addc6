import CausewayJSON
import Logging

/// A line of the log, as administrators are told it.
struct RecentLine: Sendable {
    /// Zero before the log has taken it.
    private(set) var number: UInt64 = 0
    /// In milliseconds since 1970.
    let time: UInt64
    let level: Logger.Level
    let message: String
    /// A JSON object, without spaces.
    let fields: [UInt8]

    /// More of a message is cut off.
    static let messageBytesMax = 2_048
    /// Fields that do not fit in are left out.
    static let fieldsBytesMax = 4_096
    /// What a line takes beside its texts, about.
    private static let overheadBytes = 96

    /// Fields whose values are secrets. Without a program for messages, the server logs them with what lets their
    /// users in (`LogMessenger`): that is for who reads standard error alone.
    private static let secretFields: Set = ["token", "tokenId"]

    init(time: UInt64, _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:]) {
        self.time = time
        self.level = level
        self.message =
            message.utf8.count <= Self.messageBytesMax
            ? message : String(decoding: message.utf8.prefix(Self.messageBytesMax), as: UTF8.self) + "…"
        fields = Self.fields(of: metadata)
    }

    private static func fields(of metadata: Logger.Metadata) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
                let value = secretFields.contains(name) ? JSONText.quoted("…") : JSONLogHandler.json(value)
                guard json.bytes.count + name.utf8.count + value.utf8.count < fieldsBytesMax else { continue }
                json.name(name)
                json.raw(value)
            }
        }
        return json.bytes
    }

    func numbered(_ number: UInt64) -> RecentLine {
        var line = self
        line.number = number
        return line
    }

    /// What it takes in memory, about.
    var bytes: Int { message.utf8.count + fields.count + Self.overheadBytes }

    func append(to json: inout JSONWriter) {
        json.object { json in
            json.field("number", number)
            json.field("time", CalendarDate.text(ofMilliseconds: time))
            json.field("level", level.rawValue)
            json.field("message", message)
            json.name("fields")
            json.raw(fields)
        }
    }
}
