import CausewayAdmin
import CausewayHTTP
import CausewayJSON

/// What a reader of events is told. ADMIN.md documents each.
enum LiveEvent: Sendable {
    /// A database has a new commit.
    case version(UInt64, database: String)
    /// The numbers of its sessions have changed.
    case sessions(LiveSight.Sessions, database: String)
    /// Databases have come or gone.
    case databases
    case log(RecentLine)
    /// The last one: why the server ends the answer.
    case end(AdminError)

    private var kind: String {
        switch self {
        case .version: "version"
        case .sessions: "sessions"
        case .databases: "databases"
        case .log: "log"
        case .end: "end"
        }
    }

    func append(to bytes: inout [UInt8]) {
        var json = JSONWriter()
        switch self {
        case .log(let line): line.append(to: &json)
        default: json.object(members)
        }
        EventStream.append(kind, json.bytes, to: &bytes)
    }

    private func members(_ json: inout JSONWriter) {
        switch self {
        case .version(let version, let database):
            json.field("database", database)
            json.field("version", version)
        case .sessions(let sessions, let database):
            json.field("database", database)
            json.field("open", sessions.open)
            json.field("live", sessions.live)
        case .end(let error):
            json.field("code", error.code.rawValue)
            json.field("message", error.message)
        case .databases, .log: break
        }
    }
}
