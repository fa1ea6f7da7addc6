import CausewayModel

extension TextRuns {
    /// Invariants 1 and 2: whether the pieces are in the order of their tree and know their children.
    ///
    /// - Complexity: O(n) in pieces; where the ids of a client are far apart, also their sorting
    package var isOrderOfTree: Bool {
        var walk = TreeWalk(clients)
        for block in blocks {
            for piece in block.pieces {
                guard walk.visit(piece) else { return false }
            }
        }
        return walk.end() && areApart
    }

    /// Whether all ids differ.
    private var areApart: Bool {
        var ids = [DistinctRuns](repeating: DistinctRuns(), count: clients.count)
        for block in blocks {
            for piece in block.pieces { ids[Int(piece.key.client)].announce(piece.ids) }
        }
        for client in ids.indices { ids[client].begin() }
        for block in blocks {
            for piece in block.pieces {
                guard ids[Int(piece.key.client)].insert(piece.ids) else { return false }
            }
        }
        return ids.indices.allSatisfy { ids[$0].end() }
    }

    /// Whether all counts are those of the pieces.
    var isCounted: Bool {
        var visible = 0
        for (place, block) in blocks.enumerated() {
            guard block.pieces.reduce(0, { $0 + $1.visible }) == block.visible,
                !block.pieces.isEmpty, places[Int(block.number)] == place
            else { return false }
            visible += block.visible
        }
        return visible == count
    }
}

extension TextRuns.Piece {
    /// The numbers of its ids, which are all of one client.
    fileprivate var ids: Range<UInt64> { key.counter..<key.counter + UInt64(count) }
}

/// Visits pieces one after the other, and finds out whether that is the order of their tree: the left children of a piece
/// with all below them, the piece, its right children with all below them; siblings by their ids.
///
/// The stack holds the pieces whose right children may still come. A left child comes before its parent: it begins a
/// *group*, which is complete when the parent comes.
private struct TreeWalk {
    private struct Node {
        let piece: TextRuns.Piece
        var lastRightChild: TextRuns.Key?
        var continues = false
        var hasOthers = false
    }

    private let clients: [ClientID]
    private var stack: [Node] = []
    /// Where the groups begin in the stack.
    private var groups: [Int] = []
    private var lastRoot: TextRuns.Key?

    init(_ clients: [ClientID]) {
        self.clients = clients
    }

    /// False if a piece does not belong here.
    mutating func visit(_ piece: TextRuns.Piece) -> Bool {
        guard takeLeftChildren(of: piece) else { return false }
        switch piece.link {
        case .left: groups.append(stack.count)
        case .right where piece.parent == .root:
            guard groups.isEmpty, close(downTo: 0), isBehind(lastRoot, piece.key) else { return false }
            lastRoot = piece.key
        case .right:
            // The parent is known once it is found: then there is a number behind its own.
            guard hang(piece, behind: piece.parent), piece.parent.advanced(by: 1) != piece.key else { return false }
            stack[stack.count - 1].hasOthers = true
        case .continuation:
            guard piece.key.counter > 0 else { return false }
            let parent = TextRuns.Key(client: piece.key.client, counter: piece.key.counter - 1)
            guard hang(piece, behind: parent) else { return false }
            stack[stack.count - 1].continues = true
        }
        stack.append(Node(piece: piece))
        return true
    }

    /// False if a piece waits for a parent that did not come.
    mutating func end() -> Bool { groups.isEmpty && close(downTo: 0) }

    private mutating func takeLeftChildren(of piece: TextRuns.Piece) -> Bool {
        var next: TextRuns.Key?
        while let start = groups.last, stack[start].piece.parent == piece.key {
            let child = stack[start].piece.key
            if let next, !isBehind(child, next) { return false }
            next = child
            groups.removeLast()
            guard close(downTo: start) else { return false }
        }
        return true
    }

    /// Finds the parent of a right child, which becomes the last of the stack.
    private mutating func hang(_ piece: TextRuns.Piece, behind parent: TextRuns.Key) -> Bool {
        while let node = stack.last, node.piece.last != parent {
            guard stack.count - 1 > groups.last ?? -1, close(downTo: stack.count - 1) else { return false }
        }
        guard let node = stack.last, isBehind(node.lastRightChild, piece.key) else { return false }
        stack[stack.count - 1].lastRightChild = piece.key
        return true
    }

    /// Takes pieces from the stack: they have all their children now. False if one knows of others.
    private mutating func close(downTo count: Int) -> Bool {
        while stack.count > count {
            guard let node = stack.popLast(), node.continues == node.piece.continues,
                node.hasOthers == node.piece.hasOthers
            else { return false }
        }
        return true
    }

    private func isBehind(_ sibling: TextRuns.Key?, _ key: TextRuns.Key) -> Bool {
        sibling.map { TextRuns.precedes($0, key, clients) } ?? true
    }
}
