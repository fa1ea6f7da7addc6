import ArgumentParser
import CausewayMeasuring
import Foundation

/// Measures Causeway beside its peers in one run and prints the ratios.
@main
struct Benchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "causeway-benchmark")

    @Argument(help: "Groups to run: \(Self.all.joined(separator: ", ")). All when none is named.")
    var groups: [String] = []
    @Option(help: "Also write the rows as a JSON array to this file.") var json: String?
    @Option(help: "The sync-server program, for the group sync.") var server: String
    @Option(help: "The folder with the flights of January 2013.") var data: String
    @Option(help: "The folder with all flights of 2013 as *.csv.gz, for the groups query and flights.")
    var flights = "../shared/data/nycflights13"
    @Option(help: "The folder with editing histories as *.json.gz, for the group merge.")
    var traces = "../shared/data/editing-traces"
    @Option(
        help:
            "Compare with the rows of an earlier run: a file that --json wrote. Fails where a row is slower by a tenth."
    )
    var before: String?
    @Option(help: "Measure nothing, and compare the rows of this file with those of --before.") var after: String?
    @Flag(help: "Small sizes: shows that everything runs, says nothing about speed.") var smoke = false

    func validate() throws {
        for group in groups where !Self.all.contains(group) {
            throw ValidationError("There is no group '\(group)': choose from \(Self.all.joined(separator: ", ")).")
        }
        if after != nil, before == nil { throw ValidationError("--after FILE needs --before FILE to compare it with.") }
        if smoke, before != nil { throw ValidationError("A smoke run says nothing about speed: it has no --before.") }
    }

    private static let all = [
        "insert", "lookup", "read", "count", "commit", "storage", "store", "query", "flights", "merge",
        "text", "collections", "record", "backup", "sync", "everyday",
    ]

    @MainActor
    func run() async throws {
        // A file that cannot be read ends the run before its minutes are spent.
        let earlier = try before.map { try Row.read(URL(fileURLWithPath: $0)) }
        let rows =
            if let after { try Row.read(URL(fileURLWithPath: after)) } else { try await measure() }
        if after == nil, let json { try Row.write(rows, to: URL(fileURLWithPath: json)) }
        if let earlier { try compare(rows, with: earlier) }
    }

    /// Groups that were not asked for are left out of both sides.
    private func compare(_ rows: [Row], with earlier: [Row]) throws {
        let measured = Set(rows.map(\.group))
        let comparison = Comparison(before: earlier.filter { measured.contains($0.group) }, now: rows)
        print("\n" + comparison.text)
        if !comparison.slower.isEmpty { throw ExitCode.failure }
    }

    @MainActor
    private func measure() async throws -> [Row] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-benchmark-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var rows: [Row] = []
        if let busy = Self.busyMachine { print(busy) }
        try Self.legend(folder).forEach { print($0) }
        print(Row.header)
        func report(_ new: [Row]) {
            for row in new { print(row.text) }
            // Seen at once in a pipe too.
            fflush(nil)
            rows += new
        }
        let wanted = groups.isEmpty ? Self.all : groups
        let objects = ObjectBenchmarks(folder: folder, smoke: smoke)
        if wanted.contains("insert") { report(try objects.insert()) }
        if wanted.contains("lookup") { report(try objects.lookup()) }
        if wanted.contains("read") { report(try objects.read()) }
        if wanted.contains("count") { report(try objects.count()) }
        if wanted.contains("commit") { report(try objects.commit()) }
        if wanted.contains("storage") { try await StorageBenchmarks(folder: folder, smoke: smoke).run(report) }
        if wanted.contains("store") { try StoreBenchmarks(folder: folder, smoke: smoke).run(report) }
        if wanted.contains("query") { try measureQueries(in: folder, report) }
        if wanted.contains("query") { try WordBenchmarks(folder: folder, smoke: smoke).run(report) }
        if wanted.contains("query") || wanted.contains("flights") { try measureFlights(in: folder, report) }
        if wanted.contains("merge") { try measureMerging(in: folder, report) }
        if wanted.contains("text") {
            try TextBenchmarks(folder: folder, paper: try paper(in: folder, for: "text"), smoke: smoke).run(report)
        }
        if wanted.contains("collections") { try CollectionBenchmarks(folder: folder, smoke: smoke).run(report) }
        if wanted.contains("record") { try RecordBenchmarks(smoke: smoke).run(report) }
        if wanted.contains("backup") { try BackupBenchmarks(folder: folder, smoke: smoke).run(report) }
        if wanted.contains("everyday") {
            try EverydayBenchmarks(folder: folder, smoke: smoke, isFirst: rows.isEmpty).run(report)
        }
        if wanted.contains("sync") {
            report(try await SyncBenchmarks(folder: folder, server: server, data: data, smoke: smoke).run())
        }
        Row.means(rows).forEach { print($0) }
        return rows
    }

    /// What the columns mean, and that both sides promise the same, as the peers say it of themselves.
    private static func legend(_ folder: URL) throws -> [String] {
        [
            "Durable is the same on all sides: a commit returns when the disk has it. Causeway: one sync a commit. "
                + (try SQLitePeer(folder.appendingPathComponent("legend.sqlite")).durability()) + ". "
                + (try LMDBPeer(folder.appendingPathComponent("legend.lmdb")).durability()) + ".",
            "A figure is the median of its runs. threads: those that worked at once; hot: done before, files in memory; "
                + "cold: file opened anew, its pages dropped from memory; ours/peer where they differ.",
        ]
    }

    /// A word of warning when others use the processors. Work that is over within a slice of time hardly notices them,
    /// and long work does, which moves every ratio between the two.
    private static var busyMachine: String? {
        var load = 0.0
        let processors = ProcessInfo.processInfo.activeProcessorCount
        guard getloadavg(&load, 1) == 1, load > Double(processors) / 2 else { return nil }
        return String(
            format: "The machine is busy (load %.1f, %d processors): ratios are not to be relied on.", load, processors)
    }

    @MainActor
    private func measureQueries(in folder: URL, _ report: ([Row]) -> Void) throws {
        let cold: ColdQueryBenchmarks
        do {
            let hot = try QueryBenchmarks(folder: folder, smoke: smoke)
            try hot.run(report)
            cold = ColdQueryBenchmarks(after: hot)
        }
        try cold.run(report)
    }

    private func measureMerging(in folder: URL, _ report: ([Row]) -> Void) throws {
        if let paper = try paper(in: folder, for: "merge") { try MergeBenchmarks(paper).run(report) }
        try ListMergeBenchmarks(smoke: smoke).run(report)
    }

    private func paper(in folder: URL, for group: String) throws -> Paper? {
        let paper = try Paper(folder: folder, source: traces, smoke: smoke)
        if paper == nil {
            print("\(group): the paper is skipped, there is no \(traces)/automerge-paper.json.gz (--traces FOLDER)")
        }
        return paper
    }

    @MainActor
    private func measureFlights(in folder: URL, _ report: ([Row]) -> Void) throws {
        if let group = try FlightBenchmarks(folder: folder, source: flights, january: data, smoke: smoke) {
            try group.run(report)
        } else {
            print("flights: skipped, there is no \(flights)/flights.csv.gz (--flights FOLDER)")
        }
    }
}
