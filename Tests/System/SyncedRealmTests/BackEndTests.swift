import CausewayJSON
import Causeway
import CausewayDataAPI
import CausewayEndpoint
import CausewayHTTP
import CausewayIdentity
import CausewaySession
import CausewayWire
import Foundation
import Testing

@Suite("A back end and devices on one database", .serialized)
@MainActor
struct BackEndTests {
    private let all: @Sendable (SyncSubscriptionSet) -> Void = { $0.append(QuerySubscription<Chore>()) }

    /// Everybody is the back end.
    private struct Anybody: Authenticator {
        func caller(for token: String, database: String) throws(SyncFailure) -> KnownCaller { KnownCaller(user: token) }
    }

    private func call(_ bench: Bench, _ method: String, _ path: String, _ body: String = "") async throws -> JSON {
        let api = DataAPI(
            databases: ["bench": bench.conversations], authenticator: Anybody())
        let head = try #require(
            HTTPHead(
                method: method, target: "/api/v1/bench/\(path)",
                headers: [HTTPHead.Header("authorization", "Bearer back-end")]))
        let answer = await api.answer(HTTPRequest(head, body: Array(body.utf8)))
        guard case .whole(let bytes) = answer.body else {
            throw SyncFailure(.requestUnknown, "The answer is a stream.")
        }
        #expect((200...201).contains(answer.status), "\(String(decoding: bytes, as: UTF8.self))")
        return try JSONReader.read(bytes)
    }

    /// Waits until a device shows what a back end has written. It is told without asking.
    private func shows(_ realm: Realm, _ holds: (Realm) -> Bool) async throws {
        for _ in 0..<3_000 {
            realm.refresh()
            if holds(realm) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("The device was not told.")
    }

    @Test("a device is told at once what a back end writes, in every kind of property")
    func down() async throws {
        let bench = try Bench()
        let device = try Realm(configuration: try await bench.configuration("a", initial: all))
        try await device.syncSession?.wait(for: .download)
        _ = try await call(
            bench, "POST", "transaction",
            #"""
            {"operations": [
              {"create": "Person", "object": {"name": "ann", "age_in_years": 30}},
              {"create": "Chore", "object": {"id": 1, "title": "wash", "owner": {"$ref": "Person", "$id": "ann"},
                "labels": ["a", "b"], "hours": {"mon": 1}, "story": "once", "details": {"list": [1, {"deep": true}]},
                "notes": ["x", 2]}}]}
            """#)
        try await shows(device) { $0.object(ofType: Chore.self, forPrimaryKey: 1) != nil }
        let chore = try #require(device.object(ofType: Chore.self, forPrimaryKey: 1))
        #expect(chore.title == "wash" && Set(chore.labels) == ["a", "b"] && chore.hours["mon"] == 1)
        #expect(chore.story.string == "once" && chore.notes.count == 2)
        _ = try await call(
            bench, "PATCH", "objects/Chore/1",
            #"""
            {"title": "dry", "labels": {"$remove": ["a"]}, "hours": {"$put": {"tue": 2}},
             "story": {"$splice": {"at": 4, "insert": " more"}}, "notes": {"$append": [null]}, "details": 5}
            """#)
        try await shows(device) { $0.object(ofType: Chore.self, forPrimaryKey: 1)?.title == "dry" }
        #expect(Set(chore.labels) == ["b"] && chore.hours["tue"] == 2 && chore.story.string == "once more")
        #expect(chore.notes.count == 3 && chore.details == .int(5))
        _ = try await call(bench, "DELETE", "objects/Chore/1")
        try await shows(device) { $0.objects(Chore.self).isEmpty }
        await bench.end()
    }

    @Test("a back end reads what a device has written, and their edits merge")
    func up() async throws {
        let bench = try Bench()
        let device = try Realm(configuration: try await bench.configuration("a", initial: all))
        try device.write {
            device.create(Chore.self, value: ["id": 7, "title": "cook", "labels": ["x"], "story": "the end"])
        }
        try await device.syncSession?.wait(for: .upload)
        let read = try await call(bench, "GET", "objects/Chore/7")
        #expect(read["title"] == .string("cook") && read["labels"] == .array([.string("x")]))
        #expect(read["story"] == .string("the end"))
        // Both edit offline from each other.
        bench.cutOff("a")
        let chore = try #require(device.object(ofType: Chore.self, forPrimaryKey: 7))
        try device.write {
            chore.labels.insert("device")
            chore.story.insert("not ", at: 0)
            chore.priority = 3
        }
        _ = try await call(
            bench, "PATCH", "objects/Chore/7",
            #"{"labels": {"$add": ["back end"]}, "story": "the very end", "title": "bake"}"#)
        try await bench.rejoin(["a": device])
        let merged = try await call(bench, "GET", "objects/Chore/7")
        #expect(merged["labels"] == .array([.string("back end"), .string("device"), .string("x")]))
        #expect(merged["story"] == .string("not the very end") && merged["priority"] == .number("3"))
        device.refresh()
        #expect(chore.title == "bake" && Set(chore.labels) == ["back end", "device", "x"])
        #expect(chore.story.string == "not the very end")
        await bench.end()
    }
}
