import CausewayModel

/// The numbers of a list's positions by id, in blocks: ids that a writer made one after another lie side by side, and
/// operations name such ids.
struct PositionNumbers: Sendable {
    /// The block that begins with an id. The counter of that id is a multiple of the block's size.
    private var blocks: [ElementID: Int32] = [:]
    private var numbers: [Int32] = []
    /// The block found last.
    private var recent: (start: ElementID, block: Int32)?

    private static let blockBits = 4

    init(_ ids: [ElementID]) {
        // Enough if the ids come in runs; more blocks are added as needed.
        blocks.reserveCapacity(ids.count >> Self.blockBits)
        numbers.reserveCapacity(ids.count)
        for (number, id) in ids.enumerated() { self[id] = Int32(number) }
    }

    /// Nil where an id has no position.
    subscript(id: ElementID) -> Int32? {
        mutating get {
            guard let place = place(id), numbers[place] != .none else { return nil }
            return numbers[place]
        }
        set {
            guard let newValue else { preconditionFailure("A position never loses its id.") }
            numbers[place(id) ?? addBlock(id)] = newValue
        }
    }

    private mutating func place(_ id: ElementID) -> Int? {
        let (start, offset) = Self.divided(id)
        if let recent, recent.start == start { return Int(recent.block) << Self.blockBits + offset }
        guard let block = blocks[start] else { return nil }
        recent = (start, block)
        return Int(block) << Self.blockBits + offset
    }

    private mutating func addBlock(_ id: ElementID) -> Int {
        let (start, offset) = Self.divided(id)
        let block = Int32(blocks.count)
        blocks[start] = block
        recent = (start, block)
        numbers.append(contentsOf: repeatElement(.none, count: 1 << Self.blockBits))
        return Int(block) << Self.blockBits + offset
    }

    private static func divided(_ id: ElementID) -> (start: ElementID, offset: Int) {
        (
            ElementID(client: id.client, counter: id.counter & ~(1 << blockBits - 1)),
            Int(id.counter & (1 << blockBits - 1))
        )
    }
}
