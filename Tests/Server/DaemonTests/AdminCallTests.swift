import CausewayEndpoint
import CausewayEnvironment
import CausewayFolders
import CausewayJSON
import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewayWire
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("The calls of the admin API")
struct AdminCallTests {
    @Test("databases are listed with their statistics, and one of them with its classes")
    func databases() async throws {
        try await AdminBench.run { bench in
            try await bench.devices.open("flights", client: 7, user: "ada")
            let list = try await bench.get("GET", "databases")
            #expect(list["databases"]?.elements?.map { $0["name"]?.string } == ["flights"])
            let database = try await bench.get("GET", "databases/flights")
            #expect(database["answers"] == .bool(true))
            #expect(database["sessions"]?["opened"]?.int == 1)
            #expect(database["file"]?["usedBytes"]?.int ?? 0 > 0)
            #expect(database["classes"]?.elements?.map { $0["name"]?.string } == ["Flight"])
            try await bench.expect(404, "databaseUnknown", "GET", "databases/nothing")
            try await bench.expect(400, "requestInvalid", "GET", "databases?limit=0")
        }
    }

    @Test("sessions are listed page by page and by user, and one that is ended is told to come again")
    func sessions() async throws {
        try await AdminBench.run { bench in
            for client in 1...5 { try await bench.devices.open("flights", client: UInt64(client), user: "ada") }
            try await bench.devices.open("flights", client: 9, user: "ben")
            var (clients, after): ([String], String?) = ([], nil)
            repeat {
                let page = try await bench.get(
                    "GET", "databases/flights/sessions?limit=4" + (after.map { "&after=\($0)" } ?? ""))
                clients += page["sessions"]?.elements?.compactMap { $0["client"]?.string } ?? []
                after = page["next"]?.string
            } while after != nil
            #expect(clients == ["1", "2", "3", "4", "5", "9"])
            let ben = try await bench.get("GET", "databases/flights/sessions?user=ben")
            #expect(ben["sessions"]?.elements?.count == 1)
            let session = try #require(ben["sessions"]?.elements?.first)
            #expect(session["user"]?.string == "ben" && session["state"]?.string == "opened")
            #expect(session["since"]?.string?.hasSuffix("Z") == true)
            try await bench.get("DELETE", "databases/flights/sessions/9")
            try await bench.expect(404, "sessionUnknown", "DELETE", "databases/flights/sessions/9")
            try await bench.expect(400, "requestInvalid", "DELETE", "databases/flights/sessions/x")
            #expect(try await bench.get("GET", "databases/flights/sessions?user=ben")["sessions"]?.elements == [])
        }
    }

