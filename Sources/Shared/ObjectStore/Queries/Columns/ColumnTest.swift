import CausewayModel
import CausewayQuery

/// Whether a comparison holds for null slots. It is the same for every type: null equals nil and differs from any
/// value.
struct NullRule {
    let nullsMatch: Bool

    init(nullsMatch: Bool) {
        self.nullsMatch = nullsMatch
    }

    init(_ comparator: Comparator, _ operand: [Value]) {
        let namesNull = operand.contains(.null)
        nullsMatch = comparator == .notEqual ? !namesNull : namesNull && [.equal, .in, .like].contains(comparator)
    }

    /// - Parameter found: the matches among slots that the leaf reaches. Null slots in it are ignored.
    @inline(__always)
    func apply(_ found: SlotBitmap, _ leaf: UnsafeRawPointer, _ candidates: SlotBitmap) -> SlotBitmap {
        let header = LeafHeader(leaf)
        if !header.hasNulls, header.count == slotsPerLeaf { return found.intersection(candidates) }
        return applyNulls(found, leaf, candidates)
    }

    /// Slots the leaf does not reach are null.
    private func applyNulls(
        _ found: SlotBitmap, _ leaf: UnsafeRawPointer, _ candidates: SlotBitmap
    ) -> SlotBitmap {
        let nulls = SlotBitmap(nullsOf: leaf)
        guard nullsMatch else { return found.subtracting(nulls).intersection(candidates) }
        let unreached = candidates.subtracting(SlotBitmap(first: LeafHeader(leaf).count))
        return found.union(nulls).intersection(candidates).union(unreached)
    }
}

/// The column that a test reads, and its rule for nulls.
struct TestedColumn {
    let table: Table
    let column: Int
    let nulls: NullRule

    init(_ table: Table, _ column: Int, _ comparator: Comparator, _ operand: [Value]) {
        self.table = table
        self.column = column
        nulls = NullRule(comparator, operand)
    }

    var explanation: String { "scan \(table.name).\(table.schema.properties[column].name)" }

    @inline(__always)
    func leaf(_ number: Int) -> UnsafeRawPointer? { table.leaf(column, number) }

    /// Runs a kernel over the leaf, then applies the rule for nulls.
    @inline(__always)
    func evaluate(
        _ number: Int, _ candidates: SlotBitmap, isNegated: Bool = false, _ kernel: (UnsafeRawPointer) -> SlotBitmap
    ) -> SlotBitmap {
        guard let leaf = leaf(number) else { return SlotBitmap() }
        var found = kernel(leaf)
        if isNegated { found = SlotBitmap(first: LeafHeader(leaf).count).subtracting(found) }
        return nulls.apply(found, leaf, candidates)
    }
}

/// The share of rows an operator is guessed to hold for.
enum GuessedShare {
    static func of(_ comparator: Comparator, _ operand: [Value]) -> Double {
        switch comparator {
        case .equal: 0.05
        case .notEqual: 0.95
        case .in: min(0.05 * Double(operand.count), 0.5)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: 0.4
        case .between: 0.25
        case .beginsWith, .endsWith, .contains, .like, .text: 0.1
        }
    }
}

extension UnsafeRawPointer {
    /// Whether a leaf's minimum and maximum are valid.
    @inline(__always)
    var hasZone: Bool { leafField(LeafLayout.flags, UInt8.self) & LeafLayout.flagZone != 0 }
}
