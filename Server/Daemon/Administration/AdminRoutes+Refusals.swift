import CausewayAdmin
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewayOpenAPI
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded

// What of devices' uploads was refused: by client, and by changeset. Never what the operations held.

extension AdminRoutes {
    mutating func addRefusals(_ desk: AdminDesk) {
        add(
            [
                AdminRoute(
                    "GET", "/admin/v1/databases/{database}/refusals",
                    AdminDescription(
                        "listRefusals", "The clients of which operations were refused.",
                        parameters: AdminPage.parameters + [
                            .init("user", .text, "Only the clients of this user.")
                        ], answer: "Refusals", errors: [.databaseUnknown])
                ) { request throws(AdminError) in
                    try await desk.use(request) { tenant throws(AdminError) in
                        try await desk.clientsRefused(AdminPage(request), user: request.text("user"), in: tenant)
                    }
                },
                AdminRoute(
                    "GET", "/admin/v1/databases/{database}/refusals/{client}",
                    AdminDescription(
                        "readRefusals", "What was refused of one client, by changeset.",
                        parameters: AdminPage.parameters, answer: "ClientRefusals",
                        errors: [.databaseUnknown, .clientUnknown])
                ) { request throws(AdminError) in
                    let client = try request.client()
                    return try await desk.use(request) { tenant throws(AdminError) in
                        try await desk.refusals(of: client, AdminPage(request), in: tenant)
                    }
                },
            ], schemas: RefusalSchemas.text)
    }
}

extension AdminDesk {
    fileprivate func clientsRefused(
        _ page: AdminPage, user: String?, in tenant: Tenant
    ) async throws(AdminError) -> HTTPAnswer {
        let after = try page.afterNumber().map(ClientID.init)
        let (store, limit) = (tenant.store, page.limit)
        let found = try await work(tenant) { () throws(StoreFailure) in
            try store.clientsRefused(after: after, user: user, countMax: limit)
        }
        return page.answer("clients", (found.clients, found.next.map { "\($0.rawValue)" })) { client, json in
            json.object { json in
                json.field("client", "\(client.client.rawValue)")
                json.field("user", client.user)
                json.field("heard", time: client.heard)
                json.field("committed", client.committed)
                json.field("told", client.told)
                json.field("changesets", client.changesets)
                json.field("operations", client.operations)
            }
        }
    }

    fileprivate func refusals(
        of client: ClientID, _ page: AdminPage, in tenant: Tenant
    ) async throws(AdminError) -> HTTPAnswer {
        let after = try page.afterNumber() ?? 0
        let (store, limit) = (tenant.store, page.limit)
        let found = try await work(tenant) { () throws(StoreFailure) in
            try store.refusedChangesets(of: client, after: after, countMax: limit)
        }
        guard let found else {
            throw AdminError(
                .clientUnknown,
                "The database knows no client “\(client.rawValue)”. GET /admin/v1/databases/\(tenant.name)/refusals lists those of "
                    + "which something was refused.")
        }
        return .json { json in
            json.object { json in
                json.field("client", "\(client.rawValue)")
                json.field("user", found.user)
                json.name("changesets")
                json.array(found.changesets) { $0.append(to: &$1) }
                if found.hasMore, let last = found.changesets.last { json.field("next", "\(last.sequence)") }
            }
        }
    }
}

extension RefusedChangeset {
    fileprivate func append(to json: inout JSONWriter) {
        json.object { json in
            json.field("sequence", sequence)
            if version != .zero { json.field("version", version.rawValue) }
            json.field("received", time: received)
            json.field("isTold", isTold)
            json.name("operations")
            json.array(groups) { group, json in
                json.object { json in
                    json.field("class", group.className)
                    json.field("code", group.code.name)
                    json.field("count", group.count)
                }
            }
            if others > 0 { json.field("others", others) }
        }
    }
}

private enum RefusalSchemas {
    static let text = """
            Refusals:
              type: object
              required: [clients]
              additionalProperties: false
              properties:
                clients:
                  type: array
                  items:
                    type: object
                    required: [client, user, committed, told, changesets, operations]
                    additionalProperties: false
                    properties:
                      client: {type: string}
                      user: {type: string}
                      heard: {type: string, format: date-time}
                      committed: {type: integer}
                      told: {type: integer}
                      changesets: {type: integer}
                      operations: {type: integer}
                next: {type: string}
            ClientRefusals:
              type: object
              required: [client, user, changesets]
              additionalProperties: false
              properties:
                client: {type: string}
                user: {type: string}
                changesets:
                  type: array
                  items:
                    type: object
                    required: [sequence, isTold, operations]
                    additionalProperties: false
                    properties:
                      sequence: {type: integer}
                      version: {type: integer}
                      received: {type: string, format: date-time}
                      isTold: {type: boolean}
                      operations:
                        type: array
                        items:
                          type: object
                          required: [class, code, count]
                          additionalProperties: false
                          properties:
                            class: {type: string}
                            code: {type: string}
                            count: {type: integer}
                      others: {type: integer}
                next: {type: string}

        """
}
