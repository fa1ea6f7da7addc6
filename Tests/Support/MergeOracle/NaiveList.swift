package import CausewayModel
package import CausewayOperations

/// Fugue from its definition: a tree made of the origins, walked from left to right.
package struct NaiveList {
    package var operations: [(operation: ListOperation, stamp: Stamp)]

    package init(operations: [(operation: ListOperation, stamp: Stamp)] = []) {
        self.operations = operations
    }

    private struct Node {
        var parent: ElementID?
        var isLeft: Bool
        var element: ElementID
    }

    package var values: [Value] {
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
            // U1: an element that is not there gets no other place.
            case .move(let id, let position, let left, let right) where nodes[id] != nil:
                add(position, id, left, right, &nodes)
            default: break
            }
        }
        return nodes
    }

    private func add(
        _ id: ElementID, _ element: ElementID, _ left: ElementID?, _ right: ElementID?, _ nodes: inout [ElementID: Node]
    ) {
        // U2: a left origin that is not known is none. U3: for a right one stands what follows the left.
        let left = left.flatMap { nodes[$0] == nil ? nil : $0 }
        if let right = right.flatMap({ nodes[$0] == nil ? successor(of: left, nodes) : $0 }) {
            var climbing = right
            while nodes[climbing]!.isLeft { climbing = nodes[climbing]!.parent! }
            if nodes[climbing]!.parent == left {
                nodes[id] = Node(parent: right, isLeft: true, element: element)
                return
            }
        }
        nodes[id] = Node(parent: left, isLeft: false, element: element)
    }

    private func successor(of left: ElementID?, _ nodes: [ElementID: Node]) -> ElementID? {
        let order = walk(nodes, nil)
        guard let left, let place = order.firstIndex(of: left) else { return order.first }
        return place + 1 < order.count ? order[place + 1] : nil
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
