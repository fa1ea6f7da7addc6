import CausewayAdmin
import CausewayFiles
import CausewayFolders
import CausewayHTTP
import CausewayJSON
import CausewayModel
import CausewayObjectStore
import Testing

@Suite("Browsing a file")
struct BrowseTests {
    private static let token = String(repeating: "t", count: AdminAccess.tokenBytesMin)

    /// A file in the hands of whoever browses it.
    private struct Browsed {
        let service: AdminService

        init(_ path: String, isWritable: Bool, key: [UInt8]? = nil) throws {
            let opened = try isWritable ? OpenedFile.change(path, key: key) : OpenedFile.inspect(path, key: key)
            service = AdminService(
                .browsing(try BrowsedFile(opened, isWritable: isWritable)),
                access: AdminAccess(
                    token: BrowseTests.token, isPeerVerified: false, isMonitoringOpen: false, isLocal: true))
        }

        func call(
            _ method: String, _ path: String, _ body: String = "", headers: [String: String] = [:]
        ) async throws -> (status: Int, json: JSON, tag: String?) {
            let all = ["authorization": "Bearer \(BrowseTests.token)", "host": "localhost"].merging(headers) { $1 }
            let head = try #require(
                HTTPHead(
                    method: method, target: "/admin/v1/" + path, headers: all.map { .init($0.key, $0.value) }))
            let answer =
                switch service.admit(head) {
                case .refused(let answer): answer
                case .body: await service.answer(HTTPRequest(head, body: Array(body.utf8)))
                }
            guard case .whole(let bytes) = answer.body else { throw Streamed() }
            return (
                answer.status, try JSONReader.read(bytes), answer.headers.first { $0.name == "etag" }?.value
            )
        }

        private struct Streamed: Error {}

