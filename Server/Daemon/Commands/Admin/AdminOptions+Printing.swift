import CausewayJSON
import CausewayModel
import Foundation

// What the commands print: tables for people, or the answers as they are.

/// A column of a table: its title, and the members that lead to its value.
struct AdminColumn {
    var title: String
    var path: [String]

    init(_ title: String, _ path: String...) {
        self.title = title
        self.path = path
    }
}

extension AdminOptions {
    /// Prints an answer: in JSON, or as a sentence.
    func show(_ answer: JSON, _ sentence: (JSON) -> String) {
        print(json ? answer.line : sentence(answer))
    }

    /// Prints a line that somebody waits for: at once, also where a program reads it.
    func tell(_ line: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Prints a list, page by page.
    ///
    /// - Parameter name: of the member with the entries.
    func showList(
        _ path: [String], _ name: String, query: [(name: String, value: String?)] = [], _ columns: [AdminColumn],
        beside others: (JSON) -> [String] = { _ in [] }
    ) async throws {
        let client = try client()
        var after: String?
        repeat {
            let page = try await client.call(.get, path, query: query + [("limit", "1000"), ("after", after)])
            let entries = page[name]?.elements ?? []
            if json {
                for entry in entries { print(entry.line) }
            } else {
                AdminTable.print(entries, columns, withTitles: after == nil)
            }
            after = page["next"]?.string
            if after == nil, !json { for line in others(page) { print(line) } }
        } while after != nil
    }
}

enum AdminTable {
    /// Prints entries as rows. What is missing is a hyphen.
    static func print(_ entries: [JSON], _ columns: [AdminColumn], withTitles: Bool = true) {
        for line in lines(entries, columns, withTitles: withTitles) { Swift.print(line) }
    }

    static func lines(_ entries: [JSON], _ columns: [AdminColumn], withTitles: Bool = true) -> [String] {
        let rows =
            (withTitles ? [columns.map(\.title)] : [])
            + entries.flatMap { entry in lines(of: columns.map { entry.text($0.path) }) }
        let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
                .trimmingSuffix()
        }
    }

    /// The lines of a row: a text of several lines goes on below itself.
    private static func lines(of cells: [String]) -> [[String]] {
        let parts = cells.map { cell in
            cell.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).plain }
        }
        let count = parts.map(\.count).max() ?? 0
        return (0..<count).map { line in parts.map { line < $0.count ? $0[line] : "" } }
    }
}

extension String {
    fileprivate func trimmingSuffix() -> String {
        String(reversed().drop { $0 == " " }.reversed())
    }

    /// Without what a terminal would take for a command: names of users come from outside.
    var plain: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
}

extension JSON {
    /// The value behind some names, for people.
    fileprivate func text(_ path: [String]) -> String {
        var value: JSON? = self
        for name in path { value = value?[name] }
        switch value {
        case .string(let text)?: return text.isEmpty ? "-" : text
        case .number(let text)?: return text
        case .bool(let flag)?: return flag ? "yes" : "no"
        case .array(let elements)?: return elements.map { $0.text([]) }.joined(separator: ",")
        case .object(let members)?: return members.map { $0.value.text([]) }.joined(separator: " ")
        case .null?, nil: return "-"
        }
    }

    /// In one line of JSON.
    var line: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
