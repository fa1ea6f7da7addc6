import CausewayAdmin
import CausewayJSON
import CausewayModel
import CausewaySession
import CausewayWire

/// One session, with what its device subscribes to.
struct SessionDetail: Sendable {
    private let summary: SessionSummary
    private let queries: [StandingQuery]

    /// The texts of an answer have this bound together. Those beyond it are left out: `queries` says how many there are.
    static let queryBytesMax = 1 << 20

    /// Nil when the client has no session.
    init?(of client: ClientID, in tenant: Tenant) {
        let conversations = tenant.conversations
        guard let party = conversations.parties().first(where: { $0.client == client }),
            let summary = conversations.summary(of: party), let queries = conversations.queries(of: party)
        else { return nil }
        self.summary = summary
        self.queries = Self.bounded(queries)
    }

    static func bounded(_ queries: [StandingQuery]) -> [StandingQuery] {
        var bytes = 0
        return Array(
            queries.prefix { query in
                bytes += query.className.utf8.count + query.predicate.utf8.count
                return bytes <= queryBytesMax
            })
    }

    func append(to json: inout JSONWriter) {
        json.object { json in
            summary.appendMembers(to: &json)
            json.name("subscriptions")
            json.array(queries) { query, json in
                json.object { json in
                    json.field("class", query.className)
                    json.field("query", query.predicate)
                }
            }
        }
    }

    /// In the schemas of a session and of its detail.
    static let summaryProperties = """
                client: {type: string}
                user: {type: string}
                address: {type: string}
                since: {type: string, format: date-time}
                protocol: {type: integer}
                schema: {type: string}
                state: {enum: [\(SessionCensus.State.allCases.map(\.rawValue).joined(separator: ", "))]}
                version: {type: integer}
                queries: {type: integer}
        """
}

extension SessionSummary {
    func appendMembers(to json: inout JSONWriter) {
        json.field("client", String(party.client.rawValue))
        json.field("user", party.user)
        json.field("address", ifAny: party.address.isEmpty ? nil : party.address)
        json.field("since", time: openedAt)
        json.field("protocol", protocolVersion)
        json.field("schema", String(schemaFingerprint, radix: 16))
        json.field("state", state.rawValue)
        json.field("version", version.rawValue)
        json.field("queries", queries)
    }
}
