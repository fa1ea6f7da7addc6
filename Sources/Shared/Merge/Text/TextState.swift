package import CausewayModel
package import CausewayOperations

/// What is known of one text: its scalars, those that were removed included, and the text that they show.
package struct TextState: Sendable {
    package private(set) var runs = TextRuns()
    /// The scalars of the runs that are not removed, in their order.
    private var buffer = TextBuffer()

    package init() {}

    /// - Parameter text: what the runs show.
    /// - Throws: when the runs show more or fewer scalars.
    package init(_ runs: TextRuns, showing text: String) throws(EncodingError) {
        self.runs = runs
        buffer = TextBuffer(text)
        guard buffer.count == runs.count else {
            throw EncodingError(.malformed, "A text has another length than its runs: the file is damaged.", offset: 0)
        }
    }

    /// - Parameter runs: what ``encodedRuns()`` returned.
    package init(runs: [UInt8], text: String) throws(EncodingError) {
        try self.init(try TextRuns(encoded: runs), showing: text)
    }

    /// The runs without the text, which is stored elsewhere.
    package func encodedRuns() -> [UInt8] { runs.encoded() }

    /// Unicode scalars that are not removed.
    package var count: Int { runs.count }
    package var isEmpty: Bool { count == 0 }
    /// Whether nobody ever typed here.
    package var isUntouched: Bool { runs.isUntouched }
    /// How many runs are kept, removed ones included.
    package var pieceCount: Int { runs.pieceCount }

    /// - Complexity: O(n)
    package var string: String { buffer.string }

    /// The bytes of UTF-8 that show.
    package var sizeBytes: Int { buffer.byteCount }

    /// Whether a value is this text, scalar for scalar. `==` of strings is wider: it accepts equivalent scalars.
    package func isShown(by value: Value) -> Bool {
        if case .string(let shown) = value { shown.utf8.elementsEqual(string.utf8) } else { false }
    }

    /// The invariants of runs and text, for tests.
    package var isOrderOfTree: Bool { runs.isOrderOfTree }
    package var isCounted: Bool { runs.isCounted && string.unicodeScalars.count == count }
}

extension TextState: Hashable {
    /// Two texts that have seen the same operations are equal, however their pieces lie in memory.
    package static func == (left: TextState, right: TextState) -> Bool {
        left.runs == right.runs && left.string.utf8.elementsEqual(right.string.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(string)
    }
}

// MARK: - Changing

extension TextState {
    /// Inserts text before the scalar with an index, or at the end, and returns the operation.
    ///
    /// The scalars get consecutive ids from `id` on. Nil if the text is empty.
    ///
    /// - Precondition: `index` is in `0...count`.
    /// - Complexity: O(1) beside the previous edit, otherwise O(n / 128) in pieces
    package mutating func insert(_ text: String, at index: Int, id: ElementID) -> TextOperation? {
        if text.isEmpty { return nil }
        let (left, right) = runs.insert(buffer.insert(text, at: index), at: index, id: id)
        return .insert(id, left: left, right: right, text: text)
    }

    /// Removes scalars and returns the operations: one for each run of ids.
    ///
    /// - Precondition: the range is in `0..<count`.
    package mutating func remove(_ range: Range<Int>) -> [TextOperation] {
        let operations = runs.remove(range)
        buffer.remove(range)
        return operations
    }

    /// Joins one operation by the rules T1 to T9 and U1 to U5.
    ///
    /// - Complexity: O(n / 128) in pieces if nothing concurrent stands at the place; otherwise also by the depth of
    ///   what does
    @discardableResult
    package mutating func join(_ operation: TextOperation) -> Outcome {
        switch operation {
        case .insert(let id, let left, let right, let text):
            guard let place = runs.join(text.scalarCount, id, left: left, right: right) else { return .noEffect }
            _ = buffer.insert(text, at: place)
            return .applied
        case .delete(let first, let count):
            var outcome = Outcome.noEffect
            runs.join(deleted: first, count) { range in
                buffer.remove(range)
                outcome = .applied
            }
            return outcome
        }
    }
}

// MARK: - Forgetting

extension TextState {
    /// See ``TextRuns/knowsWhatIsNamed(by:)``.
    package mutating func knowsWhatIsNamed(by operation: TextOperation) -> Bool {
        runs.knowsWhatIsNamed(by: operation)
    }

    package var isWorthForgetting: Bool { runs.isWorthForgetting }

    /// F8: an insert of a writer who does not know all scalars, with its origins replaced by two neighbours here. Nil
    /// for other operations.
    package mutating func placedByWhatIsKnown(_ operation: TextOperation) -> TextOperation? {
        guard case .insert(let id, let left, let right, let text) = operation else { return nil }
        let (knownLeft, knownRight) = runs.knownNeighbours(left, right)
        return .insert(id, left: knownLeft, right: knownRight, text: text)
    }

    /// See ``TextRuns/forget(_:)``. The text stays as it is.
    package mutating func forget(_ mark: [UInt8]) throws(EncodingError) -> Bool { try runs.forget(mark) }
}

// MARK: - Bytes

// The byte table is in Operations/ENCODING.md, "State of a text". Equal states have equal bytes: pieces are written as
// long as they can be, in the order of the text.

extension TextState: MarkedState {
    package static let mark = UInt64(UInt32.max) - 1

    package func write(to writer: inout ByteWriter) {
        writer.write(varint: Self.mark)
        runs.write(to: &writer)
        writer.write(string: string)
    }

    package init(from reader: inout ByteReader) throws(EncodingError) {
        guard try reader.readVarint() == Self.mark else { throw reader.malformed("no text is here") }
        runs = try TextRuns(from: &reader)
        buffer = TextBuffer(try reader.readString())
        guard buffer.count == runs.count else { throw reader.malformed("a text has another length than its runs") }
        guard isOrderOfTree else { throw reader.malformed("the runs of a text are not in the order of their tree") }
    }
}
