import CausewayFolders
import CausewayMeasuring
import Foundation
import Testing

@Suite struct RowTests {
    private let conditions = Conditions(threads: 2, peerThreads: 1, cache: .cold, runs: 25, peerRuns: 5)

    @Test("a line tells threads, cache and runs of both sides")
    func line() {
        let row = Row.less(
            "query", "count", "ms", ours: 2, peer: ("SQLite", 10), ratioTarget: 6, under: conditions)
        let fields = row.text.split(separator: " ").map(String.init)
        #expect(
            fields == ["query", "count", "2.00", "ms", "10.0", "ms", "SQLite", "5.00×", "2/1", "cold", "25/5"]
                + ["≥", "6.00×", "missed"])
    }

    @Test("a line tells what does not apply to a row by a dash")
    func dashes() {
        let row = Row.less("store", "file", "MB", ours: 43)
        #expect(row.text.split(separator: " ") == ["store", "file", "43.0", "MB", "-", "-", "-", "-", "-", "-"])
    }

    @Test("rows are read as they were written")
    func file() throws {
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: folder.file("rows.json"))
        let rows = [
            Row.less("query", "count", "ms", ours: 2, peer: ("SQLite", 10), ratioTarget: 4, under: conditions),
            Row.more("store", "insert, at least", "/s", ours: 3, least: 4),
        ]
        try Row.write(rows, to: file)
        #expect(try Row.read(file) == rows)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("\"peer\" : null"))
    }

    @Test("a file of an older run, without conditions, is read")
    func olderFile() throws {
        let folder = try TemporaryFolder()
        let text = """
            [{"group": "count", "met": true, "name": "age < 2", "ours": 0.13, "peer": 55.8, "peerName": "SQLite",
              "ratio": 444.6, "target": 50, "unit": "ns/row"}]
            """
        folder.write(Array(text.utf8), to: "rows.json")
        let rows = try Row.read(URL(fileURLWithPath: folder.file("rows.json")))
        #expect(rows.map(\.ours) == [0.13])
        #expect(rows.first?.threads == nil)
    }
}
