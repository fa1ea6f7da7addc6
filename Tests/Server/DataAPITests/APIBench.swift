import CausewayJSON
import CausewayDataAPI
import CausewayEndpoint
import CausewayHTTP
import CausewayIngest
import CausewayLimits
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewayWire
import Synchronization
import Testing

/// The API of a server's core in this process: requests are answered without a socket.
final class APIBench: Sendable {
    let store: StoreEmbedded
    let conversations: Conversations
    let api: DataAPI
    let folder: String
    /// What callers may do, as the permission office says at the moment; nil is everything.
    let rules: Rules
    /// What the API has told of.
    let events = Events()

    static let database = "garden"

    init(
        _ name: String = #function, folder: String? = nil, schema: Schema = APIBench.schema, rules: AccessRules? = nil,
        limits: APILimits = APILimits(), rates: Rates = .unlimited, now: UInt64 = 1_000_000
    ) throws {
        self.folder = folder ?? "api-\(name)-\(UInt64.random(in: 0...UInt64.max))"
        self.rules = Rules(rules)
        store = try StoreEmbedded.open(
            folder: self.folder, options: StoreEmbedded.Options(mapSizeBytes: 1 << 28, inMemory: true),
            epochSeed: UInt64.random(in: 1...UInt64.max))
        try store.extendSchema(schema)
        conversations = Conversations(
            backend: store, intake: Intake(store), rates: RateGate(rates, now: { 0 }, reached: events.note),
            now: { now })
        api = DataAPI(
            databases: [Self.database: conversations], authenticator: Names(rules: self.rules), limits: limits,
            observer: events)
    }

    final class Events: APIObserver {
        private let told = Mutex<[APIEvent]>([])

        var all: [APIEvent] { told.withLock { $0 } }

        private let limits = Mutex<[LimitReached]>([])
        /// Limits that somebody has met.
        var met: [LimitReached] { limits.withLock { $0 } }

        func note(_ reached: LimitReached) { limits.withLock { $0.append(reached) } }

        func observe(_ event: APIEvent) { told.withLock { $0.append(event) } }
    }

    /// Another server on the same database, as after a restart.
    func restarted() throws -> APIBench { try APIBench(folder: folder, rules: rules.value) }

    final class Rules: Sendable {
        private let state: Mutex<AccessRules?>

        init(_ rules: AccessRules?) { state = Mutex(rules) }

        var value: AccessRules? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// A token is a user's name; `bad` is none.
    private struct Names: Authenticator {
        let rules: Rules

        func caller(for token: String, database: String) throws(SyncFailure) -> KnownCaller {
            guard token != "bad" else { throw SyncFailure(.tokenInvalid, "The token is not one of ours.") }
            let access = Access(expires: .max, claims: 0) { [rules] in rules.value.map { Permissions($0) } }
            return KnownCaller(user: token, access: access)
        }
    }

    struct Reply {
        var status: Int
        var headers: [HTTPHead.Header]
        var text: String
        var json: JSON

        func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
        /// The code of an error.
        var code: String? { json["code"]?.string }
        var version: Int64? { json["version"]?.int }
        var objects: [JSON] { json["objects"]?.elements ?? [] }
    }

    @discardableResult
    func call(
        _ method: String, _ path: String, _ body: String? = nil, as user: String? = "ann",
        _ headers: [String: String] = [:]
    ) async throws -> Reply {
        try await call(method, path, bytes: body.map { Array($0.utf8) } ?? [], as: user, headers)
    }

    /// The OpenAPI document, without a token.
    func document() async throws -> Reply {
        try await reply(try #require(HTTPHead(method: "GET", target: "/api/v1/openapi.yaml")), bytes: [])
    }

    func call(
        _ method: String, _ path: String, bytes: [UInt8], as user: String? = "ann", _ headers: [String: String] = [:]
    ) async throws -> Reply {
        var given = headers.map { HTTPHead.Header($0.key.lowercased(), $0.value) }
        if let user { given.append(HTTPHead.Header("authorization", "Bearer \(user)")) }
        let target = "/api/v1/\(Self.database)/\(path)"
        return try await reply(try #require(HTTPHead(method: method, target: target, headers: given)), bytes: bytes)
    }

    private func reply(_ head: HTTPHead, bytes: [UInt8]) async throws -> Reply {
        let answer =
            switch api.admit(head) {
            case .refused(let answer): answer
            case .body(let bytesMax):
                bytes.count <= bytesMax
                    ? await api.answer(HTTPRequest(head, body: bytes))
                    : api.answer(to: .bodyTooLarge(bytesMax: bytesMax), of: head)
            }
        guard case .whole(let bytes) = answer.body else {
            Issue.record("The answer is a stream.")
            return Reply(status: 0, headers: [], text: "", json: .null)
        }
        return Reply(
            status: answer.status, headers: answer.headers, text: String(decoding: bytes, as: UTF8.self),
            json: (try? JSONReader.read(bytes)) ?? .null)
    }
}

extension APIBench {
    /// Every type, alone and in every collection that may hold it.
    static let schema = Schema([
        ClassSchema(
            name: "Plant",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "name", type: .string),
                Property(name: "nick", type: .string, isOptional: true),
                Property(name: "isWet", type: .bool),
                Property(name: "height", type: .float),
                Property(name: "weight", type: .double),
                Property(name: "price", type: .decimal128, isOptional: true),
                Property(name: "seed", type: .data),
                Property(name: "sown", type: .date),
                Property(name: "tag", type: .objectId),
                Property(name: "code", type: .uuid),
                Property(name: "any", type: .mixed, isOptional: true),
                Property(name: "bed", type: .object, isOptional: true, target: "Bed"),
                Property(name: "pot", type: .object, isOptional: true, target: "Pot"),
                Property(name: "visits", type: .int, isCounter: true),
                Property(name: "notes", type: .string, isText: true),
                Property(name: "colours", type: .string, collection: .list),
                Property(name: "pots", type: .object, collection: .list, target: "Pot"),
                Property(name: "things", type: .mixed, collection: .list, isOptional: true),
                Property(name: "beds", type: .object, collection: .set, target: "Bed"),
                Property(name: "labels", type: .string, collection: .set),
                Property(name: "ratings", type: .int, collection: .map),
                Property(name: "loose", type: .mixed, collection: .map, isOptional: true),
                Property(name: "named", type: .object, collection: .map, isOptional: true, target: "Pot"),
            ]),
        ClassSchema(
            name: "Bed",
            properties: [
                Property(name: "_id", type: .string, isPrimaryKey: true), Property(name: "sun", type: .int),
            ]),
        ClassSchema(
            name: "Ticket",
            properties: [
                Property(name: "_id", type: .objectId, isPrimaryKey: true), Property(name: "row", type: .int),
            ]),
        ClassSchema(
            name: "Pass",
            properties: [
                Property(name: "_id", type: .uuid, isPrimaryKey: true), Property(name: "row", type: .int),
            ]),
        ClassSchema(
            name: "Pot", kind: .embedded,
            properties: [
                Property(name: "size", type: .int), Property(name: "marks", type: .string, collection: .list),
                Property(name: "inner", type: .object, isOptional: true, target: "Pot"),
            ]),
    ])

    static func rule(_ text: String) throws -> AccessRules.Rule { .when(try Predicate.parse(text)) }
}
