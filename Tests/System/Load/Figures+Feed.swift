import CausewayPrograms
import Foundation
import Synchronization

extension Figures {
    /// How long after the begin of an upload a reader of the change feed has its event, at a thousand commits a second.
    func feed() async throws -> [String] {
        let port = try SyncServer.freePort()
        return try await withServer(sections: "api: {host: 127.0.0.1, port: \(port)}") { server, site in
            let seconds = max(20 / divisor, 2)
            let reader = try FeedReader(
                server, port: port, log: folder.appendingPathComponent("feed.log"), token: site.token)
            defer { reader.end() }
            try await writer(site).upload([[Note.create(FeedReader.firstNote, store: 1)]], to: site)
            try await reader.isConnected()
            let (start, before) = (ContinuousClock.now, probe(server).cpuNanoseconds)
            let commits = Atomic(0)
            try await by64(site) { device, number in
                var step = 0
                // Each of the 64 has its moment in every 64 milliseconds.
                while start.milliseconds < Double(seconds) * 1_000 {
                    try await Task.sleep(until: start + .milliseconds(step * 64 + number))
                    let id = number * 1_000_000 + step
                    reader.expect(id)
                    try await device.upload([[Note.create(id, store: number)]], to: site)
                    step += 1
                    commits.wrappingAdd(1, ordering: .relaxed)
                }
            }
            let count = commits.load(ordering: .relaxed)
            let rate = Double(count) / (start.milliseconds / 1_000)
            let lags = try await reader.all(count)
            let cpu = probe(server).cpuMilliseconds(since: before) / start.milliseconds
            return [
                "change feed beside \(Int(rate)) commits a second: upload begun → event read, median "
                    + "\(lags.median.shown) ms, p99 \(lags.at(99).shown) ms, longest \(lags.last.shown) ms, of "
                    + "\(count); server \(cpu.shown) processors"
            ]
        }
    }
}

/// `curl` that follows the changes, as a back end would.
private final class FeedReader: Sendable {
    static let firstNote = -1
    private let process: ChildProcess
    private let state = Mutex(State())

    private struct State {
        var begun: [Int: ContinuousClock.Instant] = [:]
        var lags: [Double] = []
        var isConnected = false
    }

    init(_ server: SyncServer, port: Int, log: URL, token: String) throws {
        process = try ChildProcess(
            name: "feed", program: "/usr/bin/env",
            arguments: [
                "curl", "--silent", "--no-buffer", "--cacert", server.authority, "--header",
                "authorization: Bearer \(token)",
                "https://localhost:\(port)/api/v1/\(server.database)/changes?since=0&class=Note",
            ], log: log)
        Thread.detachNewThread { [self] in
            while let line = try? process.nextLine() { take(line) }
        }
    }

    func end() { process.kill() }

    func expect(_ id: Int) { state.withLock { $0.begun[id] = .now } }

    private func take(_ line: String) {
        let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        guard let id = event?["key"] as? Int else { return }
        state.withLock { state in
            if id == Self.firstNote { state.isConnected = true }
            if let begin = state.begun.removeValue(forKey: id) { state.lags.append(begin.milliseconds) }
        }
    }

    func isConnected() async throws { try await wait { $0.isConnected } }

    /// How long each of so many took.
    func all(_ count: Int) async throws -> Percentiles {
        try await wait { $0.lags.count >= count }
        return Percentiles(state.withLock { $0.lags })
    }

    private func wait(_ isOver: (State) -> Bool) async throws {
        let start = ContinuousClock.now
        while !state.withLock({ isOver($0) }) {
            guard start.milliseconds < 30_000, process.isRunning else { throw Connection.Lost() }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