        /// Everything that is in the file, with its version.
        func objects() async throws -> [JSON] {
            var all: [JSON] = []
            for name in ["Dog", "Home"] {
                all.append(try await call("GET", "databases/homes.realm/objects/\(name)?limit=1000").json)
            }
            return all
        }
    }

    private func withHomes(
        isWritable: Bool = true, _ body: (Browsed, _ path: String) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("homes.realm")
        try Files.makeHomes(path, dogs: 30)
        try await body(Browsed(path, isWritable: isWritable), path)
    }

    @Test("objects are listed, found and followed; those without a primary key are named by their row")
    func reading() async throws {
        try await withHomes(isWritable: false) { file, _ in
            let about = try await file.call("GET", "about").json
            #expect(about["kind"]?.string == "file" && about["name"]?.string == "homes.realm")
            #expect(about["isWritable"] == .bool(false))
            let found = try await file.call(
                "GET",
                "databases/homes.realm/objects/Dog?where=home.street%20%3D%3D%20%27Main%27%20SORT(id%20DESC)&limit=1")
            #expect(found.json["count"]?.int == 30)
            let dog = try #require(found.json["objects"]?.elements?.first)
            #expect(dog["id"]?.int == 30 && dog["home"]?["$row"]?.int == 0)
            let home = try await file.call("GET", "databases/homes.realm/objects/Home/0").json
            #expect(home["$row"]?.int == 0 && home["street"]?.string == "Main")
            let links = try await file.call("GET", "databases/homes.realm/objects/Home/0/links").json["links"]
            #expect(links?.elements?.first?["count"]?.int == 30)
            let schema = try await file.call("GET", "databases/homes.realm/schema").json["classes"]?.elements
            #expect(schema?.map { $0["objects"]?.int } == [30, 1])
            #expect(schema?.first?["properties"]?.elements?.last?["target"]?.string == "Home")
        }
    }

    @Test("without being asked to, nothing can be changed")
    func readOnly() async throws {
        try await withHomes(isWritable: false) { file, _ in
            let before = try await file.objects()
            let answer = try await file.call("PATCH", "databases/homes.realm/objects/Dog/3", #"{"name": "x"}"#)
            #expect(answer.status == 405)
            #expect(try await file.objects() == before)
        }
    }

    @Test("objects are created, changed and deleted, and another who has the file open sees it")
    func edits() async throws {
        try await withHomes { file, path in
            let made = try await file.call(
                "POST", "databases/homes.realm/objects/Dog", #"{"id": 99, "home": {"$ref": "Home", "$row": 0}}"#)
            #expect(made.status == 201 && made.json["key"]?.int == 99)
            #expect(try await file.call("DELETE", "databases/homes.realm/objects/Dog/1").status == 200)
            let patched = try await file.call(
                "PATCH", "databases/homes.realm/objects/Dog/2", #"{"id": 2, "name": "Max", "home": null}"#)
            #expect(patched.status == 200)
            let home = try await file.call("POST", "databases/homes.realm/objects/Home", #"{"street": "Side"}"#)
            #expect(home.json["key"]?.int == 1)
            let lines = try Exports.lines(path)
            #expect(!lines.contains { $0.contains(#""Rex 1""#) } && lines.contains { $0.contains("Side") })
            #expect(lines.contains { $0.contains("Max") && $0.contains(#""home":null"#) })
        }
    }

    @Test(
        "what does not fit is refused, and the file stays as it was",
        arguments: [
            ("PATCH", "Dog/2", #"{"name": 5}"#, 400), ("PATCH", "Dog/2", #"{"name": "x", "home": 7}"#, 400),
            ("PATCH", "Dog/2", #"{"name": "x", "home": {"$ref": "Home", "$row": 50}}"#, 400),
            ("PATCH", "Dog/2", #"{"nam": "x"}"#, 400), ("PATCH", "Dog/2", #"{"id": 3}"#, 400),
            ("PATCH", "Dog/2", "{", 400), ("PATCH", "Dog/2", "[]", 400), ("PATCH", "Dog/200", "{}", 404),
            ("POST", "Dog", #"{"id": 2}"#, 409), ("POST", "Dog", #"{"name": "no key"}"#, 400),
            ("POST", "Cat", "{}", 404), ("DELETE", "Dog/x", "", 404), ("DELETE", "Home/-1", "", 404),
        ])
    func refusals(method: String, path: String, body: String, status: Int) async throws {
        try await withHomes { file, _ in
            let before = try await file.objects()
            let answer = try await file.call(method, "databases/homes.realm/objects/" + path, body)
            #expect(answer.status == status, "\(answer.json)")
            #expect(answer.json["message"]?.string?.isEmpty == false)
            #expect(try await file.objects() == before)
        }
    }

    @Test("a change of what somebody else has changed meanwhile is refused")
    func preconditions() async throws {
        try await withHomes { file, _ in
            let one = "databases/homes.realm/objects/Dog/2"
            let tag = try #require(try await file.call("GET", one).tag)
            #expect(try await file.call("PATCH", one, #"{"name": "a"}"#, headers: ["if-match": tag]).status == 200)
            #expect(try await file.call("PATCH", one, #"{"name": "b"}"#, headers: ["if-match": tag]).status == 412)
            #expect(try await file.call("GET", one).json["name"]?.string == "a")
        }
    }

    @Test("a change that is sent again takes effect once")
    func repeated() async throws {
        try await withHomes { file, _ in
            for _ in 0..<3 {
                let made = try await file.call(
                    "POST", "databases/homes.realm/objects/Home", #"{"street": "Side"}"#,
                    headers: ["idempotency-key": "k"])
                #expect(made.status == 201 && made.json["key"]?.int == 1)
            }
            let found = try await file.call("GET", "databases/homes.realm/objects/Home")
            #expect(found.json["count"]?.int == 2)
        }
    }

    @Test("a counter is added to")
    func counter() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("counts.realm")
        let schema = Schema([
            ClassSchema(
                name: "Count",
                properties: [
                    Property(name: "id", type: .int, isPrimaryKey: true),
                    Property(name: "number", type: .int, isCounter: true),
                ])
        ])
        try Files.change(path, schema) { _ = try $0.table("Count")?.create(.int(1), row: [.null, .int(5)]) }
        let file = try Browsed(path, isWritable: true)
        let one = "databases/counts.realm/objects/Count/1"
        #expect(try await file.call("PATCH", one, #"{"number": {"$increment": -2}}"#).status == 200)
        #expect(try await file.call("GET", one).json["number"]?.int == 3)
        #expect(try await file.call("PATCH", one, #"{"number": {"$increment": "x"}}"#).status == 400)
    }

    @Test("an encrypted file is browsed with its key")
    func encrypted() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("secret.realm")
        let key = [UInt8](0..<64)
        try Files.change(path, Files.homes, key: key) { transaction in
            _ = try transaction.table("Home")?.create(nil, row: [.string("Main")])
        }
        let file = try Browsed(path, isWritable: true, key: key)
        let found = try await file.call("GET", "databases/secret.realm/objects/Home")
        #expect(found.json["count"]?.int == 1)
        #expect(throws: FileFailure.self) { try Browsed(path, isWritable: false) }
    }

    @Test("a file whose changes others would not hear of is only read")
    func synced() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("synced.realm")
        try Files.change(path, Files.homes) { transaction in
            transaction.tree("sync.owner").put([1], [1])
        }
        _ = try Browsed(path, isWritable: false)
        let failure = #expect(throws: FileFailure.self) { try Browsed(path, isWritable: true) }
        #expect(failure?.description.contains("synced file of a device") == true)
    }

    @Test("a query keeps the first of each combination")
    func distinct() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("homes.realm")
        try Files.makeHomes(path, dogs: 5)
        let file = try OpenedFile.inspect(path, key: nil)
        defer { file.close() }
        let query = try ObjectQuery("Dog", "TRUEPREDICATE DISTINCT(home.street)")
        #expect(try file.read { try query.rows(in: $0) } == [ObjectKey(0)])
    }
}
