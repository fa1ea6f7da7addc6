import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStore
import CausewayTelemetry
import CausewayWire
import Logging

/// Counts, logs and audits what happens in the sessions of one database.
struct SessionTelemetry: SessionObserver {
    private let database: String
    private let telemetry: Telemetry
    private let series: Series
    private let spans: UploadSpans?

    /// What is counted often, looked up once.
    private struct Series {
        let opened, told, shared, creditWaits, merged, uploads, concerned, evaluated, matched: CounterSeries
        let ingested, ingestedEntries: CounterSeries
        let queue, commit, toldTime, ingest: HistogramSeries

        init(_ registry: MetricRegistry, _ database: String) {
            func counter(_ definition: MetricDefinition) -> CounterSeries { registry.counter(definition, database) }
            func histogram(_ definition: MetricDefinition) -> HistogramSeries {
                registry.histogram(definition, database)
            }
            opened = counter(MetricCatalog.sessionsOpened)
            told = registry.counter(MetricCatalog.sessionsTold, database, "own")
            shared = registry.counter(MetricCatalog.sessionsTold, database, "shared")
            creditWaits = counter(MetricCatalog.creditWaits)
            merged = counter(MetricCatalog.operationsMerged)
            uploads = registry.counter(MetricCatalog.uploads, database, "ok")
            concerned = counter(MetricCatalog.audiencesConcerned)
            evaluated = counter(MetricCatalog.predicatesEvaluated)
            matched = counter(MetricCatalog.predicatesMatched)
            ingested = registry.counter(MetricCatalog.ingestBatches, database, "ok")
            ingestedEntries = counter(MetricCatalog.ingestEntries)
            queue = histogram(MetricCatalog.queueSeconds)
            commit = histogram(MetricCatalog.commitSeconds)
            toldTime = histogram(MetricCatalog.toldSeconds)
            ingest = histogram(MetricCatalog.ingestSeconds)
            // Those that are rare are there from the start: a rate needs a first value.
            for definition in [MetricCatalog.slowCommits, MetricCatalog.slowQueries, MetricCatalog.schemaAdditions] {
                _ = counter(definition)
            }
            for ending in [SessionEnding.gone, .replaced, .idle] {
                _ = registry.counter(MetricCatalog.sessionsEnded, database, ending.name)
            }
        }
    }

    init(database: String, telemetry: Telemetry) {
        self.database = database
        self.telemetry = telemetry
        series = Series(telemetry.registry, database)
        spans = UploadSpans(database: database)
    }

    func observe(_ event: SessionEvent) {
        switch event {
        case .greeted(let greeting): note(greeting)
        case .ended(let party, let ending, let milliseconds): note(party, ending, lifeMilliseconds: milliseconds)
        case .schemaExtended(let party, let additions): note(party, additions: additions)
        case .uploaded(let uploaded): note(uploaded)
        case .committed(let committed): note(committed)
        case .looked(let looked):
            series.concerned.add(looked.audiencesConcerned)
            series.evaluated.add(looked.predicatesEvaluated)
            series.matched.add(looked.predicatesMatched)
            spans?.looked(through: looked.through, audiences: looked.audiencesConcerned)
        case .told(let told):
            (told.isShared ? series.shared : series.told).add(told.sessions)
            series.toldTime.observe(nanoseconds: told.nanoseconds)
        case .creditWaited: series.creditWaits.add()
        case .searched(let party, let queries, let nanoseconds):
            if nanoseconds >= telemetry.slowNanoseconds { noteSlow(party, queries, nanoseconds) }
        case .ingested(let ingested): note(ingested)
        }
    }

    private func count(_ definition: MetricDefinition, _ label: String, _ amount: Int = 1) {
        telemetry.registry.counter(definition, database, label).add(amount)
    }