    @Test("a user who is shut out is refused at once, also after a restart, until they are let in again")
    func users() async throws {
        try await AdminBench.run { bench in
            try await bench.devices.open("flights", client: 1, user: "mallory")
            try await bench.devices.open("flights", client: 2, user: "ada")
            let answer = try await bench.get(
                "PUT", "databases/flights/shut-out/users/mallory", #"{"note":"stolen phone"}"#)
            #expect(answer["ended"]?.int == 1)
            await #expect(throws: SyncFailure.self) { try await bench.devices.caller("mallory", of: "flights") }
            _ = try await bench.devices.caller("ada", of: "flights")
            let list = try await bench.get("GET", "databases/flights/shut-out/users")["entries"]?.elements
            #expect(list?.map { $0["name"]?.string } == ["mallory"] && list?.first?["note"]?.string == "stolen phone")
            let kept = try ShutOuts(folder: bench.folder.file("flights"))
            #expect(kept.failure(user: "mallory")?.code == .permissionDenied)
            #expect(kept.failure(user: "ada") == nil)
            #expect(
                try await bench.get("DELETE", "databases/flights/shut-out/users/mallory")["wasShutOut"] == .bool(true))
            #expect(
                try await bench.get("DELETE", "databases/flights/shut-out/users/mallory")["wasShutOut"] == .bool(false))
            try await bench.devices.open("flights", client: 1, user: "mallory")
            try await bench.expect(400, "requestInvalid", "PUT", "databases/flights/shut-out/users/a", #"{"x":1}"#)
            let long = String(repeating: "n", count: ShutOuts.noteBytesMax + 1)
            try await bench.expect(
                400, "requestInvalid", "PUT", "databases/flights/shut-out/users/a", #"{"note":"\#(long)"}"#)
        }
    }

    @Test("who is shut out twice keeps the note and the time of the first, until there is another note")
    func note() async throws {
        try await AdminBench.run { bench in
            let path = "databases/flights/shut-out/users"
            func entry() async throws -> JSON? { try await bench.get("GET", path)["entries"]?.elements?.first }
            try await bench.get("PUT", path + "/mallory", #"{"note":"stolen phone"}"#)
            let first = try await entry()
            try await bench.get("PUT", path + "/mallory")
            #expect(try await entry() == first)
            try await bench.get("PUT", path + "/mallory", #"{"note":"found again"}"#)
            #expect(try await entry()?["note"]?.string == "found again")
            #expect(try await entry()?["since"] == first?["since"])
        }
    }

    @Test("a client that is shut out is refused, and others of its user are not")
    func clients() async throws {
        try await AdminBench.run { bench in
            try await bench.devices.open("flights", client: 1, user: "ada")
            try await bench.devices.open("flights", client: 2, user: "ada")
            #expect(try await bench.get("PUT", "databases/flights/shut-out/clients/1")["ended"]?.int == 1)
            await #expect(throws: SyncFailure.self) { try await bench.devices.open("flights", client: 1, user: "ada") }
            try await bench.devices.open("flights", client: 2, user: "ada")
            let list = try await bench.get("GET", "databases/flights/shut-out/clients")["entries"]?.elements
            #expect(list?.map { $0["name"]?.string } == ["1"])
            let known = try await bench.get("GET", "databases/flights/clients?limit=1")
            #expect(known["clients"]?.elements?.map { $0["client"]?.string } == ["1"] && known["next"]?.string == "1")
            try await bench.expect(409, "conflict", "DELETE", "databases/flights/clients/2")
            #expect(try await bench.get("DELETE", "databases/flights/clients/1")["isKnown"] == .bool(false))
            try await bench.expect(404, "clientUnknown", "DELETE", "databases/flights/clients/1")
            try await bench.get("DELETE", "databases/flights/shut-out/clients/1")
            try await bench.devices.open("flights", client: 1, user: "ada")
        }
    }

    @Test("users are listed with their objects, those with most first, page by page")
    func objectsOfUsers() async throws {
        try await AdminBench.run { bench in
            let store = try #require(bench.tenants["flights"]).store
            for (number, user) in ["ada", "ben:x", "cid"].enumerated() {
                try await bench.devices.open("flights", client: UInt64(number + 1), user: user)
                let client = ClientID(UInt64(number + 1))
                let made = (0..<(user == "ada" ? 1 : 3)).map { row in
                    Operation.create(
                        ObjectReference("Flight", .int(Int64(number * 10 + row))), life: 1, fields: [])
                }
                let changeset = Changeset(
                    client: client, sequence: 1, stamp: Stamp(time: 1 << 16, client: client), base: store.version,
                    operations: made)
                _ = try store.commit(
                    [UploadBatch(client: client, user: user, changesets: [changeset])], receivedAt: 1_000)
            }
            var (users, after): ([String], String?) = ([], nil)
            repeat {
                let page = try await bench.get(
                    "GET", "databases/flights/users?limit=1" + (after.map { "&after=\($0)" } ?? ""))
                for user in page["users"]?.elements ?? [] {
                    users.append("\(user["user"]?.string ?? "") \(user["objects"]?.int ?? 0)")
                }
                after = page["next"]?.string
            } while after != nil
            #expect(users == ["ben:x 3", "cid 3", "ada 1"])
            try await bench.expect(400, "requestInvalid", "GET", "databases/flights/users?after=ada")
            try await bench.expect(404, "databaseUnknown", "GET", "databases/nothing/users")
        }
    }

    @Test("an unreadable list of those who are shut out opens no database")
    func damagedList() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        folder.write("{", ShutOuts.fileName)
        #expect(throws: CommandFailure.self) { try ShutOuts(folder: folder.path) }
    }

    // MARK: - Reloads

    @Test("a reload says of each part what became of it")
    func reload() async throws {
        try await AdminBench.run { bench in
            func outcomes() async throws -> [String: String] {
                let parts = try await bench.get("POST", "reload")["parts"]?.elements ?? []
                return Dictionary(
                    parts.compactMap { part in
                        part["part"]?.string.map { ($0, part["outcome"]?.string ?? "") }
                    }, uniquingKeysWith: { $1 })
            }
            let first = try await outcomes()
            #expect(first["limits"] == "unchanged" && first["databases.flights"] == "unchanged")
            #expect(first["certificate"] == "unchanged" && first["tokenKeys"] == "unchanged")
            bench.folder.write(
                AdminBench.least + "limits: {sessionsOfUser: 1, heartbeatSeconds: 20}\nlisten: {port: 1}\n",
                "sync-server.yaml")
            let second = try await outcomes()
            #expect(second["limits.sessionsOfUser"] == "applied" && second["limits.heartbeatSeconds"] == "waits")
            #expect(second["listen"] == "waits" && second["limits"] == nil)
            try await bench.devices.open("flights", client: 1, user: "ada")
            await #expect(throws: SyncFailure.self) { try await bench.devices.open("flights", client: 2, user: "ada") }
            #expect(
                try await bench.get("GET", "configuration")["limits"]?["sessionsOfUser"]?.int == 1)
            bench.folder.write("nonsense", "sync-server.yaml")
            #expect(try await outcomes() == ["configuration": "refused"])
        }
    }

    @Test("a reload serves the databases that the configuration has, and no others")
    func databasesByReload() async throws {
        try await AdminBench.run { bench in
            let both = AdminBench.least.replacing(
                "[{name: flights, folder: flights}]", with: "[{name: tasks, folder: tasks}]")
            bench.folder.write(both, "sync-server.yaml")
            try await bench.get("POST", "reload")
            #expect(bench.tenants.all.map(\.name) == ["tasks"])
            try await bench.devices.open("tasks", client: 1, user: "ada")
            await #expect(throws: SyncFailure.self) { try await bench.devices.open("flights", client: 1, user: "ada") }
            bench.folder.write(AdminBench.least, "sync-server.yaml")
            try await bench.get("POST", "reload")
            #expect(bench.tenants.all.map(\.name) == ["flights"])
            try await bench.devices.open("flights", client: 1, user: "ada")
        }
    }

    // MARK: - Databases that come and go

    @Test("a database that a call adds is served, is there after a restart, and goes with its files when told so")
    func adding() async throws {
        try await AdminBench.run { bench in
            try await bench.get(
                "POST", "databases", #"{"name":"tasks","permissions":{"default":{"read":true,"write":true}}}"#,
                status: 201)
            try await bench.devices.open("tasks", client: 1, user: "ada")
            let file = bench.folder.file("sync-server.yaml")
            let read = try ConfigurationFile.read(file)
            #expect(read.databases.map(\.name) == ["flights", "tasks"] && read.databasesWithFile == ["tasks"])
            let data = try #require(read.databases.last?.folder)
            try await bench.expect(409, "conflict", "POST", "databases", #"{"name":"tasks"}"#)
            try await bench.expect(400, "requestInvalid", "POST", "databases", #"{"name":"a/b"}"#)
            try await bench.expect(422, "configurationInvalid", "POST", "databases", #"{"name":"x","nonsense":1}"#)
            try await bench.expect(
                422, "configurationInvalid", "POST", "databases", #"{"name":"x","folder":"flights"}"#)
            #expect(try ConfigurationFile.read(file).databases.map(\.name) == ["flights", "tasks"])
            try await bench.expect(400, "requestInvalid", "DELETE", "databases/tasks?deleteFiles=flights")
            try await bench.expect(409, "conflict", "DELETE", "databases/flights")
            try await bench.get("DELETE", "databases/tasks")
            #expect(FileManager.default.fileExists(atPath: data + "/database.causeway"))
            try await bench.get("POST", "databases", #"{"name":"tasks"}"#, status: 201)
            try await bench.get("DELETE", "databases/tasks?deleteFiles=tasks")
            #expect(!FileManager.default.fileExists(atPath: data))
            #expect(try ConfigurationFile.read(file).databases.map(\.name) == ["flights"])
            try await bench.expect(404, "databaseUnknown", "DELETE", "databases/tasks")
        }
    }

    @Test("a file that the operator has written is not overwritten")
    func fileOfOperator() async throws {
        try await AdminBench.run { bench in
            try FileManager.default.createDirectory(
                atPath: bench.folder.file("databases.d"), withIntermediateDirectories: true)
            bench.folder.write("name: tasks\nfolder: flights\n", "databases.d/tasks.yaml")
            try await bench.expect(409, "conflict", "POST", "databases", #"{"name":"tasks"}"#)
            #expect(bench.folder.read("databases.d/tasks.yaml") == Array("name: tasks\nfolder: flights\n".utf8))
        }
    }

    @Test("a folder of databases that is gone, or is no folder, drops nothing")
    func goneFolder() async throws {
        try await AdminBench.run { bench in
            try await bench.get("POST", "databases", #"{"name":"tasks"}"#, status: 201)
            let (path, aside) = (bench.folder.file("databases.d"), bench.folder.file("aside"))
            func reload() async throws -> [String] {
                let parts = try await bench.call("POST", "reload").json["parts"]?.elements ?? []
                return parts.filter { $0["outcome"] == .string("refused") }.compactMap { $0["part"]?.string }
            }
            try FileManager.default.moveItem(atPath: path, toPath: aside)
            #expect(try await reload() == ["configuration"] && bench.tenants["tasks"] != nil)
            bench.folder.write("no folder", "databases.d")
            #expect(try await reload() == ["configuration"] && bench.tenants["tasks"] != nil)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: aside, toPath: path)
            #expect(try await reload() == [] && bench.tenants["tasks"] != nil)
        }
    }

    @Test("without a folder for them, calls add no databases")
    func noFolder() async throws {
        let text = AdminBench.least.replacing("databasesFolder: databases.d\n", with: "")
        try await AdminBench.run(text) { bench in
            try await bench.expect(422, "notConfigured", "POST", "databases", #"{"name":"tasks"}"#)
        }
    }

    @Test("databases come and go fifty times under traffic: every call has an answer, and nothing stays in memory")
    func fiftyTimes() async throws {
        try await AdminBench.run { bench in
            let (dropped, devices) = (Dropped(), bench.devices)
            let callers = (1...4).map { number in
                Task { () -> Int in
                    var served = 0
                    var client = UInt64(number) << 32
                    while !Task.isCancelled {
                        client += 1
                        do {
                            let welcome = try await devices.open("tasks", client: client, user: "ada")
                            let caller = try await devices.caller("ada", of: "tasks")
                            try await devices.tenants.service(of: "tasks")?.credit(
                                welcome.session, by: caller, bytes: 1)
                            served += 1
                        } catch let failure as SyncFailure {
                            #expect(
                                [.databaseUnknown, .sessionUnknown, .serverEnding].contains(failure.code),
                                "\(failure.code) \(failure.message)")
                        } catch {
                            Issue.record("\(error)")
                        }
                        await Task.yield()
                    }
                    return served
                }
            }
            for _ in 0..<50 {
                try await bench.get("POST", "databases", #"{"name":"tasks"}"#, status: 201)
                if let tenant = bench.tenants["tasks"] { dropped.add(tenant) }
                _ = try? await bench.devices.open("tasks", client: 1, user: "ben")
                try await bench.get("DELETE", "databases/tasks?deleteFiles=tasks")
            }
            var served = 0
            for caller in callers {
                caller.cancel()
                served += await caller.value
            }
            #expect(served > 0)
            #expect(dropped.count == 50)
            // The last references go with the last threads that used them.
            for _ in 0..<500 where dropped.aliveCount > 0 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(dropped.aliveCount == 0)
        }
    }

    /// Databases that were dropped, as long as somebody still has them.
    private final class Dropped: @unchecked Sendable {
        private struct Weak {
            weak var tenant: Tenant?
            weak var conversations: Conversations?
        }

        // Used by one task.
        private var all: [Weak] = []
        var count: Int { all.count }
        var aliveCount: Int { all.count { $0.tenant != nil || $0.conversations != nil } }
        func add(_ tenant: Tenant) { all.append(Weak(tenant: tenant, conversations: tenant.conversations)) }
    }

    // MARK: - Backups

    @Test("a backup is begun by a call, and listed with those before it")
    func backups() async throws {
        try await AdminBench.run { bench in
            try await bench.devices.open("flights", client: 1, user: "ada")
            try await bench.get("POST", "databases/flights/backups", status: 202)
            var list = try await bench.get("GET", "databases/flights/backups")
            for _ in 0..<1_000 where list["backups"]?.elements?.isEmpty == true {
                try await Task.sleep(for: .milliseconds(20))
                list = try await bench.get("GET", "databases/flights/backups")
            }
            #expect(list["backups"]?.elements?.count == 1, "\(list)")
            #expect(list["failure"] == nil)
            try await bench.expect(404, "databaseUnknown", "POST", "databases/none/backups")
        }
        try await AdminBench.run(AdminBench.least.replacing("backups: {folder: backups}\n", with: "")) { bench in
            try await bench.expect(422, "notConfigured", "GET", "databases/flights/backups")
        }
    }
}
