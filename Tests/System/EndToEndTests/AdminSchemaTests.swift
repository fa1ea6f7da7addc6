import Causeway
import CausewayPrograms
import Foundation
import FoundationNetworking
import Testing

/// What an administrator asks of a running daemon about permissions, refusals and the schema.
@Suite("The admin API about data", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct AdminSchemaTests {
    private func withServer(
        _ body:
            @MainActor (Bench, _ call: @MainActor (String, String?) async throws -> (Int, [String: Any])) async throws
            -> Void
    ) async throws {
        try await Bench.withAdmin(
            "schema", accounts: "log: {format: json, audit: audit.log}",
            settings: """
                permissions:
                  classes:
                    Item: {read: true, write: "quantity < 10"}
                """
        ) { bench, port in
            try await body(bench) { path, json in try await Self.call(port, path, json) }
        }
    }

    /// Sends a body, or asks without one.
    private static func call(_ port: Int, _ path: String, _ json: String?) async throws -> (Int, [String: Any]) {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/admin/v1/databases/items/\(path)"))
        var request = URLRequest(url: url)
        request.setValue("Bearer \(Bench.adminToken)", forHTTPHeaderField: "authorization")
        if let json {
            request.httpMethod = "POST"
            request.httpBody = Data(json.utf8)
        }
        let (data, answer) = try await URLSession.shared.data(for: request)
        return (
            (answer as? HTTPURLResponse)?.statusCode ?? 0,
            try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        )
    }

    private func verdict(_ right: String, _ answer: [String: Any]) -> String? {
        (answer["rights"] as? [[String: Any]])?.first { $0["right"] as? String == right }?["verdict"] as? String
    }

    @Test("explain says what the daemon then does, and the refusal is listed without values")
    func refusals() async throws {
        try await withServer { bench, call in
            let device = try await bench.device("A")
            try device.writeItems(1...1)
            try await device.uploaded()
            let token = try bench.server.token(user: "tester")
            let (status, answer) = try await call(
                "permissions/explain", #"{"class": "Item", "key": 1, "token": "\#(token)"}"#)
            let caller = answer["caller"] as? [String: Any]
            #expect(
                status == 200 && verdict("write", answer) == "permitted" && verdict("delete", answer) == "permitted")
            #expect(caller?["user"] as? String == "tester" && caller?["isVerified"] as? Bool == true)
            let (_, other) = try await call(
                "permissions/explain", #"{"class": "Item", "values": {"quantity": 99}, "user": "tester"}"#)
            #expect(verdict("create", other) == "refused" && verdict("read", other) == "permitted")
            #expect(try await call("permissions/explain", #"{"class": "Item", "key": 1}"#).0 == 400)
            #expect(try await call("permissions/explain", #"{"class": "Nothing", "user": "a"}"#).0 == 400)

            try device.write { device.create(Item.self, value: ["id": 7_654_321, "name": "secret", "quantity": 99]) }
            try await device.uploaded()
            let (_, list) = try await call("refusals?user=tester", nil)
            let clients = try #require(list["clients"] as? [[String: Any]])
            #expect(clients.count == 1 && clients[0]["user"] as? String == "tester")
            let client = try #require(clients[0]["client"] as? String)
            let (found, ofClient) = try await call("refusals/\(client)", nil)
            let changesets = try #require(ofClient["changesets"] as? [[String: Any]])
            let operations = try #require(changesets.first?["operations"] as? [[String: Any]])
            #expect(found == 200 && changesets.count == 1 && operations.count == 1)
            #expect(operations[0]["class"] as? String == "Item" && operations[0]["count"] as? Int == 1)
            #expect(operations[0]["code"] as? String == "permissionDenied")
            #expect((changesets[0]["version"] as? Int ?? 0) > 0 && changesets[0]["received"] is String)
            #expect(!"\(ofClient)".contains("secret") && !"\(ofClient)".contains("7654321"))
            #expect(try await call("refusals/1", nil).0 == 404)
            #expect(try await call("refusals/x", nil).0 == 400)
            #expect((try await call("refusals?user=nobody", nil).1["clients"] as? [[String: Any]])?.isEmpty == true)
        }
    }

    @Test("a property is dropped under a connected device only when its name is repeated; the device goes on")
    func drop() async throws {
        try await withServer { bench, call in
            let device = try await bench.device("A")
            try device.writeItems(1...3)
            try await device.uploaded()
            let (_, schema) = try await call("schema", nil)
            let classes = try #require(schema["classes"] as? [[String: Any]])
            let item = try #require(classes.first { $0["name"] as? String == "Item" })
            #expect(item["objects"] as? Int == 3 && item["addedBy"] as? String == "tester")
            // The command line shows what would be lost, and says by its status that nothing was dropped.
            @MainActor func refused(_ more: String...) -> SyncServer.Failure? {
                do {
                    try bench.server.admin(
                        ["schema", "drop", "--database", "items", "--class", "Item", "--property", "name"] + more)
                    return nil
                } catch {
                    return error as? SyncServer.Failure
                }
            }
            let shown = refused()
            #expect(shown?.status == 3 && shown?.description.contains("add --confirm Item.name") == true)
            let inUse = refused("--confirm", "Item.name")
            #expect(
                inUse?.status == 1 && inUse?.description.contains("--even-if-declared") == true,
                "\(String(describing: inUse))")
            let (_, preview) = try await call("schema/drop", #"{"class": "Item", "property": "name"}"#)
            #expect(preview["isDropped"] as? Bool == false && preview["objects"] as? Int == 3)
            let confirmed = #"{"class": "Item", "property": "name", "confirm": "Item.name""#
            #expect(try await call("schema/drop", confirmed + "}").0 == 409)
            #expect(
                try await call("schema/drop", #"{"class": "Item", "property": "id", "confirm": "Item.id"}"#).0 == 409)
            let (status, dropped) = try await call("schema/drop", confirmed + #", "evenIfDeclared": true}"#)
            #expect(status == 200 && dropped["isDropped"] as? Bool == true, "\(dropped)")
            // The device comes back by itself, declares the property again, and loses its values.
            try device.write { device.object(ofType: Item.self, forPrimaryKey: 2)?.quantity = 5 }
            try await device.uploaded()
            try await device.downloaded()
            #expect(device.objects(Item.self).map(\.name) == ["", "", ""])
            #expect(try bench.server.count("Item", where: "quantity == 5") == 1)
            let audit = try String(contentsOf: bench.folder.appending(path: "server/audit.log"), encoding: .utf8)
            #expect(audit.contains(#""event":"schemaDropped","database":"items","user":"admin""#), "\(audit)")
            #expect(audit.contains(#""subject":"Item.name""#))
        }
    }

    @Test(
        "a property is converted under a connected device, which is refused until it is converted back, and loses nothing"
    )
    func convert() async throws {
        try await withServer { bench, call in
            let device = try await bench.device("A")
            try device.writeItems(1...3)
            try await device.uploaded()
            let (_, broken) = try await call(
                "schema/convert", #"{"class": "Item", "property": "quantity", "to": "string"}"#)
            #expect((broken["brokenRules"] as? [String])?.first?.hasPrefix("classes.Item.write: ") == true, "\(broken)")
            let body = #"{"class": "Item", "property": "name", "to": "mixed""#
            let (_, preview) = try await call("schema/convert", body + "}")
            #expect(preview["isConverted"] as? Bool == false && preview["objects"] as? Int == 3, "\(preview)")
            let confirmed = body + #", "confirm": "Item.name""#
            #expect(try await call("schema/convert", confirmed + "}").0 == 409)
            @MainActor @discardableResult
            func command(_ more: String...) throws -> String {
                let arguments = ["--database", "items", "--class", "Item", "--property", "name"] + more
                return try bench.server.admin(["schema", "convert"] + arguments)
            }
            // Its status says that nothing was converted, and its words what would go with it.
            let shown = #expect(throws: SyncServer.Failure.self) { @MainActor in try command("--to", "mixed") }
            let words = "Item.name is still string. It would be mixed.\nObjects: 3."
            #expect(shown?.status == 3 && shown?.description.contains(words) == true, "\(shown as Any)")
            #expect(shown?.description.contains("The history of all classes goes with it") == true)
            let converted = try command("--to", "mixed", "--confirm", "Item.name", "--even-if-declared")
            #expect(converted.hasPrefix("Item.name was string, and is mixed.\n"), "\(converted)")
            try device.write { device.object(ofType: Item.self, forPrimaryKey: 2)?.quantity = 5 }
            let error = await #expect(throws: SyncError.self) { try await device.uploaded() }
            #expect(error?.serverCode == 305 && error?.message.contains("schema convert") == true, "\(error as Any)")
            #expect(device.object(ofType: Item.self, forPrimaryKey: 2)?.quantity == 5)
            #expect(try bench.server.count("Item", where: "quantity == 5") == 0)
            let (_, schema) = try await call("schema", nil)
            let item = (schema["classes"] as? [[String: Any]])?.first { $0["name"] as? String == "Item" }
            let name = (item?["properties"] as? [[String: Any]])?.first { $0["name"] as? String == "name" }
            #expect(
                name?["is"] as? String == "mixed" && name?["declared"] == nil && name?["addedBy"] as? String == "tester"
            )
            // Nobody has declared it since, so this needs no more than the name.
            try command("--to", "string", "--optional", "false", "--confirm", "Item.name")
            device.syncSession?.reconnect()
            try await device.uploaded()
            #expect(try bench.server.count("Item", where: "quantity == 5 AND name != ''") == 1)
            let audit = try String(contentsOf: bench.folder.appending(path: "server/audit.log"), encoding: .utf8)
            #expect(audit.contains(#""event":"schemaConverted","database":"items","user":"admin""#), "\(audit)")
        }
    }
}
