import Foundation

/// Two runs of the benchmark, row by row.
package struct Comparison {
    /// One row of both runs.
    package struct Pair: Equatable {
        package let before: Row
        package let now: Row
        /// 1.1 for a tenth slower, or larger; below one for an improvement.
        package let slowdown: Double
    }

    /// Noise of a quiet machine stays below it; more is slower.
    package static let tolerance = 1.1

    package let pairs: [Pair]
    package let gone: [Row]
    package let new: [Row]

    package var slower: [Pair] { pairs.filter { $0.slowdown > Self.tolerance } }

    package init(before: [Row], now: [Row]) {
        let old = Self.numbered(before)
        var left = Dictionary(uniqueKeysWithValues: old)
        var (pairs, new): ([Pair], [Row]) = ([], [])
        for (key, row) in Self.numbered(now) {
            if let before = left.removeValue(forKey: key) {
                pairs.append(Pair(before: before, now: row, slowdown: Self.slowdown(from: before, to: row)))
            } else {
                new.append(row)
            }
        }
        self.pairs = pairs
        self.new = new
        gone = old.filter { left[$0.0] != nil }.map(\.1)
    }

    // MARK: - Which rows are the same

    private struct Key: Hashable {
        let group, name, unit: String
        /// Rows of one name are told apart by their order: one figure beside several peers, one work at several sizes.
        let number: Int
    }

    private static func numbered(_ rows: [Row]) -> [(Key, Row)] {
        var counts: [String: Int] = [:]
        return rows.map { row in
            let name = bare(row.name)
            let number = counts["\(row.group)\n\(name)\n\(row.unit)", default: 0]
            counts["\(row.group)\n\(name)\n\(row.unit)"] = number + 1
            return (Key(group: row.group, name: name, unit: row.unit, number: number), row)
        }
    }

    /// Older runs told in the name how many runs there were.
    private static func bare(_ name: String) -> String {
        ["(one run)", "(three runs)"].reduce(name) { $0.replacingOccurrences(of: " \($1)", with: "") }
    }

    private static func slowdown(from before: Row, to now: Row) -> Double {
        let isMore = (now.better ?? before.better) == .more
        let (worse, better) = isMore ? (before.ours, now.ours) : (now.ours, before.ours)
        // Nothing is not slower than nothing.
        return worse == better ? 1 : worse / better
    }
}

// MARK: - As a table

extension Comparison {
    package static let header = line("group", "name", "before", "now", "change", "ratios to the peer")

    package var text: String {
        let rows = pairs.map { pair in
            let (before, now) = (pair.before, pair.now)
            return Self.line(
                now.group, now.name, "\(Row.number(before.ours)) \(before.unit)", "\(Row.number(now.ours)) \(now.unit)",
                Self.change(pair.slowdown),
                "\(before.ratio.map { Row.number($0) } ?? "-") → \(now.ratio.map { Row.number($0) } ?? "-")")
        }
        return ([Self.header] + rows + [summary]).joined(separator: "\n")
    }

    private var summary: String {
        let limit = "\(Int(((Self.tolerance - 1) * 100).rounded())) %"
        return "\(pairs.count) rows compared, \(slower.count) slower by more than \(limit); "
            + "\(new.count) only now, \(gone.count) only before"
    }

    private static func change(_ slowdown: Double) -> String {
        let percent = String(format: "%.1f %%", (slowdown - 1) * 100)
        return slowdown > tolerance ? "+\(percent)  SLOWER" : slowdown > 1 ? "+\(percent)" : percent
    }

    private static func line(_ fields: String...) -> String {
        Row.pad(fields, [8, 78, 20, 20, 20, 0])
    }
}
