package import CausewayModel
package import CausewayQuery

/// The objects of a class that an aggregate is over.
package enum AggregatedRows {
    case all
    case matching(BoundPredicate)
    /// In this order. A key that occurs twice counts twice.
    case keys([ObjectKey])
}

extension Transaction {
    /// An aggregate of a property, or of one at the end of to-one links, over objects of a class.
    ///
    /// - sum: `.int`, wrapped around where 64 bits do not hold it, `.double` or `.decimal`. Zero for nothing.
    /// - minimum, maximum: a value of the property's type, or null for nothing. NaN is skipped. If both zeros occur,
    ///   the result may be either.
    ///
    /// Doubles are added in eight lanes, not in the order of the objects; decimals one after the other.
    ///
    /// - Returns: nil when the property's type has no such aggregate.
    /// - Complexity: O(n). The minimum and maximum of a whole column read only the headers of leaves, unless objects
    ///   were deleted in the same transaction.
    package func aggregate(
        _ aggregate: Aggregate, of path: BoundPath, _ className: String, over rows: AggregatedRows
    ) throws(StoreError) -> Value? {
        settle()
        guard let last = path.steps.last, last.collection == .none, let table = table(className) else { return nil }
        switch (last.type, aggregate) {
        case (.int, _): return try fold(IntegerFold(aggregate), path, table, rows)
        case (.float, _), (.double, _):
            return try fold(DoubleFold(aggregate, isDouble: last.type == .double), path, table, rows)
        case (.date, .minimum), (.date, .maximum), (.date, .count):
            return try fold(DateFold(aggregate), path, table, rows)
        case (.decimal128, _): return try fold(DecimalFold(aggregate), path, table, rows)
        default: return nil
        }
    }

    private func fold<Fold: ColumnFold>(
        _ empty: Fold, _ path: BoundPath, _ table: Table, _ rows: AggregatedRows
    ) throws(StoreError) -> Value? {
        var fold = empty
        if path.steps.count == 1 {
            let column = path.steps[0].property
            switch rows {
            case .all:
                for number in table.leafNumbers { table.add(column, number, table.aliveWords(number), to: &fold) }
            case .matching(let predicate):
                QueryPlan(table, predicate).run {
                    table.add(column, $0, $1, to: &fold)
                    return true
                }
            case .keys(let keys): table.add(column, keys, to: &fold)
            }
        } else {
            let keys: [ObjectKey] =
                switch rows {
                case .all: table.allKeys
                case .matching(let predicate): try self.keys(table.name, matching: predicate)
                case .keys(let keys): keys
                }
            if let (table, keys, step) = table.end(of: path, from: keys) { table.add(step.property, keys, to: &fold) }
        }
        try throwDamage()
        return fold.result
    }
}

extension Table {
    fileprivate func add<Fold: ColumnFold>(_ column: Int, _ number: Int, _ slots: SlotBitmap, to fold: inout Fold) {
        guard let leaf = leaf(column, number) else { return }
        let header = LeafHeader(leaf)
        var present = slots
        if header.hasNulls { present = present.subtracting(SlotBitmap(nullsOf: leaf)) }
        if header.count < slotsPerLeaf { present = present.intersection(SlotBitmap(first: header.count)) }
        if !present.isEmpty { fold.add(leaf, present) }
    }

    fileprivate func add<Fold: ColumnFold>(_ column: Int, _ keys: [ObjectKey], to fold: inout Fold) {
        keys.withUnsafeBufferPointer { keys in
            KeyRun.forEach(in: keys) { run in
                guard let leaf = leaf(column, of: run) else { return }
                fold.add(leaf, PresentSlots(run: run, header: LeafHeader(leaf)))
            }
        }
    }
}
