import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

@testable import CausewayDaemon

@Suite("The admin API's calls for objects")
struct ObjectCallTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Flight",
            properties: [
                Property(name: "row", type: .int, isPrimaryKey: true), Property(name: "gate", type: .string),
                Property(name: "seats", type: .int, isIndexed: true),
                Property(name: "plane", type: .object, isOptional: true, target: "Plane"),
                Property(name: "crew", type: .object, isOptional: true, target: "Crew"),
            ]),
        ClassSchema(
            name: "Plane",
            properties: [
                Property(name: "tail", type: .string, isPrimaryKey: true), Property(name: "maker", type: .string),
            ]),
        ClassSchema(
            name: "Crew", kind: .embedded,
            properties: [Property(name: "reserve", type: .object, isOptional: true, target: "Plane")]),
    ])

    /// Runs a test over a hundred flights, every second of them with the plane `N/1`.
    private func withFlights(_ body: (AdminBench) async throws -> Void) async throws {
        try await AdminBench.run { bench in
            let store = try #require(bench.tenants["flights"]).store
            try store.extendSchema(Self.schema)
            let client = ClientID(7)
            _ = try store.register(client, user: "ada")
            let plane = ObjectReference("Plane", .string("N/1"))
            var operations = [Operation.create(plane, life: 1, fields: [FieldValue("maker", .string("A"))])]
            for row in Int64(0)..<100 {
                operations.append(
                    .create(
                        ObjectReference("Flight", .int(row)), life: 1,
                        fields: [FieldValue("gate", .string("G\(row % 7)")), FieldValue("seats", .int(row % 10))]
                            + (row % 2 == 0 ? [FieldValue("plane", .link(plane.key))] : [])))
            }
            let crew = ObjectReference("Crew", .container(ElementID(client: client, counter: 1)))
            operations += [
                .create(crew, life: 1, fields: [FieldValue("reserve", .link(plane.key))]),
                .set(ObjectReference("Flight", .int(9)), FieldValue("crew", .link(crew.key))),
            ]
            let changeset = Changeset(
                client: client, sequence: 1, stamp: Stamp(time: 1 << 16, client: client), base: store.version,
                operations: operations)
            let outcome = try store.commit(
                [UploadBatch(client: client, user: "ada", changesets: [changeset])], receivedAt: 1_000)[0]
            #expect(outcome.failure == nil)
            try await body(bench)
        }
    }

    private func rows(_ answer: JSON) -> [Int64?] { (answer["objects"]?.elements ?? []).map { $0["row"]?.int } }

    @Test("a part of a result is answered from any place, in the order that is asked for")
    func list() async throws {
        try await withFlights { bench in
            let all = try await bench.get("GET", "databases/flights/objects/Flight?limit=3")
            #expect(all["count"]?.int == 100 && all["from"]?.int == 0 && rows(all) == [0, 1, 2])
            #expect(all["objects"]?.elements?.first?["plane"]?["$id"]?.string == "N/1")
            let sorted = try await bench.get(
                "GET",
                "databases/flights/objects/Flight?where=seats%20%3E%207&sort=-seats,row&from=9&limit=2&fields=seats")
            #expect(sorted["count"]?.int == 20 && rows(sorted) == [99, 8])
            #expect(sorted["objects"]?.elements?.first?.members?.map(\.name.string) == ["row", "seats"])
            let behind = try await bench.get("GET", "databases/flights/objects/Flight?from=100")
            #expect(rows(behind) == [] && behind["count"]?.int == 100)
        }
    }

    @Test("the whole query language is answered: through links, and with SORT, DISTINCT and LIMIT")
    func language() async throws {
        try await withFlights { bench in
            let made = try await bench.get(
                "GET",
                "databases/flights/objects/Flight?where=plane.maker%20%3D%3D%20%27A%27%20SORT(row%20DESC)%20LIMIT(2)")
            #expect(rows(made) == [98, 96] && made["count"]?.int == 2)
            let distinct = try await bench.get(
                "GET", "databases/flights/objects/Flight?where=TRUEPREDICATE%20DISTINCT(gate)")
            #expect(rows(distinct) == [0, 1, 2, 3, 4, 5, 6])
            let plan = try await bench.get("GET", "databases/flights/plan/Flight?where=seats%20%3D%3D%203&sort=row")
            #expect(plan["plan"]?.string?.contains("seats") == true)
            #expect(plan["plan"]?.string?.hasSuffix("then sort") == true)
        }
    }

    @Test("what cannot be answered is refused with its cause")
    func refusals() async throws {
        try await withFlights { bench in
            let flights = "databases/flights/objects/Flight"
            try await bench.expect(400, "queryInvalid", "GET", flights + "?where=nothing%20%3D%3D")
            try await bench.expect(400, "queryInvalid", "GET", flights + "?sort=nothing")
            try await bench.expect(400, "requestInvalid", "GET", flights + "?fields=nothing")
            try await bench.expect(404, "classUnknown", "GET", "databases/flights/objects/Nothing")
            try await bench.expect(404, "classUnknown", "GET", "databases/flights/objects/Crew")
            try await bench.expect(404, "objectUnknown", "GET", flights + "/100")
            try await bench.expect(404, "objectUnknown", "GET", flights + "/x")
            try await bench.expect(404, "databaseUnknown", "GET", "databases/none/objects/Flight")
        }
    }

    @Test("the objects that link to one are counted and named, those too that hold an embedded object which does")
    func links() async throws {
        try await withFlights { bench in
            let answer = try await bench.get("GET", "databases/flights/objects/Plane/N%2F1/links")
            let links = try #require(answer["links"]?.elements)
            let words = links.map {
                "\($0["class"]?.string ?? "").\($0["property"]?.string ?? "") \($0["count"]?.int ?? 0)"
            }
            #expect(words.sorted() == ["Crew.reserve 1", "Flight.plane 50"])
            let holder = links.first { $0["class"]?.string == "Crew" }?["objects"]?.elements?.first
            #expect(holder?["$ref"]?.string == "Flight" && holder?["$id"]?.int == 9)
            #expect(links.first { $0["class"]?.string == "Flight" }?["objects"]?.elements?.count == 20)
        }
    }

    @Test("an object is created, changed and deleted, and its history says by whom")
    func edits() async throws {
        try await withFlights { bench in
            let one = "databases/flights/objects/Flight/500"
            let made = try await bench.get(
                "POST", "databases/flights/objects/Flight", #"{"row": 500, "gate": "X"}"#, status: 201)
            #expect(made["created"] == .bool(true))
            try await bench.get("PATCH", one, #"{"gate": "Y"}"#)
            try await bench.expect(409, "objectExists", "POST", "databases/flights/objects/Flight", #"{"row": 500}"#)
            try await bench.expect(400, "valueInvalid", "PATCH", one, #"{"gate": 5}"#)
            #expect(try await bench.get("GET", one)["gate"]?.string == "Y")
            try await bench.get("DELETE", one)
            try await bench.expect(404, "objectUnknown", "GET", one)
            try await bench.expect(404, "objectUnknown", "DELETE", one)
            let history = try await bench.get("GET", one + "/history?limit=2")
            let events = try #require(history["events"]?.elements)
            #expect(events.map { $0["kind"]?.string } == ["deleted", "updated"])
            #expect(events.map { $0["user"]?.string } == [AdminDesk.editor, AdminDesk.editor])
            #expect(events[1]["before"]?["gate"]?.string == "X" && events[1]["after"]?["gate"]?.string == "Y")
            let next = try #require(history["next"]?.string)
            let earlier = try await bench.get("GET", one + "/history?before=\(next)")
            #expect(earlier["events"]?.elements?.map { $0["kind"]?.string } == ["created"])
            #expect(earlier["next"] == nil && earlier["oldest"]?.int == 1)
        }
    }

    @Test("a change of what somebody else has changed meanwhile is refused")
    func preconditions() async throws {
        try await withFlights { bench in
            let one = "databases/flights/objects/Flight/5"
            let tag = try #require(try await bench.answer("GET", one).header("etag"))
            try await bench.get("PATCH", one, #"{"gate": "mine"}"#)
            let late = try await bench.answer("PATCH", one, #"{"gate": "late"}"#, headers: ["if-match": tag])
            #expect(late.status == 412)
            let fresh = try #require(try await bench.answer("GET", one).header("etag"))
            #expect(try await bench.answer("DELETE", one, headers: ["if-match": fresh]).status == 200)
        }
    }

    @Test("devices are sent what an administrator changes, as any other change")
    func version() async throws {
        try await withFlights { bench in
            let store = try #require(bench.tenants["flights"]).store
            let version = store.version
            try await bench.get("PATCH", "databases/flights/objects/Flight/5", #"{"gate": "Z"}"#)
            #expect(store.version.rawValue == version.rawValue + 1)
        }
    }

    @Test("what there is to look at is said first")
    func about() async throws {
        try await AdminBench.run { bench in
            let about = try await bench.get("GET", "about")
            #expect(about["kind"]?.string == "server" && about["isWritable"] == .bool(true))
        }
    }
}
