import CausewayJSON
import CausewayHTTP
import CausewayModel

/// What a request for changes asks.
struct ChangesQuery {
    /// Nil begins with what comes next.
    var since: FeedPosition?
    var selection = FeedSelection()
    /// Whether the answer goes on with what comes later.
    var isLive = true
    var format: FeedFormat

    static let parameters = ["since", "class", "values", "live"]
    static let classesMax = 100

    init(_ head: HTTPHead) throws(FeedFailure) {
        format = head.header("accept")?.lowercased().contains("text/event-stream") == true ? .events : .lines
        var classes: [ExactString] = []
        for parameter in head.query {
            switch parameter.name {
            case "since": since = try Self.position(parameter.value, "since")
            case "class": classes += parameter.value.split(separator: ",").map { ExactString(String($0)) }
            case "values": try readValues(parameter.value)
            case "live": isLive = try Self.flag(parameter.value)
            default:
                throw FeedFailure(
                    .requestInvalid,
                    "There is no parameter “\(parameter.name.prefix(40))”. Use \(Self.parameters.joined(separator: ", "))."
                )
            }
        }
        guard classes.count <= Self.classesMax else {
            throw FeedFailure(
                .requestInvalid,
                "\(classes.count) classes are named, and \(Self.classesMax) are the most. Name none to follow all.")
        }
        if !classes.isEmpty { selection.classes = Set(classes) }
        // A reader that connects again by itself repeats the address, and says in the header how far it came.
        if let last = head.header("last-event-id"), !last.isEmpty { since = try Self.position(last, "Last-Event-ID") }
    }

    private mutating func readValues(_ text: String) throws(FeedFailure) {
        for name in text.split(separator: ",") {
            switch name {
            case "before": selection.tellsBefore = true
            case "after": selection.tellsAfter = true
            default:
                throw FeedFailure(
                    .requestInvalid,
                    "values=\(name.prefix(40)) has no meaning. Use before, after, or both with a comma.")
            }
        }
    }

    private static func position(_ text: String, _ name: String) throws(FeedFailure) -> FeedPosition {
        guard let position = FeedPosition(text) else {
            throw FeedFailure(
                .requestInvalid,
                "\(name)=\(text.prefix(40)) is no position. Use a version, or a position that the server has told.")
        }
        return position
    }

    private static func flag(_ text: String) throws(FeedFailure) -> Bool {
        switch text {
        case "true": return true
        case "false": return false
        default: throw FeedFailure(.requestInvalid, "live=\(text.prefix(40)) has no meaning. Use true or false.")
        }
    }
}

/// How events are written.
enum FeedFormat {
    /// Server-sent events.
    case events
    /// One JSON object a line.
    case lines

    var contentType: String {
        switch self {
        case .events: EventStream.contentType
        case .lines: "application/x-ndjson"
        }
    }

    func append(_ kind: String, _ position: FeedPosition?, _ json: [UInt8], to bytes: inout [UInt8]) {
        switch self {
        case .lines:
            bytes += json
            bytes.append(UInt8(ascii: "\n"))
        case .events: EventStream.append(kind, id: position?.text, json, to: &bytes)
        }
    }

    /// How far the reader is, where there is no event to tell it.
    func appendPosition(_ position: FeedPosition, to bytes: inout [UInt8]) {
        var json = JSONWriter()
        json.object { json in
            json.field("kind", "position")
            json.field("position", position.text)
        }
        append("position", position, json.bytes, to: &bytes)
    }
}
