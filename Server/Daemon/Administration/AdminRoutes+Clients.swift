import CausewayAdmin
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewayTelemetry

// Clients: the files of devices that the database knows.

extension AdminRoutes {
    mutating func addClients(_ desk: AdminDesk) {
        add(
            [
                AdminRoute(
                    "GET", "/admin/v1/databases/{database}/clients",
                    AdminDescription(
                        "listClients", "The clients that the database knows, in the order of their ids.",
                        parameters: AdminPage.parameters + [Self.ofUser], answer: "Clients", errors: [.databaseUnknown])
                ) { request throws(AdminError) in
                    let page = AdminPage(request)
                    let after = try page.afterNumber().map(ClientID.init)
                    return try await desk.use(request) { tenant throws(AdminError) in
                        let (user, store) = (request.text("user"), tenant.store)
                        let (clients, next) = try await desk.work(tenant) { () throws(StoreFailure) in
                            try store.clients(after: after, of: user, countMax: page.limit)
                        }
                        return page.answer("clients", (clients, next.map { String($0.rawValue) })) { facts, json in
                            json.write(facts)
                        }
                    }
                },
                AdminRoute(
                    "DELETE", "/admin/v1/databases/{database}/clients/{client}",
                    AdminDescription(
                        "forgetClient", "Forgets of a client what may be forgotten.", answer: "Forgotten",
                        errors: [.databaseUnknown, .clientUnknown, .conflict])
                ) { request throws(AdminError) in
                    let client = try request.client()
                    return try await desk.use(request) { tenant throws(AdminError) in
                        try await Self.forget(client, desk, request, tenant)
                    }
                },
            ], schemas: Self.schemas)
    }

    private static func forget(
        _ client: ClientID, _ desk: AdminDesk, _ request: AdminRequest, _ tenant: Tenant
    ) async throws(AdminError) -> HTTPAnswer {
        guard !tenant.conversations.parties().contains(where: { $0.client == client }) else {
            throw AdminError(
                .conflict, "The client \(client.rawValue) has an open session. Shut it out first, or end its session.")
        }
        let record = tenant.record
        let forgotten = try await desk.work(tenant) { () throws(StoreFailure) in try record.forget(client) }
        guard let forgotten else {
            throw AdminError(.clientUnknown, "The database does not know the client \(client.rawValue).")
        }
        tenant.conversations.forget(client)
        desk.telemetry.audit(
            AuditEvent(
                .clientForgotten, database: tenant.name, user: "admin", address: request.address,
                subject: "client \(client.rawValue)"))
        return .json { $0.object { $0.field("isKnown", forgotten == .partly) } }
    }

    private static let schemas = """
            Clients:
              type: object
              required: [clients]
              additionalProperties: false
              properties:
                clients:
                  type: array
                  items:
                    type: object
                    required: [client, user, changesets, oneWayEntries, refusalBytes]
                    additionalProperties: false
                    properties:
                      client: {type: string}
                      user: {type: string}
                      changesets: {type: integer}
                      oneWayEntries: {type: integer}
                      lastHeard: {type: string, format: date-time}
                      refusalBytes: {type: integer}
                      predecessors: {type: array, items: {type: string}}
                next: {type: string}
            Forgotten:
              type: object
              required: [isKnown]
              additionalProperties: false
              properties:
                isKnown: {type: boolean}

        """
}

extension AdminPage {
    /// Where the page begins, in a list that is ordered by numbers.
    func afterNumber() throws(AdminError) -> UInt64? {
        guard let after else { return nil }
        guard let number = UInt64(after) else {
            throw AdminError(.requestInvalid, "after is no number. Take it from next of the page before.")
        }
        return number
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ facts: ClientFacts) {
        object { json in
            json.field("client", String(facts.client.rawValue))
            json.field("user", facts.user)
            json.field("changesets", facts.committed)
            json.field("oneWayEntries", facts.ingested)
            json.field("lastHeard", time: facts.heardDay * 86_400_000)
            json.field("refusalBytes", facts.refusalBytes)
            guard !facts.predecessors.isEmpty else { return }
            json.name("predecessors")
            json.array(facts.predecessors) { $1.write(String($0.rawValue)) }
        }
    }
}
