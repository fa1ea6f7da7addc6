import Foundation

/// A PostgreSQL in a folder of its own, on a free port of the loopback: never the machine's own. Where the tests run as root it
/// runs as a user of the system, because it refuses to run as root.
package final class PostgreSQLServer {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let port: Int
    private let folder: URL
    private let programs: String
    private let isDurable: Bool
    private var process: ChildProcess?

    /// The newest one that is installed; nil without one.
    private static var installed: String? {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return versions.sorted { (Double($0) ?? 0) < (Double($1) ?? 0) }.last.map { "/usr/lib/postgresql/\($0)/bin" }
    }

    /// Makes an empty database and starts it.
    ///
    /// - Parameter isDurable: whether commits wait for the disk. What survives a kill of processes survives it either way.
    package convenience init(isDurable: Bool = false) throws {
        try self.init(isDurable: isDurable) { server in
            try server.run(
                "initdb", "-D", server.data, "-U", "causeway", "-A", "trust", "--no-sync", "-E", "UTF8",
                "--locale=C.UTF-8")
        }
    }

    /// Makes a standby that follows another server, and starts it.
    package convenience init(standbyOf primary: PostgreSQLServer) throws {
        try self.init(isDurable: primary.isDurable) { server in
            try server.run(
                "pg_basebackup", "-h", "127.0.0.1", "-p", "\(primary.port)", "-U", "causeway", "-D", server.data, "-X",
                "stream", "-R", "--no-sync", "-c", "fast")
        }
    }

    private init(isDurable: Bool, _ fill: (PostgreSQLServer) throws -> Void) throws {
        self.isDurable = isDurable
        guard let programs = Self.installed else {
            throw Failure(description: "no PostgreSQL is installed: 'apt-get install postgresql', as deploy/test does")
        }
        self.programs = programs
        port = try SyncServer.freePort()
        folder = URL(fileURLWithPath: "/tmp/causeway-postgresql-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if Self.isRoot {
            try FileManager.default.setAttributes([.ownerAccountName: Self.user], ofItemAtPath: folder.path)
        }
        try fill(self)
        try start()
    }

    private var data: String { folder.appendingPathComponent("data").path }

    /// A connection string of libpq.
    package var connection: String { "host=127.0.0.1 port=\(port) dbname=postgres user=causeway" }

    package func start() throws {
        let deadline = Date().addingTimeInterval(60)
        repeat {
            // After a kill the processes of the last one may live for a moment, and then it refuses to start.
            let process = try ChildProcess(
                name: "postgres", program: Self.command(programs + "/postgres").program,
                arguments: Self.command(programs + "/postgres").arguments + [
                    "-D", data, "-p", "\(port)", "-k", folder.path, "-c", "listen_addresses=127.0.0.1", "-c",
                    "fsync=\(isDurable ? "on" : "off")",
                ], log: folder.appendingPathComponent("log"))
            self.process = process
            while process.isRunning {
                if (try? query("SELECT 1")) == ["1"] { return }
                guard Date() < deadline else { break }
                usleep(50_000)
            }
            usleep(100_000)
        } while Date() < deadline
        let log = (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? ""
        throw Failure(description: "PostgreSQL did not start: \(log.suffix(1_000))")
    }

    /// Kills it as a power loss would, with all that work for it.
    package func kill() { process?.kill() }

    /// A standby hears nothing more of its primary, as over a broken line.
    package func stopFollowing() throws {
        _ = try query("ALTER SYSTEM SET primary_conninfo = ''")
        _ = try query("SELECT pg_reload_conf()")
    }

    /// Makes a standby the primary. What it has not heard of is lost.
    package func promote() throws { _ = try query("SELECT pg_promote()") }

    /// Ends it, and removes its folder.
    package func end() {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The rows, columns with a bar between them.
    package func query(_ statement: String) throws -> [String] {
        try run("psql", "-h", "127.0.0.1", "-p", "\(port)", "-U", "causeway", "-d", "postgres", "-XAtc", statement)
            .split(separator: "\n").map(String.init)
    }

    /// Has PostgreSQL's own tool run a statement as fast as it can.
    ///
    /// - Parameter transactions: of each client. A time would end by a signal, which a process of Foundation's does not get.
    /// - Returns: transactions a second.
    package func benchmark(_ statement: String, clients: Int, transactions: Int) throws -> Double {
        let script = folder.appendingPathComponent("script.sql")
        try (statement + ";\n").write(to: script, atomically: true, encoding: .utf8)
        let report = try run(
            "pgbench", "-h", "127.0.0.1", "-p", "\(port)", "-U", "causeway", "-n", "-M", "prepared", "-f", script.path,
            "-c",
            "\(clients)", "-j", "2", "-t", "\(transactions)", "postgres")
        guard let line = report.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let rate = Double(line.dropFirst(6).prefix { $0.isNumber || $0 == "." })
        else { throw Failure(description: "pgbench: \(report)") }
        return rate
    }

    // MARK: - Running

    private static var isRoot: Bool { geteuid() == 0 }
    private static let user = "nobody"

    private static func command(_ program: String) -> (program: String, arguments: [String]) {
        guard isRoot else { return (program, []) }
        return ("/usr/bin/setpriv", ["--reuid", user, "--regid", "nogroup", "--clear-groups", program])
    }

    @discardableResult
    private func run(_ name: String, _ arguments: String...) throws -> String {
        let tool = Process()
        let (output, errors) = (Pipe(), Pipe())
        let command = Self.command("\(programs)/\(name)")
        tool.executableURL = URL(fileURLWithPath: command.program)
        tool.arguments = command.arguments + arguments
        tool.currentDirectoryURL = URL(fileURLWithPath: "/")
        tool.standardOutput = output
        tool.standardError = errors
        let ending = Ending(of: tool)
        try tool.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        ending.wait()
        guard tool.terminationStatus == 0 else { throw Failure(description: "\(name): \(complaint)\(text)") }
        return text
    }
}
