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
                        try await desk.journal(of: tenant, node)
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
                        return try await desk.journal(of: tenant, node)
                    }
                },
                AdminRoute(
                    "PUT", "/admin/v1/databases/{database}/journal/generation",
                    AdminDescription(
                        "switchGenerationOn",
                        "Switches on what the software of this node brings, once no node is there that is older.",
                        answer: "Journal", errors: errors + [.conflict])
                ) { request throws(AdminError) in
                    try await desk.node(request) { tenant, node throws(AdminError) in
                        let wanted = JournalGeneration.newest
                        if let hindrance = try await desk.hindrance(to: wanted, of: tenant) {
                            throw AdminError(.conflict, hindrance)
                        }
                        let before = try await desk.work(tenant) { () throws(StoreFailure) in
                            let before = try node.replica.mark.generation
                            try node.record.switchOn(generation: wanted)
                            return before
                        }
                        if before < wanted {
                            desk.telemetry.audit(
                                AuditEvent(
                                    .generationSwitchedOn, database: tenant.name, user: "admin",
                                    address: request.address, subject: "\(wanted)"))
                        }
                        return try await desk.journal(of: tenant, node)
                    }
                },
            ], schemas: Self.schemas)
    }

    private static let schemas = """
            Journal:
              type: object
              required: [position, answers, ageSeconds, generation, newestGeneration, carries, limits, hasTheseLimits]
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
                generation:
                  type: integer
                  description: The generation that is switched on.
                newestGeneration:
                  type: integer
                  description: The newest one that the software of this node knows.
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

    fileprivate func journal(of tenant: Tenant, _ node: ServedNode) async throws(AdminError) -> HTTPAnswer {
        let (settings, generation) = try await work(tenant) { () throws(StoreFailure) in
            (try node.replica.settings, try node.replica.mark.generation)
        }
        return .json { json in
            json.object { json in
                json.field("position", node.record.position)
                json.field("answers", node.answers)
                json.field("ageSeconds", (ContinuousClock.now - node.followedTo).components.seconds)
                json.field("generation", generation)
                json.field("newestGeneration", JournalGeneration.newest)
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