    private func metadata(_ party: SessionParty, _ more: Logger.Metadata = [:]) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "database": "\(database)", "user": .text(party.user), "client": "\(party.client)",
        ]
        if party.session != 0 { metadata["session"] = "\(party.session)" }
        return metadata.merging(more) { $1 }
    }

    // MARK: - Sessions

    private func note(_ greeting: Greeting) {
        let party = greeting.party
        let offered = "\(greeting.protocolVersions.lowerBound)-\(greeting.protocolVersions.upperBound)"
        switch greeting.outcome {
        case .opened(let version):
            series.opened.add()
            count(MetricCatalog.hellos, "ok")
            telemetry.events.note(
                "session opened", from: party.address,
                metadata(party, ["protocol": .number(version), "offered": "\(offered)"]))
        case .copied:
            count(MetricCatalog.hellos, "copied")
            telemetry.events.note(
                "another copy of a device's file is online: it goes on as another client", from: party.address,
                metadata(party))
        case .refused(let code):
            count(MetricCatalog.hellos, code.name)
            telemetry.events.note(
                "session refused", from: party.address,
                metadata(party, ["code": "\(code.name)", "offered": "\(offered)"]))
        }
    }

    private func note(_ party: SessionParty, _ ending: SessionEnding, lifeMilliseconds: UInt64) {
        count(MetricCatalog.sessionsEnded, ending.name)
        telemetry.events.note(
            "session ended", from: party.address,
            metadata(party, ["reason": "\(ending.name)", "seconds": .number(lifeMilliseconds / 1_000)]))
    }

    private func note(_ party: SessionParty, additions: [String]) {
        telemetry.registry.counter(MetricCatalog.schemaAdditions, database).add(additions.count)
        let named = additions.prefix(Self.additionsNamed).joined(separator: "; ")
        telemetry.events.note(
            "schema extended", from: party.address,
            metadata(party, ["count": .number(additions.count), "additions": .text(named)]))
        telemetry.audit(
            AuditEvent(
                .schemaExtended, database: database, user: party.user, address: party.address, subject: named))
    }

    private static let additionsNamed = 20

    // MARK: - Uploads

    private func note(_ uploaded: Uploaded) {
        if let failure = uploaded.failure {
            count(MetricCatalog.uploads, failure.name)
            telemetry.events.note(
                "upload refused", from: uploaded.party.address,
                metadata(uploaded.party, ["code": "\(failure.name)"]))
        } else {
            series.uploads.add()
        }
        series.merged.add(uploaded.tally.merged)
        for refused in uploaded.tally.refused { note(refused, of: uploaded.party) }
    }

    private func note(_ refused: RefusedOperations, of party: SessionParty) {
        count(MetricCatalog.operationsRefused, refused.code.name, refused.count)
        telemetry.events.note(
            "operations refused", from: party.address,
            metadata(
                party,
                [
                    "class": .text(refused.className), "code": "\(refused.code.name)", "count": .number(refused.count),
                ]))
        guard refused.code == .permissionDenied else { return }
        telemetry.operationsDenied(
            refused.count, of: refused.className, database: database, user: party.user, from: party.address,
            code: refused.code.name)
    }

    private func note(_ committed: Committed) {
        for nanoseconds in committed.queuedNanoseconds { series.queue.observe(nanoseconds: nanoseconds) }
        series.commit.observe(nanoseconds: committed.nanoseconds)
        if committed.failure == nil { spans?.committed(committed) }
        guard committed.nanoseconds >= telemetry.slowNanoseconds else { return }
        telemetry.registry.counter(MetricCatalog.slowCommits, database).add()
        telemetry.events.note(
            "slow commit",
            [
                "database": "\(database)", "milliseconds": .number(committed.nanoseconds / 1_000_000),
                "uploads": .number(committed.queuedNanoseconds.count), "operations": .number(committed.operations),
                "largestOfUser": .text(committed.user), "largestOfClient": "\(committed.client)",
            ])
    }

    private func noteSlow(_ party: SessionParty, _ queries: QuerySet, _ nanoseconds: UInt64) {
        telemetry.registry.counter(MetricCatalog.slowQueries, database).add()
        let texts = queries.queries.prefix(Self.queriesNamed).map {
            "\($0.className): \(MaskedQuery.text($0.predicate))"
        }
        telemetry.events.note(
            "slow query", from: party.address,
            metadata(
                party,
                [
                    "milliseconds": .number(nanoseconds / 1_000_000), "queries": .number(queries.queries.count),
                    "texts": .array(texts.map { .text($0) }),
                ]))
    }

    private static let queriesNamed = 5

    // MARK: - One-way data

    private func note(_ ingested: Ingested) {
        series.ingest.observe(nanoseconds: ingested.nanoseconds)
        series.ingestedEntries.add(ingested.entries)
        guard let failure = ingested.failure else { return series.ingested.add() }
        count(MetricCatalog.ingestBatches, failure.name)
        telemetry.events.note(
            "one-way data refused", from: ingested.address,
            [
                "database": "\(database)", "user": .text(ingested.user), "client": "\(ingested.client)",
                "code": "\(failure.name)",
            ])
    }
}

extension SessionEnding {
    var name: String {
        switch self {
        case .gone: "gone"
        case .replaced: "replaced"
        case .idle: "idle"
        case .failed(let code): code.name
        }
    }
}
