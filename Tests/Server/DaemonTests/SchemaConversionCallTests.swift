import ArgumentParser
import CausewayEnvironment
import CausewayJSON
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("The admin API's call that converts a property")
struct SchemaConversionCallTests {
    private static let route = "databases/flights/schema/convert"
    private static let rules = """
        tls: {certificate: keys/server.pem, key: keys/server-key.pem}
        tokens: {keys: [{file: keys/token-public.pem, algorithm: ES256}]}
        databases:
          - name: flights
            folder: flights
            permissions:
              classes:
                Flight: {read: "seats > 5", write: true, properties: {gate: {write: "pilot == $user.id"}}}
        log: {format: json, audit: audit.log}

        """

    private static let schema = Schema([
        ClassSchema(
            name: "Flight",
            properties: [
                Property(name: "row", type: .int, isPrimaryKey: true), Property(name: "gate", type: .string),
                Property(name: "seats", type: .int), Property(name: "pilot", type: .string),
                Property(name: "note", type: .string, isOptional: true),
            ])
    ])

    /// Runs a test over four flights.
    private func withFlights(
        _ text: String = AdminBench.least, _ body: (AdminBench, StoreEmbedded) async throws -> Void
    ) async throws {
        try await AdminBench.run(text) { bench in
            let store = try #require(bench.tenants["flights"]).store
            try store.extendSchema(Self.schema)
            let client = ClientID(7)
            _ = try store.register(client, user: "ada")
            let operations = ["1", "12", "secret", "34"].enumerated().map { row, gate in
                Operation.create(
                    ObjectReference("Flight", .int(Int64(row))), life: 1,
                    fields: [FieldValue("gate", .string(gate)), FieldValue("seats", .int(9))])
            }
            let changeset = Changeset(
                client: client, sequence: 1, stamp: Stamp(time: 1 << 16, client: client), base: store.version,
                operations: operations)
            let outcome = try store.commit(
                [UploadBatch(client: client, user: "ada", changesets: [changeset])], receivedAt: 1)[0]
            #expect(outcome.failure == nil)
            try await body(bench, store)
        }
    }

    private func words(_ store: StoreEmbedded, _ property: String) throws -> String? {
        try store.schemaElements().first { $0.property == property }?.words
    }

