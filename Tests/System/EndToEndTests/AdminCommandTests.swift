import Causeway
import CausewayPrograms
import Foundation
import Testing

/// `sync-server admin`, against a running daemon: objects, accounts, the log, events, and verifying.
@Suite("sync-server admin", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct AdminCommandTests {
    private func withServer(_ body: @MainActor (Bench) async throws -> Void) async throws {
        try await Bench.withAdmin("commands", accounts: "accounts: {anonymous: true}") { bench, _ in
            try await body(bench)
        }
    }

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    @Test("objects are found, shown, changed and deleted, and their devices and their history tell")
    func objects() async throws {
        try await withServer { bench in
            let device = try await bench.device("A")
            try device.writeItems(1...2_500)
            try await device.uploaded()
            let of = ["--database", "items", "--class", "Item"]
            @MainActor func run(_ command: String, _ more: String...) throws -> [String] {
                lines(try bench.server.admin(["objects", command] + of + more))
            }
            // More than one page of the API, from the middle, in the order that was asked for.
            let found = try run(
                "list", "--where", "quantity <= 2000", "--sort=-quantity", "--from", "500", "--limit", "1200",
                "--fields", "id")
            #expect(found.count == 1_200)
            #expect(found.first?.contains("1500") == true && found.last?.contains("301") == true)
            #expect(try run("plan", "--where", "quantity == 7").joined().contains("quantity"))
            #expect(
                try run("create", "--values", #"{"id": 9999, "name": "new", "next": {"$ref": "Item", "$id": 7}}"#)
                    .joined().contains("9999"))
            #expect(try run("links", "--key", "7").joined().contains("9999"))
            #expect(try run("change", "--key", "9999", "--values", #"{"name": "newer"}"#).joined().hasPrefix("Changed"))
            #expect(try run("show", "--key", "9999").joined().contains(#""newer""#))
            try await device.downloaded()
            #expect(device.object(ofType: Item.self, forPrimaryKey: 9_999)?.name == "newer")
            #expect(try run("delete", "--key", "9999").joined().hasPrefix("Deleted"))
            try await device.downloaded()
            #expect(device.object(ofType: Item.self, forPrimaryKey: 9_999) == nil)
            let history = try run("history", "--key", "9999")
            #expect(history.count == 3 && history.allSatisfy { $0.contains("(administrator)") })
            // Refusals end with the sentence of the API, and with status 1.
            for (words, part) in [(["show", "--key", "9999"], "9999"), (["list", "--where", "age =="], "age")] {
                let failure = #expect(throws: SyncServer.Failure.self) {
                    try bench.server.admin(["objects", words[0]] + of + words.dropFirst())
                }
                #expect(failure?.status == 1 && failure?.description.contains(part) == true, "\(words)")
            }
        }
    }

    @Test("accounts are listed, disabled and enabled")
    func accounts() async throws {
        try await withServer { bench in
            let user = try await bench.app().login(credentials: .anonymous)
            let database = ["--database", "items"]
            #expect(lines(try bench.server.admin(["accounts", "list"] + database)).last?.contains(user.id) == true)
            let account = database + ["--user", user.id]
            #expect(try bench.server.admin(["accounts", "disable"] + account).contains("is disabled"))
            #expect(try bench.server.admin(["accounts", "disable"] + account).contains("was disabled already"))
            #expect(try bench.server.admin(["accounts", "list"] + database).contains("yes"))
            #expect(try bench.server.admin(["accounts", "enable"] + account).contains("is enabled"))
            #expect(try bench.server.admin(["accounts", "enable"] + account).contains("was not disabled"))
        }
    }

    @Test("a database is verified to its end, and the log has it")
    func verify() async throws {
        try await withServer { bench in
            #expect(throws: SyncServer.Failure.self) {
                try bench.server.admin("verify", "--database", "items", "--last")
            }
            let device = try await bench.device("A")
            try device.writeItems(1...10)
            try await device.uploaded()
            #expect(try bench.server.admin("verify", "--database", "items").contains("It is sound. Objects: 10."))
            #expect(try bench.server.admin("verify", "--database", "items", "--last").contains("Objects: 10."))
            let log = lines(try bench.server.admin("log", "--lines", "5"))
            #expect(log.count == 5 && log.contains { $0.contains("a database was verified") })
            #expect(try bench.server.admin("log", "--level", "critical") == "")
        }
    }

    @Test("events come while the command runs, and it ends with the server")
    func events() async throws {
        try await withServer { bench in
            let command = try bench.server.beginAdmin("events", "--log")
            defer { command.kill() }
            /// Reads on to a line that begins so.
            @MainActor func reads(_ beginning: String) throws -> Bool {
                while let line = try command.nextLine() { if line.hasPrefix(beginning) { return true } }
                return false
            }
            #expect(try reads("sessions {"))
            let device = try await bench.device("A")
            try device.writeItems(1...1)
            try await device.uploaded()
            #expect(try reads(#"log {"#))
            #expect(try reads(#"version {"database":"items","version":"#))
            #expect(bench.server.stop() == 0)
            #expect(try !reads("end"))
        }
    }
}
