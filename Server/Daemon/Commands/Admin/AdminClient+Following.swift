import AsyncHTTPClient
import CausewayJSON
import Foundation
import NIOCore
import NIOHTTP1

// Answers that do not end: server-sent events.

extension AdminClient {
    /// How long the server may be silent: it sends a comment after 15 seconds.
    private static let silenceSeconds: Int64 = 60
    /// The longest line of an event.
    private static let lineBytesMax = 1 << 20

    /// Reads the events of a route until the answer ends, or `body` throws.
    ///
    /// - Throws: what `body` throws, or a `CommandFailure` with what the server says.
    func follow(
        _ path: [String], query: [(name: String, value: String?)], _ body: (ServerSentEvent) throws -> Void
    ) async throws {
        try await withClient(Self.silenceSeconds) { client in try await follow(url(path, query), client, body) }
    }

    private func follow(
        _ url: String, _ client: HTTPClient, _ body: (ServerSentEvent) throws -> Void
    ) async throws {
        let answer = try await client.execute(request(.get, url, nil), timeout: .hours(24 * 365))
        guard answer.status == .ok else {
            let bytes = try await answer.body.collect(upTo: Self.lineBytesMax)
            _ = try Self.json(answer.status.code, Array(bytes.readableBytesView))
            return
        }
        var lines = EventLines(lineBytesMax: Self.lineBytesMax)
        for try await piece in answer.body {
            for event in try lines.take(Array(piece.readableBytesView)) { try body(event) }
        }
    }
}

/// An event of a stream: its name and its data, which is one line of JSON.
struct ServerSentEvent: Hashable, Sendable {
    var name = ""
    var data = ""
}

/// Takes the bytes of a stream of events, in any pieces, and gives the events that are whole.
struct EventLines {
    let lineBytesMax: Int
    private var line: [UInt8] = []
    private var event = ServerSentEvent()

    init(lineBytesMax: Int) { self.lineBytesMax = lineBytesMax }

    /// - Throws: for a line that is too long.
    mutating func take(_ bytes: [UInt8]) throws(CommandFailure) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                guard line.count <= lineBytesMax else {
                    throw CommandFailure("The server sent an event of more than \(lineBytesMax) bytes.")
                }
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            line.removeAll(keepingCapacity: true)
            if text.hasPrefix("event: ") { event.name = String(text.dropFirst(7)) }
            if text.hasPrefix("data: ") { event.data = String(text.dropFirst(6)) }
            guard text.isEmpty else { continue }
            if !event.name.isEmpty { events.append(event) }
            event = ServerSentEvent()
        }
        return events
    }
}
