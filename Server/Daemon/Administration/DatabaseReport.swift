import CausewayAdmin
import CausewayBackup
import CausewayJSON
import CausewayModel
import CausewaySession
import CausewaySinks
import CausewayStorage
import CausewayStore
import CausewayStoreEmbedded

/// What an administrator is told of a database.
struct DatabaseReport: Sendable {
    var name: String
    var folder: String
    var version: UInt64
    /// The threads that have not answered for ten seconds.
    var lateThreads: [String]
    /// Nil where they could not be read in time.
    var record: RecordStatistics?
    var sessions: SessionCensus?
    /// When the newest backup began, in milliseconds since 1970; zero where there is none.
    var lastBackup: UInt64
    var carriers: [CarrierFacts]
    /// Nil in a list.
    var classes: [ClassCount]?
}

/// How far a webhook or sink is.
struct CarrierFacts: Sendable {
    var name: String
    var now: CarrierState.Snapshot
}

extension AdminDesk {
    func report(of tenant: Tenant) async -> DatabaseReport {
        let facts = await tenant.gauges.facts()
        let backups = scheduled.map {
            BackupFolder.backups(of: tenant.name, epoch: tenant.store.epoch, in: $0.work.plan.folder)
        }
        let states = tenant.carrying?.states ?? []
        return DatabaseReport(
            name: tenant.name, folder: tenant.folder, version: tenant.store.version.rawValue,
            lateThreads: tenant.conversations.lateThreads, record: facts?.record, sessions: facts?.census,
            lastBackup: backups?.last?.name.time ?? 0,
            carriers: states.map { CarrierFacts(name: $0.name, now: $0.now) })
    }

    /// The classes with the number of their objects.
    func classes(of tenant: Tenant) async throws(AdminError) -> [ClassCount] {
        let store = tenant.store
        return try await work(tenant) { () throws(StoreFailure) in try store.classCounts() }
    }
}

extension DatabaseReport {
    func append(to json: inout JSONWriter) {
        json.object { json in
            json.field("name", name)
            json.field("folder", folder)
            json.field("version", version)
            json.field("answers", lateThreads.isEmpty)
            if !lateThreads.isEmpty {
                json.name("lateThreads")
                json.array(lateThreads) { $1.write($0) }
            }
            if let record { append(record, to: &json) }
            if let sessions { append(sessions, to: &json) }
            json.field("lastBackup", time: lastBackup)
            json.name("carriers")
            json.array(carriers) { carrier, json in
                json.object { json in
                    json.field("name", carrier.name)
                    json.field("waiting", carrier.now.newest - min(carrier.now.position, carrier.now.newest))
                    json.field("taken", carrier.now.taken)
                    json.field("failure", ifAny: carrier.now.failure)
                }
            }
            guard let classes else { return }
            json.name("classes")
            json.array(classes) { count, json in
                json.object { json in
                    json.field("name", count.name)
                    json.field("kind", "\(count.kind)")
                    json.field("objects", count.objects)
                }
            }
        }
    }

    private func append(_ record: RecordStatistics, to json: inout JSONWriter) {
        json.name("file")
        json.object { json in
            json.field("bytes", record.file.sizeBytes)
            json.field("usedBytes", record.file.usedBytes)
            json.field("freeBytes", record.file.freeBytes)
            json.field("pinnedBytes", record.file.pinnedBytes)
        }
        json.name("history")
        json.object { json in
            json.field("versions", record.historyVersions)
            json.field("bytes", record.historyBytes)
            json.field("oldest", time: record.oldestTime)
        }
    }

    private func append(_ census: SessionCensus, to json: inout JSONWriter) {
        json.name("sessions")
        json.object { json in
            for state in SessionCensus.State.allCases where state != .over {
                json.field(state.rawValue, census.counts[state] ?? 0)
            }
        }
    }
}

extension Outage {
    func append(to json: inout JSONWriter) {
        json.object { json in
            json.field("name", name)
            json.field("folder", folder)
            json.field("reason", reason)
            json.field("since", time: since)
        }
    }
}

extension DatabaseReport {
    static let schemas = """
            Databases:
              type: object
              required: [databases]
              additionalProperties: false
              properties:
                databases:
                  type: array
                  items: {$ref: '#/components/schemas/Database'}
                notOpen:
                  type: array
                  items:
                    type: object
                    required: [name, folder, reason, since]
                    additionalProperties: false
                    properties:
                      name: {type: string}
                      folder: {type: string}
                      reason: {type: string}
                      since: {type: string}
                next: {type: string}
            Database:
              type: object
              required: [name, folder, version, answers, carriers]
              additionalProperties: false
              properties:
                name: {type: string}
                folder: {type: string}
                version: {type: integer}
                answers: {type: boolean}
                lateThreads: {type: array, items: {type: string}}
                file:
                  type: object
                  required: [bytes, usedBytes, freeBytes, pinnedBytes]
                  additionalProperties: false
                  properties:
                    bytes: {type: integer}
                    usedBytes: {type: integer}
                    freeBytes: {type: integer}
                    pinnedBytes: {type: integer}
                history:
                  type: object
                  required: [versions, bytes]
                  additionalProperties: false
                  properties:
                    versions: {type: integer}
                    bytes: {type: integer}
                    oldest: {type: string, format: date-time}
                sessions:
                  type: object
                  required: [\(SessionCensus.State.allCases.filter { $0 != .over }.map(\.rawValue).joined(separator: ", "))]
                  additionalProperties: {type: integer}
                lastBackup: {type: string, format: date-time}
                carriers:
                  type: array
                  items:
                    type: object
                    required: [name, waiting, taken]
                    additionalProperties: false
                    properties:
                      name: {type: string}
                      waiting: {type: integer}
                      taken: {type: integer}
                      failure: {type: string}
                classes:
                  type: array
                  items:
                    type: object
                    required: [name, kind, objects]
                    additionalProperties: false
                    properties:
                      name: {type: string}
                      kind: {enum: [object, embedded, asymmetric]}
                      objects: {type: integer}

        """
}
