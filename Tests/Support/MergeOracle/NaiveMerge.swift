package import CausewayExactValues
package import CausewayModel
package import CausewayOperations

/// The rules as declarations over the operations of one object: slow and obvious. Nothing of the product's merge is in it,
/// nor of what it takes for the same value, the same name, or the same element of a set.
///
/// What the fast merge reaches by joining one operation after another must be what stands here. The order of delivery
/// shows in one place only, as in RULES.md, section 1: an operation that was written without having seen that the object
/// was deleted and made again counts in the life in which it arrives.
package struct NaiveMerge {
    package var operations: [(operation: Operation, stamp: Stamp)]

    package init(operations: [(operation: Operation, stamp: Stamp)] = []) {
        self.operations = operations
    }

    /// Life, explicit-or-default fields, and what is visible of lists, sets, maps and texts, bit by bit.
    package struct Outcome: Equatable, Sendable {
        package var life: UInt32
        package var fields: [ExactString: ExactValue]
        package var lists: [ExactString: [ExactValue]]
        /// Sets and maps.
        package var entries: [ExactString: [ExactValue: ExactValue]]
        package var texts: [ExactString: ExactString]

        package init(
            life: UInt32, fields: [ExactString: ExactValue] = [:], lists: [ExactString: [ExactValue]] = [:],
            entries: [ExactString: [ExactValue: ExactValue]] = [:], texts: [ExactString: ExactString] = [:]
        ) {
            self.life = life
            self.fields = fields
            self.lists = lists
            self.entries = entries
            self.texts = texts
        }
    }

    package var outcome: Outcome {
        let life = operations.map { reachedLife($0.operation) }.max() ?? 0
        guard life % 2 == 1 else { return Outcome(life: life) }
        var outcome = Outcome(life: life)

        var candidates: [ExactString: [(isExplicit: Int, stamp: Stamp, order: Int, value: Value)]] = [:]
        var lists: [ExactString: NaiveList] = [:]
        // What compares as equal is one key, and stands as the operation that won wrote it.
        var entries: [ExactString: [SetIdentity: [(stamp: Stamp, order: Int, key: Value, value: Value?)]]] = [:]
        var additions: [ExactString: [Addition]] = [:]
        var texts: [ExactString: NaiveText] = [:]
        func consider(_ field: FieldValue, _ stamp: Stamp, _ order: Int) {
            candidates[ExactString(field.property), default: []].append(
                (field.isDefault ? 0 : 1, stamp, order, field.value))
        }
        for (order, (operation, stamp)) in counting(in: life) {
            switch operation {
            case .create(_, _, let fields):
                for field in fields { consider(field, stamp, order) }
            case .set(_, let field): consider(field, stamp, order)
            case .list(_, let property, let operation):
                lists[ExactString(property), default: NaiveList()].operations.append((operation, stamp))
            case .keyed(_, let property, let change):
                let value: Value? = if case .put(_, let value) = change { value } else { nil }
                entries[ExactString(property), default: [:]][SetIdentity(change.key), default: []]
                    .append((stamp, order, change.key, value))
            case .add(_, let property, let addition):
                additions[ExactString(property), default: []].append(addition)
            case .text(_, let property, let operation):
                texts[ExactString(property), default: NaiveText()].join(operation)
            case .delete: break
            }
        }
        outcome.entries = entries.mapValues { keys in
            let standing = keys.values.map { all in all.max { ($0.stamp, $0.order) < ($1.stamp, $1.order) }! }
            return Dictionary(
                uniqueKeysWithValues: standing.compactMap { one in
                    one.value.map { (ExactValue(stored: one.key), ExactValue(stored: $0)) }
                })
        }.filter { !$0.value.isEmpty }
        // A counter of which nobody gave a first value begins at zero.
        for property in additions.keys { candidates[property, default: []].append((0, .zero, -1, .int(0))) }
        for (property, all) in candidates {
            let standing = all.max { ($0.isExplicit, $0.stamp, $0.order) < ($1.isExplicit, $1.stamp, $1.order) }!
            outcome.fields[property] = ExactValue(stored: standing.value)
            let base = standing.isExplicit == 1 ? standing.stamp : .zero
            let counting = (additions[property] ?? []).filter { $0.base == base }
            guard case .int(let value) = standing.value, !counting.isEmpty else { continue }
            outcome.fields[property] = ExactValue(.int(counting.reduce(value) { $0 &+ $1.amount }))
        }
        outcome.lists = lists.mapValues { $0.values.map { ExactValue(stored: $0) } }.filter { !$0.value.isEmpty }
        outcome.texts = texts.mapValues { ExactString($0.string) }.filter { !$0.value.string.isEmpty }
        return outcome
    }

    /// The creates of a life, and what was delivered in it and is not older than it.
    private func counting(in life: UInt32) -> [(order: Int, stamped: (operation: Operation, stamp: Stamp))] {
        var reached: UInt32 = 0
        var born: Stamp?
        var counting: [(order: Int, stamped: (operation: Operation, stamp: Stamp))] = []
        for (order, stamped) in operations.enumerated() {
            let next = reachedLife(stamped.operation)
            reached = max(reached, next)
            if next == life {
                born = min(born ?? stamped.stamp, stamped.stamp)
                counting.append((order, stamped))
            } else if next == 0, reached == life, let born, stamped.stamp >= born {
                counting.append((order, stamped))
            }
        }
        return counting
    }

    /// Zero for what is about properties.
    private func reachedLife(_ operation: Operation) -> UInt32 {
        switch operation {
        case .create(_, let life, _), .delete(_, let life): life
        case .set, .list, .keyed, .add, .text: 0
        }
    }
}
