import CausewayPrograms
import Foundation

/// The processes of the demo and the files they stand on.
final class Stage {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let data: String
    let server: SyncServer
    private let work: URL
    private var devices: [String: ChildProcess] = [:]

    init(server: String, data: String, work: String) throws {
        self.data = data
        self.work = URL(fileURLWithPath: work)
        self.server = try SyncServer(
            program: server, folder: self.work.appendingPathComponent("server"), database: "flights")
    }

    func path(_ name: String) -> String { work.appendingPathComponent(name).path }

    func startDevice(_ name: String) throws {
        try server.token(user: "demo").write(toFile: path("\(name).token"), atomically: true, encoding: .utf8)
        let device = try ChildProcess(
            name: "device \(name)", program: CommandLine.arguments[0],
            arguments: [
                "device", "--url", server.url, "--database", server.database, "--authority", server.authority,
                "--token", path("\(name).token"), "--file", path("\(name).realm"),
            ],
            log: work.appendingPathComponent("device-\(name).log"))
        devices[name] = device
        _ = try answer(of: device)
    }

    /// Gives a device a command and returns its answer; `watch` sees the lines before it and may act on them.
    @discardableResult
    func ask(
        _ name: String, _ words: String..., timeout: Double = 120, watch: (String) throws -> Void = { _ in }
    ) throws -> String {
        guard let device = devices[name] else { throw Failure(description: "there is no device \(name)") }
        device.send(words.joined(separator: "\t"))
        return try answer(of: device, timeout: timeout, watch: watch)
    }

    private func answer(
        of device: ChildProcess, timeout: Double = 120, watch: (String) throws -> Void = { _ in }
    ) throws -> String {
        while let line = try device.nextLine(timeout: timeout) {
            if line.hasPrefix("ok ") { return String(line.dropFirst(3)) }
            if line.hasPrefix("error ") { throw Failure(description: "\(device.name): \(line.dropFirst(6))") }
            try watch(line)
        }
        throw Failure(description: "\(device.name) ended before it answered")
    }

    func end() {
        for device in devices.values {
            device.send("quit")
            _ = device.terminate(patience: 5)
        }
        server.stop()
    }
}
