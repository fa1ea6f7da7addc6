import CausewayModel
import CausewayQuery

/// A part of a predicate made ready to run over leaves: which of these slots of a leaf does it hold for?
///
/// Only candidates are answered for, so an AND narrows what its later parts look at, and a part that costs something
/// per row is asked about few rows.
protocol LeafTest {
    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap

    /// What one row costs about, in nanoseconds: cheap parts of an AND run first.
    var cost: Double { get }

    var explanation: String { get }
}

struct ConstantTest: LeafTest {
    let value: Bool

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap { value ? candidates : SlotBitmap() }
    var cost: Double { 0 }
    var explanation: String { value ? "all" : "none" }
}

struct AndTest: LeafTest {
    private let parts: [any LeafTest]

    init(_ parts: [any LeafTest]) {
        self.parts = parts.sorted { $0.cost < $1.cost }
    }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        var left = candidates
        for part in parts {
            if left.isEmpty { break }
            left = part.evaluate(number, left)
        }
        return left
    }

    var cost: Double { parts.first?.cost ?? 0 }
    var explanation: String { "(" + parts.map(\.explanation).joined(separator: " and ") + ")" }
}

struct OrTest: LeafTest {
    private let parts: [any LeafTest]

    init(_ parts: [any LeafTest]) {
        self.parts = parts.sorted { $0.cost < $1.cost }
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

    var cost: Double { parts.reduce(0) { $0 + $1.cost } }
    var explanation: String { "(" + parts.map(\.explanation).joined(separator: " or ") + ")" }
}

struct NotTest: LeafTest {
    let part: any LeafTest

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        candidates.subtracting(part.evaluate(number, candidates))
    }

    var cost: Double { part.cost }
    var explanation: String { "not \(part.explanation)" }
}

/// Asks the row evaluator about each candidate: lists, aggregates, one property against another.
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
