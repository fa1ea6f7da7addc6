import CausewayPrograms
import Foundation

/// The steps of the demo, in order; each states what must be true after it.
final class DemoRun {
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    let stage: Stage
    /// What both did offline and what came of it, once they have.
    private(set) var picture = MergePicture()
    private var seconds: [(step: String, seconds: Double)] = []
    private static let first = "origin == 'JFK' AND dest == 'LAX'"
    private static let second = "origin == 'JFK' AND dest == 'SFO'"

    init(stage: Stage) {
        self.stage = stage
    }

    func play() throws {
        try step("keys, server, two devices") { stage in
            try stage.server.start()
            try stage.startDevice("A")
            try stage.startDevice("B")
        }
        let flights = try importAndSend()
        try subscribe()
        try editOffline()
        try killServerDuringUpload(flights: flights - 1)
        try verify()
        try summary()
    }

    private func step<Result>(_ name: String, _ body: (Stage) throws -> Result) rethrows -> Result {
        say("\n== \(name)")
        let started = Date()
        let result = try body(stage)
        seconds.append((name, Date().timeIntervalSince(started)))
        return result
    }

    private func expect<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) throws {
        guard found == expected else { throw Difference(description: "\(what): \(found) instead of \(expected)") }
        say("   \(what): \(found)")
    }

    // MARK: - 1. Device A brings the data

    /// Returns the number of flights.
    private func importAndSend() throws -> Int {
        let expected = try ["flights", "airlines", "airports", "planes", "weather"].map { try rows(of: $0) }
        try step("1a. device A imports airlines, airports, planes and flights") { stage in
            for (name, type) in [("f", "Flight"), ("a", "Airline"), ("p", "Airport"), ("q", "Plane"), ("l", "Ledger")] {
                try stage.ask("A", "subscribe", name, type, "TRUEPREDICATE")
            }
            try stage.ask("A", "import", stage.data, timeout: 600, watch: bar)
            try expect("flights on A", try count("A", "Flight"), expected[0])
        }
        try step("1b. device A uploads them") { stage in
            try stage.ask("A", "upload", timeout: 600, watch: bar)
            try expect("flights on the server", try stage.server.count("Flight"), expected[0])
            try expect("airlines on the server", try stage.server.count("Airline"), expected[1])
            try expect("airports on the server", try stage.server.count("Airport"), expected[2])
            try expect("planes on the server", try stage.server.count("Plane"), expected[3])
        }
        try step("1c. device A sends the weather one way") { stage in
            try stage.ask("A", "weather", stage.data, timeout: 600, watch: bar)
            try stage.ask("A", "upload", timeout: 600, watch: bar)
            try expect("weather readings on the server", try stage.server.count("Weather"), expected[4])
        }
        return expected[0]
    }

    private func rows(of table: String) throws -> Int {
        let text = try String(contentsOfFile: "\(stage.data)/\(table).csv", encoding: .utf8)
        return text.utf8.count { $0 == UInt8(ascii: "\n") } - 1
    }

    private func count(_ device: String, _ type: String, _ predicate: String = "TRUEPREDICATE") throws -> Int {
        Int(try stage.ask(device, "count", type, predicate)) ?? -1
    }

    // MARK: - 2. Device B asks for a part

    private func subscribe() throws {
        let first = try stage.server.count("Flight", where: Self.first)
        let second = try stage.server.count("Flight", where: Self.second)
        try step("2a. device B subscribes to \(Self.first)") { stage in
            try stage.ask("B", "subscribe", "airlines", "Airline", "TRUEPREDICATE")
            try stage.ask("B", "subscribe", "first", "Flight", Self.first)
            try stage.ask("B", "download")
            try expect("flights on B", try count("B", "Flight"), first)
            try stage.ask("B", "table", "5", watch: show)
        }
        try step("2b. device B widens to \(Self.second), then narrows again") { stage in
            try stage.ask("B", "subscribe", "second", "Flight", Self.second)
            try expect("flights on B, wide", try count("B", "Flight"), first + second)
            try stage.ask("B", "unsubscribe", "second")
            try expect("flights on B, narrow", try count("B", "Flight"), first)
        }
    }

    // MARK: - 3. Both edit offline

    private func editOffline() throws {
        try step("3. both go offline, change the same flights, and come back") { stage in
            let rows = try sharedRows(4)
            let before = try rows.map { try text(of: $0, on: "A") }
            for device in ["A", "B"] { try stage.ask(device, "offline") }
            // The same flight in different properties; another in the same property.
            try stage.ask("A", "gate", rows[0], "A1")
            try stage.ask("B", "delay", rows[0], "77")
            try stage.ask("A", "gate", rows[1], "A2")
            // Of two writes within one millisecond nobody can tell which was later.
            Thread.sleep(forTimeInterval: 0.01)
            try stage.ask("B", "gate", rows[1], "B2")
            // One deletes what the other edits; both append to one list.
            try stage.ask("A", "delete", rows[2])
            try stage.ask("B", "gate", rows[2], "B3")
            for device in ["A", "B"] {
                try stage.ask(device, "remark", rows[3], "first of \(device)")
                try stage.ask(device, "remark", rows[3], "second of \(device)")
            }
            let offline = try ["A", "B"].map { device in try rows.map { try text(of: $0, on: device) } }
            for device in ["A", "B"] { try stage.ask(device, "online") }
            for device in ["A", "B"] { try stage.ask(device, "upload") }
            for device in ["A", "B"] { try stage.ask(device, "download") }
            try compare(Self.first)
            for (index, row) in rows.enumerated() {
                picture.add(
                    before: before[index], onA: offline[0][index], onB: offline[1][index],
                    after: try text(of: row, on: "B"))
            }
            say("   flights \(rows[0]), \(rows[1]), \(rows[3]) on both:")
            for row in [rows[0], rows[1], rows[3]] { say("   " + (try text(of: row, on: "A"))) }
            try expect("the gate both set, B later", try count("B", "Flight", "row == \(rows[1]) AND gate == 'B2'"), 1)
            try expect("flight \(rows[2]) on A", try count("A", "Flight", "row == \(rows[2])"), 0)
        }
    }

    /// A flight as a device has it; empty where it has none.
    private func text(of row: String, on device: String) throws -> String {
        try stage.ask(device, "dump", "row == \(row)", stage.path("row.txt"))
        return try String(contentsOfFile: stage.path("row.txt"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Rows of flights that both devices hold.
    private func sharedRows(_ count: Int) throws -> [String] {
        try stage.ask("B", "dump", Self.first, stage.path("rows.txt"))
        let lines = try String(contentsOfFile: stage.path("rows.txt"), encoding: .utf8).split(separator: "\n")
        guard lines.count >= count else { throw Difference(description: "B holds only \(lines.count) flights") }
        return lines.prefix(count).compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    /// Both devices must hold the same content of a query, byte for byte.
    private func compare(_ predicate: String) throws {
        for device in ["A", "B"] { try stage.ask(device, "dump", predicate, stage.path("\(device).txt")) }
        let (a, b) = (
            try String(contentsOfFile: stage.path("A.txt"), encoding: .utf8).split(separator: "\n"),
            try String(contentsOfFile: stage.path("B.txt"), encoding: .utf8).split(separator: "\n")
        )
        if let index = a.indices.first(where: { $0 >= b.count || a[$0] != b[$0] }) {
            throw Difference(description: "A has '\(a[index])' and B has '\(index < b.count ? b[index] : "nothing")'")
        }
        guard a.count == b.count else { throw Difference(description: "B has more: '\(b[a.count])'") }
        say("   \(a.count) flights are equal on both devices")
    }

    // MARK: - 4. The server is killed

    private func killServerDuringUpload(flights: Int) throws {
        try step("4. the server is killed during an upload and started again") { stage in
            try stage.ask("A", "offline")
            let done = try stage.ask("A", "audit", "200", timeout: 600).split(separator: " ").compactMap { Int($0) }
            guard done.count == 2 else { throw Difference(description: "the audit said \(done)") }
            try expect("flights audited on A", done[1], flights)
            try stage.ask("A", "online")
            var isKilled = false
            try stage.ask("A", "upload", timeout: 600) { line in
                let estimate = line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
                guard !isKilled, estimate > 0, estimate < 1 else { return }
                stage.server.kill()
                isKilled = true
                say("   server killed at \(Int(estimate * 100)) % of the upload")
                try stage.server.start()
            }
            guard isKilled else { throw Difference(description: "the upload ended before the server was killed") }
            try expect("flights on the server", try stage.server.count("Flight"), flights)
            try expect(
                "audited flights on the server", try stage.server.count("Flight", where: "audited == true"), flights)
            try stage.ask("B", "subscribe", "ledger", "Ledger", "TRUEPREDICATE")
            try stage.ask("B", "download")
            try expect("ledger entries on B", Int(try stage.ask("B", "entries")) ?? -1, done[0])
            try compare(Self.first)
        }
    }

    // MARK: - 5. Verification

    private func verify() throws {
        try step("5. every page, index, link and count of the server's database is compared, while it runs") { stage in
            for line in try stage.server.verify().split(separator: "\n") where !line.contains("%") {
                say("   \(line.trimmingCharacters(in: .whitespaces))")
            }
        }
    }

    // MARK: - 6. Summary

    private func summary() throws {
        say("\n== 6. summary")
        for (step, seconds) in seconds {
            say("   \(String(format: "%7.2f", seconds)) s  \(step)")
        }
        for device in ["A", "B"] {
            let bytes = try stage.ask(device, "statistics").split(separator: " ").compactMap { Int($0) }
            guard bytes.count == 2 else { throw Difference(description: "device \(device) has no statistics") }
            say("   device \(device): \(bytes[0]) bytes sent, \(bytes[1]) received")
        }
        for type in ["Flight", "Plane", "Airport", "Airline", "Weather"] {
            say("   \(try stage.server.count(type)) objects of \(type) on the server")
        }
        say("\ndemo: OK")
    }

    // MARK: - What the person in front sees

    /// A progress bar, redrawn in place on a terminal and printed once at its end elsewhere.
    private func bar(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.first == "progress", words.count == 3, let part = Double(words[1]) else { return }
        let done = Int(part * 30)
        let text = "   [\(String(repeating: "#", count: done))\(String(repeating: ".", count: 30 - done))] \(words[2])"
        if isatty(1) == 1 {
            say("\r\(text)", terminator: part >= 1 ? "\n" : "")
        } else if part >= 1 {
            say(text)
        }
    }

    private func show(_ line: String) {
        if line.hasPrefix("row ") { say("   \(line.dropFirst(4))") }
    }
}
