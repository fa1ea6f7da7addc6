import CausewayModel
import CausewayQuery

/// A part of a predicate, prepared to run over leaves: it finds the slots of a leaf for which it holds.
///
/// Only candidates are tested, so an AND narrows what its later parts read, and a part with a cost per row tests few
/// rows.
protocol LeafTest {
    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap

    /// Whether it certainly holds for no row of a leaf, decided without reading rows.
    func isRuledOut(_ number: Int) -> Bool

    /// The approximate cost of one row, in nanoseconds.
    var cost: Double { get }

    /// The estimated share of rows for which it holds.
    var share: Double { get }

    var explanation: String { get }

    /// Whether nearly all its work is one pass, made for the first row that it is asked about. Then a second thread would
    /// make the same pass.
    var isOnePass: Bool { get }

    /// The approximate bytes that it keeps in memory at most, once it was asked about many rows.
    var scratchBytes: Int { get }

    /// Removes the rows for which it does not hold, and keeps nothing in memory afterwards (`LeafBatch`).
    func narrow(_ leaves: inout [LeafRows])

    /// Drops what it keeps in memory. It finds it again when it is asked.
    func letGo()
}

extension LeafTest {
    func isRuledOut(_ number: Int) -> Bool { false }
    var share: Double { 0.5 }
    var isOnePass: Bool { false }
    var scratchBytes: Int { 0 }
    func letGo() {}

    func narrow(_ leaves: inout [LeafRows]) {
        for index in leaves.indices where !leaves[index].rows.isEmpty {
            leaves[index].rows = evaluate(leaves[index].number, leaves[index].rows)
        }
        letGo()
    }
}

struct ConstantTest: LeafTest {
    let value: Bool

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap { value ? candidates : SlotBitmap() }
    func isRuledOut(_ number: Int) -> Bool { !value }
    var cost: Double { 0 }
    var share: Double { value ? 1 : 0 }
    var explanation: String { value ? "all" : "none" }
}

struct AndTest: LeafTest {
    private let parts: [any LeafTest]

    /// The part that drops the most rows for its cost comes first.
    init(_ parts: [any LeafTest]) {
        self.parts = parts.sorted { $0.cost * (1.01 - $1.share) < $1.cost * (1.01 - $0.share) }
    }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        if isRuledOut(number) { return SlotBitmap() }
        var left = candidates
        for part in parts {
            if left.isEmpty { break }
            left = part.evaluate(number, left)
        }
        return left
    }

    func isRuledOut(_ number: Int) -> Bool {
        for part in parts where part.isRuledOut(number) { return true }
        return false
    }

    var cost: Double {
        var share = 1.0
        return parts.reduce(0) { sum, part in
            defer { share *= part.share }
            return sum + part.cost * share
        }
    }
    var share: Double { parts.reduce(1) { $0 * $1.share } }
    var scratchBytes: Int { parts.reduce(0) { $0 + $1.scratchBytes } }
    func letGo() { for part in parts { part.letGo() } }

    func narrow(_ leaves: inout [LeafRows]) {
        for index in leaves.indices where isRuledOut(leaves[index].number) { leaves[index].rows = SlotBitmap() }
        for part in parts { part.narrow(&leaves) }
    }

    var explanation: String { "(" + parts.map(\.explanation).joined(separator: " and ") + ")" }
}

struct OrTest: LeafTest {
    private let parts: [any LeafTest]

    /// The part that settles the most rows for its cost comes first.
    init(_ parts: [any LeafTest]) {
        self.parts = parts.sorted { $0.cost * ($1.share + 0.01) < $1.cost * ($0.share + 0.01) }
    }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        var found = SlotBitmap()
        for part in parts {
            let open = candidates.subtracting(found)
            if open.isEmpty { break }
            found = found.union(part.evaluate(number, open))
        }
        return found
    }

    func isRuledOut(_ number: Int) -> Bool {
        for part in parts where !part.isRuledOut(number) { return false }
        return true
    }

    var cost: Double { parts.reduce(0) { $0 + $1.cost } }
    var share: Double { 1 - parts.reduce(1) { $0 * (1 - $1.share) } }
    var scratchBytes: Int { parts.reduce(0) { $0 + $1.scratchBytes } }
    func letGo() { for part in parts { part.letGo() } }

    func narrow(_ leaves: inout [LeafRows]) {
        var open = leaves
        for part in parts {
            var found = open
            part.narrow(&found)
            for index in open.indices { open[index].rows = open[index].rows.subtracting(found[index].rows) }
        }
        for index in leaves.indices { leaves[index].rows = leaves[index].rows.subtracting(open[index].rows) }
    }

    var explanation: String { "(" + parts.map(\.explanation).joined(separator: " or ") + ")" }
}

struct NotTest: LeafTest {
    let part: any LeafTest

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        candidates.subtracting(part.evaluate(number, candidates))
    }

    var cost: Double { part.cost }
    var share: Double { 1 - part.share }
    var scratchBytes: Int { part.scratchBytes }
    func letGo() { part.letGo() }

    func narrow(_ leaves: inout [LeafRows]) {
        var found = leaves
        part.narrow(&found)
        for index in leaves.indices { leaves[index].rows = leaves[index].rows.subtracting(found[index].rows) }
    }

    var explanation: String { "not \(part.explanation)" }
}

/// Asks the row evaluator about each candidate: for lists, aggregates, and whatever has no column test.
struct RowTest: LeafTest {
    let table: Table
    let predicate: BoundPredicate

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        var found = SlotBitmap()
        candidates.forEach { slot in
            let key = ObjectKey(Int64(number * slotsPerLeaf + slot))
            if predicate.matches(StoredRow(table: table, key: key)) { found.insert(slot) }
        }
        return found
    }

    var cost: Double { 500 }
    var explanation: String { "row by row" }
}
