import CausewayAdmin
import CausewayJSON
import CausewayModel
import CausewaySession
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
    /// Nil in a list.
    var classes: [ClassCount]?
}

extension Tenant {
    func report() async -> DatabaseReport {
        let facts = await gauges.facts()
        return DatabaseReport(
            name: name, folder: folder, version: store.version.rawValue, lateThreads: conversations.lateThreads,
            record: facts?.record, sessions: facts?.census)
    }
}

extension AdminDesk {
    /// The classes with the number of their objects.
    func classes(of tenant: Tenant) async throws(AdminError) -> [ClassCount] {
        do throws(StoreFailure) {
            return try await tenant.conversations.work { () throws(StoreFailure) in try tenant.store.classCounts() }
        } catch {
            throw AdminError(error)
        }
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
                next: {type: string}
            Database:
              type: object
              required: [name, folder, version, answers]
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
