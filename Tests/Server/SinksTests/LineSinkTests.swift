import CausewayFolders
import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewaySinks
import Foundation
import Synchronization
import Testing

@Suite("A sink of files")
struct LineSinkTests {
    private func sink(
        _ folder: TemporaryFolder, rollBytes: Int = 1 << 20, now: @escaping @Sendable () -> UInt64 = { 5_000 }
    )
        -> LineSink
    {
        LineSink(
            LineSink.Rules(folder: folder.file("lines"), rollBytes: rollBytes, rollMilliseconds: 60_000), now: now)
    }

    /// The ids that count.
    private func ids(_ folder: TemporaryFolder) throws -> [Int] { try LinesOnDisk.ids(folder) }

    /// The ids in all files, whether they count or not; while no sink writes.
    private func everything(_ folder: TemporaryFolder) throws -> [Int] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("lines")).sorted()
        #expect(
            names.allSatisfy { $0.hasSuffix(".ndjson") || $0.hasSuffix(".zst") || $0 == "position.json" }, "\(names)")
        return try names.filter { $0 != "position.json" }.flatMap { name in
            let bytes = folder.read("lines/" + name)
            let text = try name.hasSuffix(".zst") ? LinesOnDisk.decompressed(bytes) : bytes
            return try String(decoding: text, as: UTF8.self).split(separator: "\n").map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return ((object?["object"] as? [String: Any])?["_id"] as? Int) ?? -1
            }
        }
    }

    @Test("each object is a line, in the order of arrival, also after the server has started again")
    func lines() async throws {
        let (bench, folder) = (try SinkBench(), try TemporaryFolder())
        for round in 0..<3 {
            try bench.readings(Int64(round * 20 + 1)...Int64(round * 20 + 20))
            try await running(bench.carrier(sink(folder))) { try ids(folder).count == round * 20 + 20 }
        }
        #expect(try ids(folder) == Array(1...60))
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("lines")).first { $0.hasSuffix(".ndjson") })
        #expect(name.hasPrefix("19700101T000005Z-"))
        let first = String(decoding: folder.read("lines/" + name), as: UTF8.self).split(separator: "\n")[0]
        #expect(
            first.hasSuffix(
                #""time":"2023-11-14T22:13:20Z","class":"Reading","object":{"_id":1,"value":1.0,"note":null,"place":null}}"#
            ),
            "\(first)")
    }

    @Test("classes that are not named are left out, and the position goes on")
    func classes() async throws {
        let (bench, folder) = (try SinkBench(), try TemporaryFolder())
        try bench.ingest([.create(.init("Alarm", .string("x")), life: 1, fields: [])])
        try bench.readings(1...3)
        let carrier = bench.carrier(sink(folder), classes: ["Reading"])
        try await running(carrier) { !carrier.state.now.isBehind && carrier.state.now.newest > 0 }
        #expect(try ids(folder) == [1, 2, 3])
        #expect(carrier.state.now.taken == 3)
    }

    @Test("files are rolled by size and by time, and compressed")
    func rolling() async throws {
        let (bench, folder) = (try SinkBench(), try TemporaryFolder())
        try bench.readings(1...100)
        try await running(bench.carrier(sink(folder, rollBytes: 2_000))) { try ids(folder).count == 100 }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("lines"))
        #expect(names.filter { $0.hasSuffix(".zst") }.count >= 4)
        #expect(names.filter { $0.hasSuffix(".ndjson") }.count <= 1)
        #expect(try ids(folder) == Array(1...100))
        // Nothing comes, and the time is over.
        let time = Mutex<UInt64>(5_000)
        let timed = sink(folder) { time.withLock { $0 } }
        try bench.readings(101...101)
        try await running(bench.carrier(timed)) {
            guard try ids(folder).count == 101 else { return false }
            time.withLock { $0 = 66_000 }
            return try FileManager.default.contentsOfDirectory(atPath: folder.file("lines"))
                .allSatisfy { !$0.hasSuffix(".ndjson") }
        }
        #expect(try everything(folder) == Array(1...101))
    }

    @Test(
        "whatever a killed server left behind, each object is there once",
        arguments: SeedList.drawn(for: "lines", count: 12))
    func killed(seed: UInt64) async throws {
        var random = SeededNumbers(seed: seed)
        let (bench, folder) = (try SinkBench(), try TemporaryFolder())
        let path = folder.file("lines")
        var count = 0
        for _ in 0..<6 {
            let more = 1 + Int(random.next() % 30)
            try bench.readings(Int64(count + 1)...Int64(count + more))
            count += more
            try await running(bench.carrier(sink(folder, rollBytes: 1_500))) { try ids(folder).count >= count }
            #expect(try everything(folder) == Array(1...count), "seed \(seed)")
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            // Killed while it appended: a tail that no position covers, cut anywhere.
            if let open = names.first(where: { $0.hasSuffix(".ndjson") }) {
                let line = Array(#"{"sequence":1,"class":"Reading","object":{"_id":77777}}"#.utf8) + [10]
                folder.write(
                    folder.read("lines/" + open) + line.prefix(1 + Int(random.next() % UInt64(line.count))),
                    to: "lines/" + open)
            }
            // Killed before the position knew a new file.
            folder.write(
                Array("{\"object\":{\"_id\":88888}}\n".utf8), to: "lines/20990101T000000Z-09223372036854775807.ndjson")
            // Killed while it compressed, and before the file went that was compressed.
            folder.write([1, 2, 3], to: "lines/20990101T000000Z-00000000000000000001.ndjson.zst.new")
            if let done = names.first(where: { $0.hasSuffix(".zst") }) {
                try folder.write(
                    LinesOnDisk.decompressed(folder.read("lines/" + done)), to: "lines/" + done.dropLast(4))
            }
            folder.write([123], to: "lines/position.json.new")
        }
        let carrier = bench.carrier(sink(folder))
        try await running(carrier) { !carrier.state.now.isBehind && carrier.state.now.newest > 0 }
        #expect(try everything(folder) == Array(1...count), "seed \(seed)")
    }

    @Test("a file that lost what was durable, and a damaged position, hold the sink up with a sentence")
    func damaged() async throws {
        let (bench, folder) = (try SinkBench(), try TemporaryFolder())
        try bench.readings(1...3)
        try await running(bench.carrier(sink(folder))) { try ids(folder).count == 3 }
        let open = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("lines")).first { $0.hasSuffix(".ndjson") })
        folder.write([], to: "lines/" + open)
        let shortened = await #expect(throws: SinkFailure.self) { try await sink(folder).open() }
        #expect(shortened?.message.contains("were made durable") == true)
        folder.write([123], to: "lines/position.json")
        let carrier = bench.carrier(sink(folder))
        try await running(carrier) { carrier.state.now.failure?.contains("is damaged") == true }
        #expect(carrier.state.now.failures >= 1)
    }
}
