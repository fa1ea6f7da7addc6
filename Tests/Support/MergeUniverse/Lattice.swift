/// The sets of delivered changesets that respect causality, and how one leads to the next.
///
/// A path from the empty set to the full one is an order of delivery, and every order is a path.
package struct Lattice: Sendable {
    package struct Node: Sendable {
        /// Per writer, how many of its changesets were delivered.
        package let delivered: [Int]
        /// What can have been delivered last, and the node before that.
        package let edges: [(from: Int, changeset: Int)]
        /// In how many orders one gets here.
        package let orders: Int
    }

    /// The empty set first, the full one last, each behind those that lead to it.
    package let nodes: [Node]

    package var orders: Int { nodes[nodes.count - 1].orders }

    package init(_ knowledge: Knowledge) {
        var nodes: [Node] = []
        var places: [[Int]: Int] = [:]
        let counts = 0...Knowledge.turns
        for delivered in counts.flatMap({ a in counts.flatMap { b in counts.map { c in [a, b, c] } } }) {
            var edges: [(from: Int, changeset: Int)] = []
            for writer in 0..<Knowledge.writers where delivered[writer] > 0 {
                let changeset = writer * Knowledge.turns + delivered[writer] - 1
                var before = delivered
                before[writer] -= 1
                let isKnown = zip(before, knowledge.seen[changeset]).allSatisfy { $0 >= $1 }
                if isKnown, let place = places[before] { edges.append((place, changeset)) }
            }
            guard !edges.isEmpty || delivered == [0, 0, 0] else { continue }
            places[delivered] = nodes.count
            let orders = edges.reduce(0) { $0 + nodes[$1.from].orders }
            nodes.append(Node(delivered: delivered, edges: edges, orders: max(1, orders)))
        }
        self.nodes = nodes
    }

    /// The order of delivery with a number from 0.
    package func order(_ number: Int) -> [Int] {
        var (node, number) = (nodes.count - 1, number)
        var order: [Int] = []
        while node != 0 {
            for edge in nodes[node].edges {
                let orders = nodes[edge.from].orders
                if number < orders {
                    order.append(edge.changeset)
                    node = edge.from
                    break
                }
                number -= orders
            }
        }
        return order.reversed()
    }
}
