import CausewayModel
import CausewayPrograms
import Foundation
import Synchronization

extension Figures {
    /// What a bare HTTP/2 server on the same libraries needs for as many connections and messages.
    func floor() async throws -> [String] {
        try await withServer { server, _ in
            let bare = try ChildProcess(
                name: "floor", program: CommandLine.arguments[0],
                arguments: ["floor", "--chain", server.certificate, "--key", server.certificateKey],
                log: folder.appendingPathComponent("floor.log"))
            defer { bare.kill() }
            guard let port = try bare.nextLine().flatMap({ Int($0) }) else { throw Connection.Lost() }
            let site = try Site(port: port, database: "floor", token: "", authority: server.authority, group: group)
            return try await floor(ProcessProbe(number: bare.number), site)
        }
    }

    private func floor(_ probe: ProcessProbe, _ site: Site) async throws -> [String] {
        let (count, received) = (scaled(5_000), Received())
        let teller = try await site.connection(for: ClientID(0))
        let empty = probe.residentBytes
        let connections = try await withThrowingTaskGroup(of: [Connection].self) { group in
            let numbers = Counter()
            for _ in 0..<64 {
                group.addTask {
                    var connections: [Connection] = []
                    while let number = numbers.next(below: count) {
                        let connection = try await site.connection(for: ClientID(UInt64(number)))
                        try await connection.open("/wait") { received.bytes.wrappingAdd($0, ordering: .relaxed) }
                        connections.append(connection)
                    }
                    return connections
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        try await Task.sleep(for: .seconds(2))
        let (memory, before, messages) = (probe.residentBytes - empty, probe.cpuNanoseconds, 20)
        for number in 1...messages {
            try await teller.open("/tell") { _ in }
            while received.bytes.load(ordering: .relaxed) < number * count * FloorServer.messageBytes {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        let cpu = probe.cpuMilliseconds(since: before) / Double(messages)
        for connection in connections { connection.close() }
        return [
            "floor, a bare HTTP/2 server: \(memory / count / 1_024) KB a connection with a stream; one message to "
                + "\(count) of them \(cpu.shown) ms of CPU"
        ]
    }
}

private final class Received: Sendable {
    let bytes = Atomic(0)
}
