import CausewayModel
import CausewayOperations
import SwiftProtobuf

extension Hello: WireMessage {
    package var payload: [UInt8] {
        Payload.encode(
            EnvelopeHello.with {
                $0.client = client.rawValue
                $0.protocolLowest = protocolVersions.lowerBound
                $0.protocolHighest = protocolVersions.upperBound
                $0.schema = EnvelopeSchema(schema)
                $0.checkpoint = EnvelopeCheckpoint(checkpoint)
                $0.held = EnvelopeQuerySet(held)
                $0.wanted = EnvelopeQuerySet(wanted)
                $0.oldest = oldest
                $0.oldestOneWay = oldestOneWay
                if let staged { $0.staged = EnvelopeStaged(staged) }
                $0.predecessor = predecessor.rawValue
                $0.opening = opening
            })
    }

    package init(payload: [UInt8]) throws(SyncFailure) {
        let envelope = try Payload(payload).envelopeAlone(EnvelopeHello.self)
        guard envelope.protocolLowest <= envelope.protocolHighest else {
            throw .malformed("hello offers protocol versions from a higher to a lower one")
        }
        // The server's own versions are nobody's: whoever called themselves so would not be told of their own writes.
        guard ClientID(envelope.client) != .nobody else {
            throw .malformed("hello names the client 0, which is nobody")
        }
        self.init(
            client: ClientID(envelope.client),
            protocolVersions: envelope.protocolLowest...envelope.protocolHighest,
            schema: try Schema(envelope.schema), checkpoint: Checkpoint(envelope.checkpoint),
            held: try QuerySet(envelope.held), wanted: try QuerySet(envelope.wanted),
            oldest: envelope.oldest, oldestOneWay: envelope.oldestOneWay,
            staged: envelope.hasStaged ? try StagedView(envelope.staged) : nil,
            predecessor: ClientID(envelope.predecessor), opening: envelope.opening)
    }
}

extension Welcome: WireMessage {
    package var payload: [UInt8] {
        Payload.encode(
            EnvelopeWelcome.with {
                $0.session = session
                $0.protocolVersion = protocolVersion
                $0.epoch = epoch
                $0.serverTime = serverTime
                $0.limits = EnvelopeLimits.with {
                    $0.frameBytes = limits.frameBytes
                    $0.creditBytes = limits.creditBytes
                    $0.heartbeatMilliseconds = limits.heartbeatMilliseconds
                    $0.operations = limits.operations
                    $0.refusals = limits.refusals
                    $0.queryTerms = limits.queryTerms
                    $0.schemaClasses = limits.schemaClasses
                    $0.schemaProperties = limits.schemaProperties
                    $0.schemaClassesOfUser = limits.schemaClassesOfUser
                    $0.schemaPropertiesOfUser = limits.schemaPropertiesOfUser
                }
                $0.committed = committed
                $0.ingested = ingested
                $0.skipped = skipped
                $0.resumes = resumes
                $0.openings = openings.runs.map(\.id)
                $0.openingFirsts = openings.runs.map(\.first)
                $0.oneWayOpenings = oneWayOpenings.runs.map(\.id)
                $0.oneWayOpeningFirsts = oneWayOpenings.runs.map(\.first)
                $0.copied = isCopied
                $0.refused = refused.map { EnvelopeRefusedOperation($0) }
            })
    }

    package init(payload: [UInt8]) throws(SyncFailure) {
        let envelope = try Payload(payload).envelopeAlone(EnvelopeWelcome.self)
        self.init(
            session: envelope.session, protocolVersion: envelope.protocolVersion, epoch: envelope.epoch,
            serverTime: envelope.serverTime,
            limits: SessionLimits(
                frameBytes: envelope.limits.frameBytes, creditBytes: envelope.limits.creditBytes,
                heartbeatMilliseconds: envelope.limits.heartbeatMilliseconds,
                operations: envelope.limits.operations, refusals: envelope.limits.refusals,
                queryTerms: envelope.limits.queryTerms, schemaClasses: envelope.limits.schemaClasses,
                schemaProperties: envelope.limits.schemaProperties,
                schemaClassesOfUser: envelope.limits.schemaClassesOfUser,
                schemaPropertiesOfUser: envelope.limits.schemaPropertiesOfUser),
            committed: try Bounds.checked(sequence: envelope.committed),
            ingested: try Bounds.checked(sequence: envelope.ingested),
            skipped: try Bounds.checked(sequence: envelope.skipped), resumes: envelope.resumes,
            openings: try Self.openings(envelope.openings, envelope.openingFirsts),
            oneWayOpenings: try Self.openings(envelope.oneWayOpenings, envelope.oneWayOpeningFirsts),
            isCopied: envelope.copied, refused: envelope.refused.map { OperationRefusal($0) })
    }

    private static func openings(_ ids: [UInt64], _ firsts: [UInt64]) throws(SyncFailure) -> Openings {
        var runs: [Openings.Run] = []
        for (id, first) in zip(ids, firsts) {
            runs.append(Openings.Run(id: id, first: try Bounds.checked(sequence: first)))
        }
        guard ids.count == firsts.count, ids.count <= Openings.countTold, let openings = Openings(runs) else {
            throw .malformed("the openings of a file that a welcome names are not in order")
        }
        return openings
    }
}

// MARK: - Parts of both

extension Checkpoint {
    init(_ envelope: EnvelopeCheckpoint) {
        self.init(
            epoch: envelope.epoch, version: ServerVersion(envelope.version), querySet: envelope.querySet,
            acknowledged: envelope.acknowledged, incarnation: envelope.incarnation, permissions: envelope.permissions,
            schema: envelope.schema, opening: envelope.opening)
    }
}

extension EnvelopeCheckpoint {
    init(_ checkpoint: Checkpoint) {
        self.init()
        epoch = checkpoint.epoch
        version = checkpoint.version.rawValue
        querySet = checkpoint.querySet
        acknowledged = checkpoint.acknowledged
        incarnation = checkpoint.incarnation
        permissions = checkpoint.permissions
        schema = checkpoint.schema
        opening = checkpoint.opening
    }
}

extension QuerySet {
    init(_ envelope: EnvelopeQuerySet) throws(SyncFailure) {
        guard envelope.queries.count <= Bounds.queries else {
            throw .tooMuch("A set of \(envelope.queries.count) queries", Bounds.queries)
        }
        for query in envelope.queries where query.predicate.utf8.count > Bounds.predicateBytes {
            throw .tooMuch("A query of \(query.predicate.utf8.count) bytes", Bounds.predicateBytes)
        }
        self.init(
            version: envelope.version,
            queries: envelope.queries.map { StandingQuery(className: $0.className, predicate: $0.predicate) })
    }
}

extension EnvelopeQuerySet {
    init(_ set: QuerySet) {
        self.init()
        version = set.version
        queries = set.queries.map { query in
            EnvelopeQuery.with {
                $0.className = query.className
                $0.predicate = query.predicate
            }
        }
    }
}
