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

    @Test("a target in units is printed as one, beside a peer too, and a rate's is a least one")
    func aims() {
        let time = Row.less("everyday", "read", "ns", ours: 18, peer: ("SQLite", 40), most: 30, under: conditions)
        let rate = Row.more("everyday", "insert", "/s", ours: 3, peer: ("SQLite", 2), least: 4, under: conditions)
        #expect(time.text.split(separator: " ").suffix(3) == ["≤", "30.0", "ns"])
        #expect(rate.text.split(separator: " ").suffix(4) == ["≥", "4.00", "/s", "missed"])
    }

    @Test("the mean of a group is the geometric one, of its ratios to SQLite alone")
    func means() {
        func row(_ group: String, _ theirs: Double, _ peer: String = "SQLite") -> Row {
            .less(group, "row", "ms", ours: 1, peer: (peer, theirs))
        }
        let rows = [
            row("query", 2), row("query", 8, "SQLite, index at the end"), row("query", 900, "LMDB"), row("store", 3),
            row("text", 1), row("text", 0.25), .less("query", "alone", "ms", ours: 7),
        ]
        #expect(
            Row.means(rows) == [
                "query: 4.00× SQLite, the geometric mean of 2 rows", "text: 0.50× SQLite, the geometric mean of 2 rows",
            ])
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
