import CausewayMerge
import CausewayModel
import CausewayOperations

/// The rules as declarations over the *set* of operations: slow, obvious, and without any order of arrival.
///
/// What the fast merge reaches by joining one operation after another must be what stands here.
struct NaiveMerge {
    var operations: [(operation: Operation, stamp: Stamp)] = []

    /// Life, explicit-or-default fields and visible lists, as plain values.
    struct Outcome: Equatable {
        var life: UInt32
        var fields: [String: Value] = [:]
        var lists: [String: [Value]] = [:]
        /// Sets and maps.
        var entries: [String: [Value: Value]] = [:]
    }

    var outcome: Outcome {
        let life = operations.map { reachedLife($0.operation) }.max() ?? 0
        guard life % 2 == 1 else { return Outcome(life: life) }
        var outcome = Outcome(life: life)
        let born = operations.filter { isCreate($0.operation, life) }.map(\.stamp).min()!

        var candidates: [String: [(isExplicit: Int, stamp: Stamp, order: Int, value: Value)]] = [:]
        var lists: [String: NaiveList] = [:]
        var entries: [String: [Value: [(stamp: Stamp, order: Int, value: Value?)]]] = [:]
        var additions: [String: [Addition]] = [:]
        for (order, (operation, stamp)) in operations.enumerated() {
            switch operation {
            case .create(_, life, let fields):
                for field in fields {
                    candidates[field.property, default: []].append((field.isDefault ? 0 : 1, stamp, order, field.value))
                }
            case .set(_, let field) where stamp >= born:
                candidates[field.property, default: []].append((field.isDefault ? 0 : 1, stamp, order, field.value))
            case .list(_, let property, let operation) where stamp >= born:
                lists[property, default: NaiveList()].operations.append((operation, stamp))
            case .keyed(_, let property, .put(let key, let value)) where stamp >= born:
                entries[property, default: [:]][key, default: []].append((stamp, order, value))
            case .keyed(_, let property, .remove(let key)) where stamp >= born:
                entries[property, default: [:]][key, default: []].append((stamp, order, nil))
            case .add(_, let property, let addition) where stamp >= born:
                additions[property, default: []].append(addition)
            default: break
            }
        }
        outcome.entries = entries.mapValues { keys in
            keys.compactMapValues { all in all.max { ($0.stamp, $0.order) < ($1.stamp, $1.order) }!.value }
        }.filter { !$0.value.isEmpty }
        // A counter of which nobody gave a first value begins at zero.
        for property in additions.keys { candidates[property, default: []].append((0, .zero, -1, .int(0))) }
        for (property, all) in candidates {
            let standing = all.max { ($0.isExplicit, $0.stamp, $0.order) < ($1.isExplicit, $1.stamp, $1.order) }!
            outcome.fields[property] = standing.value
            let base = standing.isExplicit == 1 ? standing.stamp : .zero
            let counting = (additions[property] ?? []).filter { $0.base == base }
            guard case .int(let value) = standing.value, !counting.isEmpty else { continue }
            outcome.fields[property] = .int(counting.reduce(value) { $0 &+ $1.amount })
        }
        outcome.lists = lists.mapValues(\.values).filter { !$0.value.isEmpty }
        return outcome
    }

    private func reachedLife(_ operation: Operation) -> UInt32 {
        switch operation {
        case .create(_, let life, _), .delete(_, let life): life
        case .set, .list, .keyed, .add, .text: 0
        }
    }

    private func isCreate(_ operation: Operation, _ life: UInt32) -> Bool {
        if case .create(_, life, _) = operation { true } else { false }
    }
}

/// Fugue from its definition: a tree made of the origins, walked from left to right.
struct NaiveList {
    var operations: [(operation: ListOperation, stamp: Stamp)] = []

    private struct Node {
        var parent: ElementID?
        var isLeft: Bool
        var element: ElementID
    }

    var values: [Value] {
        let nodes = tree()
        var removed: Set<ElementID> = []
        var values: [ElementID: (Stamp, Int, Value)] = [:]
        var positions: [ElementID: (Stamp, ElementID)] = [:]
        for (order, (operation, stamp)) in operations.enumerated() {
            switch operation {
            case .insert(let id, _, _, let value):
                improve(&values, id, (stamp, order, value)) { ($0.0, $0.1) < ($1.0, $1.1) }
                improve(&positions, id, (stamp, id)) { $0 < $1 }
            case .delete(let id): removed.insert(id)
            case .move(let id, let position, _, _): improve(&positions, id, (stamp, position)) { $0 < $1 }
            case .set(let id, let value):
                improve(&values, id, (stamp, order, value)) { ($0.0, $0.1) < ($1.0, $1.1) }
            case .clear(let ids): removed.formUnion(ids)
            }
        }
        return walk(nodes, nil).compactMap { position in
            let element = nodes[position]!.element
            guard !removed.contains(element), positions[element]?.1 == position else { return nil }
            return values[element]?.2
        }
    }

    private func improve<Register>(
        _ registers: inout [ElementID: Register], _ id: ElementID, _ register: Register,
        _ isLess: (Register, Register) -> Bool
    ) {
        if let current = registers[id], isLess(register, current) { return }
        registers[id] = register
    }

    private func tree() -> [ElementID: Node] {
        var nodes: [ElementID: Node] = [:]
        for (operation, _) in operations {
            switch operation {
            case .insert(let id, let left, let right, _): add(id, id, left, right, &nodes)
            case .move(let id, let position, let left, let right): add(position, id, left, right, &nodes)
            default: break
            }
        }
        return nodes
    }

    private func add(
        _ id: ElementID, _ element: ElementID, _ left: ElementID?, _ right: ElementID?, _ nodes: inout [ElementID: Node]
    ) {
        if let right {
            var climbing = right
            while nodes[climbing]!.isLeft { climbing = nodes[climbing]!.parent! }
            if nodes[climbing]!.parent == left {
                nodes[id] = Node(parent: right, isLeft: true, element: element)
                return
            }
        }
        nodes[id] = Node(parent: left, isLeft: false, element: element)
    }

    private func walk(_ nodes: [ElementID: Node], _ parent: ElementID?) -> [ElementID] {
        func children(isLeft: Bool) -> [ElementID] {
            nodes.filter { $0.value.parent == parent && $0.value.isLeft == isLeft }.map(\.key).sorted()
        }
        let left = children(isLeft: true).flatMap { walk(nodes, $0) }
        let right = children(isLeft: false).flatMap { walk(nodes, $0) }
        return left + (parent.map { [$0] } ?? []) + right
    }
}
