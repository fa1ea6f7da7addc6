import CausewayAdmin
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewayOpenAPI
import CausewaySession
import CausewayWire

// Sessions: who is connected, where each stands, and how to end one.

extension AdminRoutes {
    mutating func addSessions(_ desk: AdminDesk) {
        add(
            [
                AdminRoute(
                    "GET", "/admin/v1/databases/{database}/sessions",
                    AdminDescription(
                        "listSessions", "The open sessions, in the order of their clients.",
                        parameters: AdminPage.parameters + [Self.ofUser], answer: "Sessions", errors: [.databaseUnknown]
                    )
                ) { request throws(AdminError) in
                    try await desk.use(request) { tenant throws(AdminError) in Self.sessions(of: tenant, request) }
                },
                AdminRoute(
                    "GET", "/admin/v1/databases/{database}/sessions/{client}",
                    AdminDescription(
                        "readSession", "The session of a client, with what it subscribes to.", answer: "SessionDetail",
                        errors: [.databaseUnknown, .sessionUnknown])
                ) { request throws(AdminError) in
                    let client = try request.client()
                    return try await desk.use(request) { tenant throws(AdminError) in
                        guard let detail = SessionDetail(of: client, in: tenant) else { throw .sessionUnknown(client) }
                        return .json { detail.append(to: &$0) }
                    }
                },
                AdminRoute(
                    "DELETE", "/admin/v1/databases/{database}/sessions/{client}",
                    AdminDescription(
                        "endSession", "Ends the session of a client, which connects again.", answer: "Ended",
                        errors: [.databaseUnknown, .sessionUnknown])
                ) { request throws(AdminError) in
                    let client = try request.client()
                    return try await desk.use(request) { tenant throws(AdminError) in
                        guard tenant.conversations.end(.endedByOperator, where: { $0.client == client }) > 0 else {
                            throw AdminError.sessionUnknown(client)
                        }
                        return .json { $0.object { $0.field("ended", 1) } }
                    }
                },
            ], schemas: Self.schemas)
    }

    /// Of lists in which each entry belongs to a user.
    static let ofUser = DescribedParameter("user", .text, "Only what is of this user.")

    /// One page of the sessions. Only those of the page are looked into.
    private static func sessions(of tenant: Tenant, _ request: AdminRequest) -> HTTPAnswer {
        let user = request.text("user")
        let parties = tenant.conversations.parties().filter { party in user.map(party.user.isSame) ?? true }
        let page = AdminPage(request)
        let (chosen, next) = page.cut(parties) { String($0.client.rawValue) }
        let summaries = chosen.compactMap(tenant.conversations.summary)
        return page.answer("sessions", (summaries, next)) { summary, json in
            json.object { summary.appendMembers(to: &$0) }
        }
    }

    private static let schemas = """
            Sessions:
              type: object
              required: [sessions]
              additionalProperties: false
              properties:
                sessions:
                  type: array
                  items: {$ref: '#/components/schemas/Session'}
                next: {type: string}
            Session:
              type: object
              required: [client, user, since, protocol, schema, state, version, queries]
              additionalProperties: false
              properties:
        \(SessionDetail.summaryProperties)
            SessionDetail:
              type: object
              required: [client, user, since, protocol, schema, state, version, queries, subscriptions]
              additionalProperties: false
              properties:
        \(SessionDetail.summaryProperties)
                subscriptions:
                  type: array
                  items:
                    type: object
                    required: [class, query]
                    additionalProperties: false
                    properties:
                      class: {type: string}
                      query: {type: string}
            Ended:
              type: object
              required: [ended]
              additionalProperties: false
              properties:
                ended: {type: integer}

        """
}

extension SyncFailure {
    /// The device connects again after its backoff.
    static let endedByOperator = SyncFailure(
        .serverEnding, "The operator has ended this session. The device connects again by itself; nothing is lost.")
}

extension AdminError {
    fileprivate static func sessionUnknown(_ client: ClientID) -> AdminError {
        AdminError(.sessionUnknown, "The client \(client.rawValue) has no open session on this server.")
    }
}

extension AdminRequest {
    /// The client that the path names.
    func client() throws(AdminError) -> ClientID {
        guard let number = UInt64(self["client"]), number > 0 else {
            throw AdminError(
                .requestInvalid, "“\(self["client"].prefix(40))” is no client. A client is a number in decimal digits.")
        }
        return ClientID(number)
    }
}
