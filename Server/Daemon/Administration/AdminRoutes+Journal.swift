import CausewayAdmin
import CausewayHTTP
import CausewayJSON
import CausewayJournal
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import CausewayTelemetry

// A database that many nodes serve: where this node is, and the limits that count on all of them.

extension AdminRoutes {
    mutating func addJournal(_ desk: AdminDesk) {
        let errors: [AdminError.Code] = [.databaseUnknown, .notConfigured]
        add(
            [
                AdminRoute(
                    "GET", "/admin/v1/databases/{database}/journal",
                    AdminDescription(
                        "showJournal", "Where this node is in the journal, and the limits that count on all nodes.",
                        answer: "Journal", errors: errors)
                ) { request throws(AdminError) in
                    try await desk.node(request) { tenant, node throws(AdminError) in
                        let settings = try await desk.work(tenant) { () throws(StoreFailure) in
                            try node.replica.settings
                        }
                        return desk.journal(of: tenant, node, settings)
                    }
                },
                AdminRoute(
                    "PUT", "/admin/v1/databases/{database}/journal/limits",
                    AdminDescription(
                        "takeLimits", "Has the limits of this node's configuration count on all nodes.",
                        answer: "Journal", errors: errors)
                ) { request throws(AdminError) in
                    try await desk.node(request) { tenant, node throws(AdminError) in
                        let wanted = desk.limits(of: tenant)
                        let before = try await desk.work(tenant) { () throws(StoreFailure) in
                            let before = try node.replica.settings
                            try node.record.take(wanted)
                            return before
                        }
                        if before != wanted {
                            desk.telemetry.audit(
                                AuditEvent(
                                    .journalLimitsTaken, database: tenant.name, user: "admin", address: request.address)
                            )
                        }
                        return desk.journal(of: tenant, node, wanted)
                    }
                },
            ], schemas: Self.schemas)
    }

    private static let schemas = """
            Journal:
              type: object
              required: [position, answers, ageSeconds, carries, limits, hasTheseLimits]
              additionalProperties: false
              properties:
                position:
                  type: integer
                  description: The last entry that this node has applied.
                answers:
                  type: boolean
                  description: Whether the journal answered when it was asked last.
                ageSeconds:
                  type: integer
                  description: How long ago this node had everything that was in the journal.
                carries:
                  type: boolean
                  description: Whether this node has the webhooks and sinks at work.
                limits:
                  $ref: '#/components/schemas/JournalLimits'
                hasTheseLimits:
                  type: boolean
                  description: Whether the configuration of this node says the same.
            JournalLimits:
              type: object
              description: In the names of the section limits.
              additionalProperties: {type: integer}

        """
}

extension AdminDesk {
    /// Works with a database that is in a journal.
    fileprivate func node(
        _ request: AdminRequest, _ body: (Tenant, ServedNode) async throws(AdminError) -> HTTPAnswer
    ) async throws(AdminError) -> HTTPAnswer {
        try await use(request) { tenant throws(AdminError) in
            guard let node = tenant.node else {
                throw AdminError(
                    .notConfigured,
                    "The database is in no journal: the configuration has no section journal, and this server has it alone."
                )
            }
            return try await body(tenant, node)
        }
    }

    /// What this node's configuration says of the state.
    fileprivate func limits(of tenant: Tenant) -> RecordSettings {
        let configuration = inForce.configuration
        let database = configuration.databases.first { $0.name == tenant.name }
        return (database.map { configuration.limits(of: $0) } ?? configuration.limits).store.settings
    }

    fileprivate func journal(of tenant: Tenant, _ node: ServedNode, _ settings: RecordSettings?) -> HTTPAnswer {
        .json { json in
            json.object { json in
                json.field("position", node.record.position)
                json.field("answers", node.answers)
                json.field("ageSeconds", (ContinuousClock.now - node.followedTo).components.seconds)
                json.field("carries", tenant.carrying != nil && node.turn.isHere)
                json.name("limits")
                json.object { json in
                    for (name, value) in settings?.named ?? [] { if let value { json.field(name, value) } }
                }
                json.field("hasTheseLimits", settings == limits(of: tenant))
            }
        }
    }
}