    @Test("without confirm it says what would happen, in counts and never values, and changes nothing")
    func preview() async throws {
        try await withFlights { bench, store in
            let version = store.version
            let answer = try await bench.get(
                "POST", Self.route, #"{"class": "Flight", "property": "gate", "to": "int"}"#)
            #expect(answer["name"]?.string == "Flight.gate" && answer["isConverted"] == .bool(false))
            #expect(answer["from"]?.string == "string" && answer["to"]?.string == "int")
            #expect(answer["objects"]?.int == 4 && answer["misfits"] == .object([JSON.Member("text", .number("1"))]))
            #expect(answer["brokenRules"]?.elements == [])
            #expect(!"\(answer)".contains("secret"))
            #expect(store.version == version)
            #expect(try words(store, "gate") == "string")
        }
    }

    @Test("what does not fit is refused, and replaced only when the call says by what")
    func misfits() async throws {
        try await withFlights { bench, store in
            let confirmed = #"{"class": "Flight", "property": "gate", "to": "int", "confirm": "Flight.gate""#
            let (status, refused) = try await bench.call("POST", Self.route, confirmed + "}")
            #expect(status == 409 && refused["code"]?.string == "conflict")
            #expect(refused["message"]?.string?.contains("1 of 4 values do not fit int") == true, "\(refused)")
            #expect(try words(store, "gate") == "string")
            let answer = try await bench.get("POST", Self.route, confirmed + #", "misfits": "default", "default": -1}"#)
            #expect(answer["isConverted"] == .bool(true) && answer["misfits"]?["text"]?.int == 1)
            #expect(try words(store, "gate") == "int")
            let back = try await bench.get(
                "POST", Self.route,
                #"{"class": "Flight", "property": "gate", "to": "string", "optional": true, "confirm": "Flight.gate"}"#)
            #expect(back["to"]?.string == "optional string" && back["isConverted"] == .bool(true))
        }
    }

    @Test("a call that says something else than it should is refused, and so is what cannot be converted")
    func refused() async throws {
        try await withFlights { bench, store in
            let schema = try store.snapshot().schema
            for body in [
                #""property": "gate""#, #""to": "int""#, #""property": "gate", "to": "object""#,
                #""property": "gate", "to": "Int""#, #""property": "gate", "to": "int", "misfits": "drop""#,
                #""property": "gate", "to": "int", "misfits": "default""#,
                #""property": "gate", "to": "int", "default": 0"#,
                #""property": "gate", "to": "int", "misfits": "default", "default": "0""#,
                #""property": "gate", "to": "int", "optional": "yes""#, #""property": "gate", "to": "int", "x": 1"#,
            ] {
                try await bench.expect(400, "requestInvalid", "POST", Self.route, #"{"class": "Flight", \#(body)}"#)
            }
            for body in [
                #""property": "row", "to": "string""#, #""property": "gate", "to": "string""#,
                #""property": "nothing", "to": "string""#, #""property": "gate", "to": "int", "misfits": "null""#,
                #""property": "gate", "to": "mixed", "confirm": "Flight""#,
            ] {
                try await bench.expect(409, "conflict", "POST", Self.route, #"{"class": "Flight", \#(body)}"#)
            }
            try await bench.expect(
                404, "databaseUnknown", "POST", "databases/nothing/schema/convert",
                #"{"class": "Flight", "property": "gate", "to": "mixed"}"#)
            #expect(try store.snapshot().schema == schema)
        }
    }

    @Test("what a device has declared lately is converted only when the call says so; the device is then told to wait")
    func declared() async throws {
        try await withFlights { bench, store in
            try await bench.devices.open("flights", client: 7, user: "ada")
            let confirmed = #"{"class": "Flight", "property": "note", "to": "mixed", "confirm": "Flight.note""#
            try store.extendSchema(Self.schema, by: Declarer(user: "ada", time: SystemClock().now()))
            try await bench.expect(409, "conflict", "POST", Self.route, confirmed + "}")
            #expect(try words(store, "note") == "optional string")
            try await bench.get("POST", Self.route, confirmed + #", "evenIfDeclared": true}"#)
            #expect(try words(store, "note") == "mixed")
            // Nobody has declared the new type yet.
            try await bench.get(
                "POST", Self.route,
                #"{"class": "Flight", "property": "note", "to": "string", "optional": true, "confirm": "Flight.note"}"#)
            try await bench.devices.open("flights", client: 7, user: "ada")
        }
    }

    @Test("a rule that does not fit the new type is named, and keeps the property from being converted")
    func rules() async throws {
        try await withFlights(Self.rules) { bench, store in
            for (property, type, rule) in [
                ("seats", "string", "classes.Flight.read"), ("pilot", "int", "classes.Flight.properties.gate.write"),
            ] {
                let body =
                    #"{"class": "Flight", "property": "\#(property)", "to": "\#(type)", "misfits": "default", "#
                    + (type == "int" ? #""default": 0"# : #""default": """#)
                let preview = try await bench.get("POST", Self.route, body + "}")
                let broken = preview["brokenRules"]?.elements?.compactMap(\.string) ?? []
                #expect(broken.count == 1 && broken.first?.hasPrefix(rule + ": ") == true, "\(preview)")
                let (status, refused) = try await bench.call(
                    "POST", Self.route, body + #", "confirm": "Flight.\#(property)"}"#)
                #expect(status == 409 && refused["message"]?.string?.contains(rule) == true, "\(refused)")
            }
            // A type that the rule can be asked about.
            try await bench.get(
                "POST", Self.route,
                #"{"class": "Flight", "property": "seats", "to": "double", "confirm": "Flight.seats"}"#)
            #expect(try words(store, "seats") == "double")
            let audit = try String(contentsOf: bench.folder.url.appending(path: "audit.log"), encoding: .utf8)
            #expect(audit.contains(#""event":"schemaConverted","database":"flights","user":"admin""#), "\(audit)")
            #expect(audit.contains(#""subject":"Flight.seats from int to double""#), "\(audit)")
        }
    }

    @Test("the command asks for what it was told, and says what came of it")
    func command() throws {
        let arguments = ["--database", "flights", "--class", "Flight", "--property", "gate", "--to", "int"]
        func command(_ more: String...) throws -> AdminSchema.Convert { try .parse(arguments + more) }
        #expect(
            try String(decoding: command().body(), as: UTF8.self)
                == #"{"class":"Flight","property":"gate","to":"int"}"#)
        #expect(
            try String(
                decoding: command(
                    "--optional", "false", "--misfits", "default", "--default", "-1", "--confirm", "Flight.gate",
                    "--even-if-declared"
                ).body(), as: UTF8.self)
                == #"{"class":"Flight","property":"gate","to":"int","optional":false,"misfits":"default","default":-1,"#
                + #""confirm":"Flight.gate","evenIfDeclared":true}"#)
        #expect(throws: CommandFailure.self) { try command("--default", "none").body() }
        let answer = #"""
            {"name":"Flight.gate","isConverted":false,"from":"string","to":"int","objects":4,"misfits":{"text":1},
             "brokenRules":["classes.Flight.read: It does not fit."]}
            """#
        #expect(
            try command().words(of: JSONReader.read(Array(answer.utf8))) == """
                Flight.gate is still string. It would be int.
                Objects: 4. Values that do not fit: text 1.
                A permission rule does not fit it: classes.Flight.read: It does not fit.
                It cannot be converted before these rules are changed.
                """)
        let fitting = answer.replacing(#""classes.Flight.read: It does not fit.""#, with: "")
        func last(_ more: String...) throws -> String? {
            try AdminSchema.Convert.parse(arguments + more).words(of: JSONReader.read(Array(fitting.utf8)))
                .split(separator: "\n").last.map(String.init)
        }
        #expect(try last()?.hasPrefix("It cannot be converted before these values are corrected") == true)
        #expect(try last("--misfits", "null") == "To convert it, add --confirm Flight.gate.")
    }
}
