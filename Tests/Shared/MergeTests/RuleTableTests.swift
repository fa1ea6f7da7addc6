import CausewayMerge
import CausewayMergeUniverse
import CausewayModel
import CausewayOperations
import Foundation
import Testing

/// RULES.md has a row for every pair of operations, and what the row says about both orders is so.
@Suite struct RuleTableTests {
    /// The kinds of operations, by the names that the table has for them.
    enum Kind: String, CaseIterable {
        case create, delete, set
        case setDefault = "set default"
        case add
        case listInsert = "list insert"
        case listDelete = "list delete"
        case listMove = "list move"
        case listSet = "list set"
        case listClear = "list clear"
        case put, remove
        case textInsert = "text insert"
        case textDelete = "text delete"

        // No default: a new operation is not forgotten here.
        init(_ operation: CausewayOperations.Operation) {
            self =
                switch operation {
                case .create: .create
                case .delete: .delete
                case .set(_, let field): field.isDefault ? .setDefault : .set
                case .add: .add
                case .list(_, _, .insert): .listInsert
                case .list(_, _, .delete): .listDelete
                case .list(_, _, .move): .listMove
                case .list(_, _, .set): .listSet
                case .list(_, _, .clear): .listClear
                case .keyed(_, _, .put): .put
                case .keyed(_, _, .remove): .remove
                case .text(_, _, .insert): .textInsert
                case .text(_, _, .delete): .textDelete
                }
        }
    }

    struct Pair: Hashable, CustomStringConvertible {
        let one: Kind
        let other: Kind

        /// In the order of the table, whichever comes first.
        init(_ one: Kind, _ other: Kind) {
            let kinds = Kind.allCases
            let isInOrder = kinds.firstIndex(of: one)! <= kinds.firstIndex(of: other)!
            self.one = isInOrder ? one : other
            self.other = isInOrder ? other : one
        }

        static let all = Set(Kind.allCases.flatMap { one in Kind.allCases.map { Pair(one, $0) } })

        var description: String { "\(one.rawValue), \(other.rawValue)" }
    }

    private struct Row {
        let one: String
        let other: String
        let outcome: String
        let rules: [String]
    }

    private let text: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../")
        text = try String(contentsOf: root.appending(path: "Sources/Shared/Merge/RULES.md"), encoding: .utf8)
    }

    /// Of a table in Markdown: its cells, without the line that divides the heading from the rows.
    private static func cells(_ line: Substring) -> [String]? {
        guard line.hasPrefix("|"), !line.hasPrefix("|---") else { return nil }
        return line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private func rows() throws -> [Row] {
        let section = try #require(text.components(separatedBy: "\n## 10. Every pair\n").dropFirst().first)
        let lines = section.components(separatedBy: "\n## ")[0].split(separator: "\n")
        return lines.compactMap(Self.cells).dropFirst().map { cells in
            Row(
                one: cells[0], other: cells[1], outcome: cells[2],
                rules: cells[3].components(separatedBy: ", "))
        }
    }

    @Test("every pair of operations has one row, and the rules it names are there")
    func everyPair() throws {
        let rows = try rows()
        var pairs: [Pair] = []
        for row in rows {
            let one = try #require(Kind(rawValue: row.one), "no operation is called \(row.one)")
            let other = try #require(Kind(rawValue: row.other), "no operation is called \(row.other)")
            pairs.append(Pair(one, other))
            #expect(!row.outcome.isEmpty)
        }
        #expect(Set(pairs) == Pair.all)
        #expect(pairs.count == Pair.all.count, "a pair has two rows")

        let defined = Set(text.split(separator: "\n").compactMap(Self.cells).map { $0[0] }).union(["I"])
        for row in rows {
            for rule in row.rules { #expect(defined.contains(rule), "\(row.one), \(row.other): no rule \(rule)") }
        }
    }

    @Test("sections are numbered one after another, and differences have reasons")
    func sections() throws {
        let numbers = text.split(separator: "\n").filter { $0.hasPrefix("## ") }.compactMap { line in
            line.dropFirst(3).split(separator: ".").first.flatMap { Int($0) }
        }
        #expect(numbers == Array(1...numbers.count))
        let rest = try #require(text.components(separatedBy: "\n## 11. ").last)
        let differences = try #require(rest.components(separatedBy: "\n## ").first)
        for cells in differences.split(separator: "\n").compactMap(Self.cells) {
            #expect(cells.count == 4 && !cells[3].isEmpty, "\(cells)")
        }
    }

    @Test("every pair of operations comes about, and gives the same in both orders")
    func bothOrders() {
        var founder = Author(9)
        let beginning = Self.beginning.flatMap { founder.act($0) }
        var met: Set<Pair> = []
        for first in Intention.allCases {
            for second in Intention.allCases {
                var (left, right) = (Author(1), Author(2))
                left.receive(beginning)
                right.receive(beginning)
                let (one, other) = (left.act(first), right.act(second))
                // Section 1: the pair for which the server's order decides.
                if (one + other).contains(where: Self.bringsBack) { continue }
                let worlds = [one + other, other + one].map { actions in
                    var world = World()
                    world.join(beginning + actions, by: World.product)
                    return world
                }
                #expect(worlds[0] == worlds[1], "\(first), \(second)")
                for action in one {
                    for another in other where another.operation.target == action.operation.target {
                        met.insert(Pair(Kind(action.operation), Kind(another.operation)))
                    }
                }
            }
        }
        #expect(Pair.all.subtracting(met) == [])
    }

    /// Something of every kind, so that everything can be done to it.
    private static let beginning: [Intention] = [
        .create, .deleteAndCreateOther, .insertLast, .insertLast, .putA, .includeA, .typeLast, .embed, .appendPart,
        .appendPart, .mixList, .deepMake,
    ]

    private static func bringsBack(_ action: Stamped) -> Bool {
        if case .create(_, let life, _) = action.operation { life > 1 } else { false }
    }
}
