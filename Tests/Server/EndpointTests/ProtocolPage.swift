import Foundation
import Testing

/// `Sources/Shared/Wire/PROTOCOL.md`, as the tables it is made of.
struct ProtocolPage {
    /// The repository.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../").standardized
    private let sections: [(title: String, lines: [Substring])]

    init() throws {
        let text = try String(
            contentsOf: Self.root.appending(path: "Sources/Shared/Wire/PROTOCOL.md"), encoding: .utf8)
        sections = text.components(separatedBy: "\n## ").map { section in
            let lines = section.split(separator: "\n", omittingEmptySubsequences: false)
            return (String(lines[0]), Array(lines.dropFirst()))
        }
    }

    /// The rows of the table of a section whose first heading is this one, without quotes of code.
    func table(_ heading: String, in section: String) throws -> [[String]] {
        let lines = try #require(sections.first { $0.title == section }, "no section '\(section)'").lines
        let tables = lines.split { !$0.hasPrefix("|") }.map { $0.compactMap(Self.cells) }
        let table = tables.first { $0.first?.first == heading }
        return Array(try #require(table, "no table '\(heading)' in '\(section)'").dropFirst())
    }

    /// How many diagrams a section has.
    func diagrams(in section: String) -> Int {
        let lines = sections.first { $0.title == section }?.lines ?? []
        return lines.count { $0.hasPrefix("device  ") && $0.contains("server") }
    }

    private static func cells(_ line: Substring) -> [String]? {
        guard !line.hasPrefix("|---") else { return nil }
        return line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != "`" }.trimmingCharacters(in: .whitespaces) }
    }
}
