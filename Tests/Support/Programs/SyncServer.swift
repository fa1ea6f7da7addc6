package import Foundation

/// A `sync-server` in a folder of its own: keys, configuration, process. It listens on a free port of the loopback.
package final class SyncServer {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        /// With which the program ended, where it did.
        package let status: Int32?

        package init(description: String, status: Int32? = nil) {
            self.description = description
            self.status = status
        }
    }

    package let database: String
    package private(set) var port: Int
    private let sections: String
    private let settings: String
    private let databases: [(name: String, folder: String)]
    private let program: String
    private let folder: URL
    /// In which it is started.
    package var surroundings = Surroundings()
    private var process: ChildProcess?

    /// Makes the keys and a configuration that `sync-server check` finds right; does not start it.
    ///
    /// - Parameters:
    ///   - others: databases it serves beside the first one.
    ///   - sections: further sections of the configuration.
    ///   - settings: further lines of the first database, without indentation.
    ///   - node: another server whose keys and certificate it has; nil for its own.
    package init(
        program: String, folder: URL, database: String, others: [String] = [], sections: String = "",
        settings: String = "", keysOf node: SyncServer? = nil
    ) throws {
        self.program = program
        self.folder = folder
        self.database = database
        self.sections = sections
        self.settings = settings
        port = try Self.freePort()
        databases =
            [(database, folder.appendingPathComponent("data").path)]
            + others.map { ($0, folder.appendingPathComponent("data-\($0)").path) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if let node {
            try FileManager.default.copyItem(atPath: node.path("keys"), toPath: path("keys"))
        } else {
            try makeKeys("keys")
        }
        try writeConfiguration()
    }

    /// Listens on another port when it is started again.
    package func move() throws {
        port = try Self.freePort()
        try writeConfiguration()
    }

    private func writeConfiguration() throws {
        let text = configuration + "\n" + sections
        try text.write(toFile: path("sync-server.yaml"), atomically: true, encoding: .utf8)
        try tool("check", "--configuration", path("sync-server.yaml"))
    }

    private var configuration: String {
        var rows = databases.map { "  - name: \($0.name)\n    folder: \($0.folder)\n" }
        rows[0] += settings.split(separator: "\n").map { "    \($0)\n" }.joined()
        return """
            listen:
              host: 127.0.0.1
              port: \(port)
            tls:
              certificate: \(certificate)
              key: \(certificateKey)
            tokens:
              keys:
                - file: \(path("keys/token-public.pem"))
                  algorithm: ES256
            databases:
            \(rows.joined())
            """
    }

    package var url: String { "https://localhost:\(port)" }

    // MARK: - Keys and tokens

    /// The certificate authority that devices must trust.
    package var authority: String { authority(of: "keys") }

    /// Its certificate and the key of that.
    package var certificate: String { path("keys/server.pem") }
    package var certificateKey: String { path("keys/server-key.pem") }

    /// The certificate authority of a set of keys.
    package func authority(of keys: String) -> String { path("\(keys)/ca.pem") }

    /// Makes another set of keys, which the server does not know.
    package func makeKeys(_ name: String) throws {
        try tool("keys", "--folder", path(name))
    }

    /// Puts the public token key of another set in the place of the one the server was started with. A server that runs
    /// takes it when it looks at its files next, or is asked to.
    package func adoptTokenKey(of keys: String) throws {
        let key = try Data(contentsOf: URL(fileURLWithPath: path("\(keys)/token-public.pem")))
        try key.write(to: URL(fileURLWithPath: path("keys/token-public.pem")), options: .atomic)
    }

    /// Asks a server that runs to read its configuration anew.
    package func reload() {
        process?.hangUp()
    }

    package func token(user: String, keys: String = "keys", lifetimeSeconds: Int = 3_600) throws -> String {
        try tool(
            "token", "--key", path("\(keys)/token-private.pem"), "--user", user, "--lifetime", "\(lifetimeSeconds)")
    }

    /// What an operator does with the accounts of the first database.
    @discardableResult
    package func accounts(_ arguments: String...) throws -> String {
        try tool(
            ["accounts", arguments[0], "--configuration", path("sync-server.yaml"), "--database", database]
                + arguments.dropFirst())
    }

    /// What an operator does with the journals of many nodes.
    @discardableResult
    package func journal(_ command: String, _ more: String...) throws -> String {
        try tool(["journal", command, "--configuration", path("sync-server.yaml")] + more)
    }

    /// What an operator does with the server while it runs, through its admin listener.
    @discardableResult
    package func admin(_ arguments: String...) throws -> String { try admin(arguments) }

    @discardableResult
    package func admin(_ arguments: [String]) throws -> String {
        try tool(["admin"] + arguments + ["--configuration", path("sync-server.yaml")])
    }

    /// Begins a command of an administrator that goes on until it is killed; its lines can be read.
    package func beginAdmin(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            name: arguments[0], program: program,
            arguments: ["admin"] + arguments + ["--configuration", path("sync-server.yaml")],
            log: folder.appendingPathComponent("\(arguments[0]).log"))
    }

    // MARK: - Looking in

    /// How many objects of a class the server's own store holds.
    package func count(
        _ type: String, where predicate: String = "TRUEPREDICATE", in database: String? = nil
    ) throws -> Int {
        try Self.count(
            tool(
                "query", "--configuration", path("sync-server.yaml"), "--database", database ?? self.database,
                "--class",
                type, "--filter", predicate, "--count"))
    }

    /// Has the program compare everything in its databases, and returns what it says. Fails if anything contradicts.
    @discardableResult
    package func verify() throws -> String { try tool("verify", "--configuration", path("sync-server.yaml")) }

    // MARK: - Backups

    /// Makes a backup of the first database and returns its path.
    package func backUp(to path: String) throws -> String {
        let text = try tool(["backup"] + ofFirstDatabase + ["--to", path, "--megabytes-per-second", "0"])
        guard let last = text.split(separator: "\n").last, let range = last.range(of: " s: ") else {
            throw Failure(description: "'\(text)' does not say where the backup is")
        }
        return String(last[range.upperBound...])
    }

    /// Begins a slow backup of the first database, which can be killed.
    package func beginBackup(to path: String, megabytesPerSecond: Int) throws -> ChildProcess {
        try ChildProcess(
            name: "backup", program: program,
            arguments: ["backup"] + ofFirstDatabase
                + ["--to", path, "--megabytes-per-second", "\(megabytesPerSecond)"],
            log: folder.appendingPathComponent("backup.log"))
    }

    /// Puts a backup in the place of the first database.
    @discardableResult
    package func restore(from backup: String, _ more: String...) throws -> String {
        try tool(["restore", "--from", backup] + ofFirstDatabase + more)
    }

    /// Tries a restore in a folder of its own, and returns what the program says.
    package func drill(_ backup: String) throws -> String { try tool("restore", "--from", backup, "--check") }

    private var ofFirstDatabase: [String] { ["--configuration", path("sync-server.yaml"), "--database", database] }

    /// What the program says of its version.
    package func version() throws -> String { try tool("--version") }

    /// How many objects of a class a file holds, below what the device library shows. The tool for files says it, which is beside
    /// the server.
    package func count(_ type: String, inFile file: URL) throws -> Int {
        let causeway = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent("causeway")
        return try Self.count(run(causeway.path, ["query", file.path, type, "--count"]))
    }

    private static func count(_ text: String) throws -> Int {
        guard let count = Int(text) else { throw Failure(description: "'\(text)' is not a count") }
        return count
    }

    @discardableResult
    private func tool(_ arguments: String...) throws -> String { try tool(arguments) }

    @discardableResult
    private func tool(_ arguments: [String]) throws -> String { try run(program, arguments) }

    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let tool = Process()
        let (output, errors) = (Pipe(), Pipe())
        tool.executableURL = URL(fileURLWithPath: program)
        tool.arguments = arguments
        tool.standardOutput = output
        tool.standardError = errors
        let ending = Ending(of: tool)
        try tool.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        ending.wait()
        guard tool.terminationStatus == 0 else {
            throw Failure(
                description: "\(program) \(arguments.joined(separator: " ")): \(complaint)\(text)",
                status: tool.terminationStatus)
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    // MARK: - The process

    /// Starts the server and returns when it listens.
    package func start() throws {
        let serve = [program, "serve", "--configuration", path("sync-server.yaml")]
        let command = surroundings.prefix + serve
        process = try ChildProcess(
            name: "server", program: command[0], arguments: Array(command.dropFirst()),
            environment: surroundings.environment, log: folder.appendingPathComponent("server.log"))
        let deadline = Date().addingTimeInterval(60)
        while !Self.isListening(port) {
            guard process?.isRunning == true, Date() < deadline else {
                let log = (try? String(contentsOfFile: path("server.log"), encoding: .utf8)) ?? ""
                throw Failure(
                    description:
                        "the server did not start to listen on port \(port). Its log ends with:\n\(log.suffix(2_000))")
            }
            usleep(10_000)
        }
    }

    /// The number of the process; nil before it has started.
    package var processNumber: Int32? { process?.number }

    /// The folder of the first database.
    package var dataFolder: String { databases[0].folder }

    package var isRunning: Bool { process?.isRunning ?? false }

    /// Kills the server as a power loss would: without a chance to end anything.
    package func kill() {
        process?.kill()
    }

    /// Holds the server where it stands: connections stay open, and nobody answers.
    package func pause() {
        process?.pause()
    }

    package func resume() {
        process?.resume()
    }

    /// Whether the disk is full for the server: what would make a file longer than its database is now fails.
    package func fillDisk(_ isFull: Bool) throws {
        // A node that has not reached its journal yet has no file.
        let size = try? FileManager.default.attributesOfItem(atPath: databases[0].folder + "/database.causeway")[.size]
        try process?.limitFiles(toBytes: isFull ? (size as? NSNumber)?.intValue ?? 0 : nil)
    }

    /// Asks the server to end and returns its exit code.
    @discardableResult
    package func stop() -> Int32 {
        process?.terminate() ?? 0
    }

    // MARK: - Ports

    package static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard isBound else { throw Failure(description: "no free port on the loopback address") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func isListening(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: port)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }
}

/// What a process is started with beside its arguments.
package struct Surroundings {
    /// A program with arguments that starts another one.
    package var prefix: [String] = []
    package var environment: [String: String] = [:]

    package init(prefix: [String] = [], environment: [String: String] = [:]) {
        (self.prefix, self.environment) = (prefix, environment)
    }
}
