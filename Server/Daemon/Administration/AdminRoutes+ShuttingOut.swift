import CausewayAdmin
import CausewayFeed
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewaySession
import CausewayStore
import CausewayTelemetry

// Users and clients that the operator shuts out, and lets in again.

extension AdminRoutes {
    mutating func addShuttingOut(_ desk: AdminDesk) {
        let users = "/admin/v1/databases/{database}/shut-out/users"
        let clients = "/admin/v1/databases/{database}/shut-out/clients"
        add(
            [
                AdminRoute(
                    "GET", users,
                    AdminDescription(
                        "listUsersShutOut", "The users that are shut out.", parameters: AdminPage.parameters,
                        answer: "ShutOuts", errors: [.databaseUnknown])
                ) { request throws(AdminError) in try await Self.list(desk, request) { $0.user } },
                AdminRoute(
                    "PUT", users + "/{user}",
                    AdminDescription(
                        "shutOutUser", "Shuts a user out, and ends their sessions.", body: "ShuttingOut",
                        isBodyOptional: true, answer: "Ended", errors: [.databaseUnknown, .conflict])
                ) { request throws(AdminError) in try await Self.shutOut(desk, request, try request.user()) },
                AdminRoute(
                    "DELETE", users + "/{user}",
                    AdminDescription(
                        "letUserIn", "Lets a user in again.", answer: "LetIn", errors: [.databaseUnknown])
                ) { request throws(AdminError) in try await Self.letIn(desk, request, try request.user()) },
                AdminRoute(
                    "GET", clients,
                    AdminDescription(
                        "listClientsShutOut", "The clients that are shut out.", parameters: AdminPage.parameters,
                        answer: "ShutOuts", errors: [.databaseUnknown])
                ) { request throws(AdminError) in try await Self.list(desk, request) { $0.client } },
                AdminRoute(
                    "PUT", clients + "/{client}",
                    AdminDescription(
                        "shutOutClient", "Shuts a client out, and ends its session.", body: "ShuttingOut",
                        isBodyOptional: true, answer: "Ended", errors: [.databaseUnknown, .conflict])
                ) { request throws(AdminError) in try await Self.shutOut(desk, request, .client(try request.client()))
                },
                AdminRoute(
                    "DELETE", clients + "/{client}",
                    AdminDescription(
                        "letClientIn", "Lets a client in again.", answer: "LetIn", errors: [.databaseUnknown])
                ) { request throws(AdminError) in try await Self.letIn(desk, request, .client(try request.client())) },
            ], schemas: Self.schemas)
    }

    // MARK: - What they do

    private static func list(
        _ desk: AdminDesk, _ request: AdminRequest, _ name: (ShutOut.Subject) -> String?
    ) async throws(AdminError) -> HTTPAnswer {
        try await desk.use(request) { tenant throws(AdminError) in
            let page = AdminPage(request)
            let entries = tenant.shutOuts.all.compactMap { entry in name(entry.subject).map { (entry, $0) } }
            return page.answer("entries", page.cut(entries, by: \.1)) { entry, json in
                json.object { json in
                    json.field("name", entry.1)
                    json.field("since", time: entry.0.since)
                    json.field("note", ifAny: entry.0.note)
                }
            }
        }
    }

    private static func shutOut(
        _ desk: AdminDesk, _ request: AdminRequest, _ subject: ShutOut.Subject
    ) async throws(AdminError) -> HTTPAnswer {
        let note = try request.members("note").text("note")
        guard note?.utf8.count ?? 0 <= ShutOuts.noteBytesMax else {
            throw AdminError(.requestInvalid, "note has more than \(ShutOuts.noteBytesMax) bytes. Make it shorter.")
        }
        return try await desk.use(request) { tenant throws(AdminError) in
            let (shutOuts, entry) = (tenant.shutOuts, ShutOut(subject, since: desk.now(), note: note))
            try await desk.work(tenant) { () throws(StoreFailure) in try shutOuts.shutOut(entry) }
            let ended = tenant.endSessionsShutOut()
            desk.audit(.shutOut, request, subject, tenant)
            return .json { $0.object { $0.field("ended", ended) } }
        }
    }

    private static func letIn(
        _ desk: AdminDesk, _ request: AdminRequest, _ subject: ShutOut.Subject
    ) async throws(AdminError) -> HTTPAnswer {
        try await desk.use(request) { tenant throws(AdminError) in
            let shutOuts = tenant.shutOuts
            let wasShutOut = try await desk.work(tenant) { () throws(StoreFailure) in try shutOuts.letIn(subject) }
            if wasShutOut { desk.audit(.letIn, request, subject, tenant) }
            return .json { $0.object { $0.field("wasShutOut", wasShutOut) } }
        }
    }

    private static let schemas = """
            ShutOuts:
              type: object
              required: [entries]
              additionalProperties: false
              properties:
                entries:
                  type: array
                  items:
                    type: object
                    required: [name, since]
                    additionalProperties: false
                    properties:
                      name: {type: string}
                      since: {type: string, format: date-time}
                      note: {type: string}
                next: {type: string}
            ShuttingOut:
              type: object
              additionalProperties: false
              properties:
                note: {type: string, maxLength: \(ShutOuts.noteBytesMax)}
            LetIn:
              type: object
              required: [wasShutOut]
              additionalProperties: false
              properties:
                wasShutOut: {type: boolean}

        """
}

extension Tenant {
    /// Ends the sessions and the feed's readers of those that are shut out.
    ///
    /// - Returns: how many sessions there were.
    @discardableResult
    func endSessionsShutOut() -> Int {
        defer { feed.bell.ring() }
        var ended = 0
        for party in conversations.parties() {
            let failure = shutOuts.failure(user: party.user) ?? shutOuts.failure(client: party.client)
            if let failure { ended += conversations.end(failure) { $0.session == party.session } }
        }
        return ended
    }
}

extension AdminDesk {
    fileprivate func audit(
        _ kind: AuditEvent.Kind, _ request: AdminRequest, _ subject: ShutOut.Subject, _ tenant: Tenant
    ) {
        let words = subject.user.map { "user \($0)" } ?? subject.client.map { "client \($0)" }
        telemetry.audit(
            AuditEvent(kind, database: tenant.name, user: "admin", address: request.address, subject: words))
    }
}

extension AdminRequest {
    /// The user that the path names.
    fileprivate func user() throws(AdminError) -> ShutOut.Subject {
        let name = self["user"]
        guard (1...ShutOuts.nameBytesMax).contains(name.utf8.count) else {
            throw AdminError(.requestInvalid, "A user's name has 1 to \(ShutOuts.nameBytesMax) bytes.")
        }
        return .user(ExactString(name))
    }
}

extension ShutOut.Subject {
    fileprivate var user: String? { if case .user(let name) = self { name.string } else { nil } }
    fileprivate var client: String? { if case .client(let id) = self { String(id.rawValue) } else { nil } }
}
