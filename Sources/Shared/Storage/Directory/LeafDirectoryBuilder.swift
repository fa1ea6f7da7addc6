/// Makes a directory from leaves that come in order. Keeps at most one node of each level in memory.
struct LeafDirectoryBuilder {
    private let output: any PageOutput
    private var columns = DirectoryHalfBuilder(.columns)
    private var numbers = DirectoryHalfBuilder(.numbers)
    private var column: UInt32 = 0

    init(output: any PageOutput) {
        self.output = output
    }

    /// - Parameter place: larger than the one before.
    mutating func append(_ place: LeafPlace, _ run: PagePointer) throws(StorageError) {
        if place.column != column { try finishColumn() }
        column = place.column
        try numbers.append(place.number, run, into: output)
    }

    mutating func finish() throws(StorageError) -> PagePointer {
        try finishColumn()
        return try columns.finish(into: output)
    }

    private mutating func finishColumn() throws(StorageError) {
        let root = try numbers.finish(into: output)
        if !root.isNone { try columns.append(column, root, into: output) }
    }
}

private struct DirectoryHalfBuilder {
    private let half: DirectoryHalf
    /// The nodes on the way to the last index, the lowest first.
    private var open = [DirectorySlots](repeating: DirectorySlots(), count: DirectoryHalf.heightMaximum)
    private var last: UInt32?

    init(_ half: DirectoryHalf) {
        self.half = half
    }

    mutating func append(_ index: UInt32, _ child: PagePointer, into output: any PageOutput) throws(StorageError) {
        if let last {
            precondition(index > last, "leaves come in ascending order")
            // Close the nodes that end before the index.
            var height = 1
            while height < DirectoryHalf.heightMaximum,
                UInt64(last ^ index) >> UInt64(height * DirectoryNode.bitsPerLevel) != 0
            {
                try close(height, last, into: output)
                height += 1
            }
        }
        open[0].set(DirectoryNode.slot(of: index, atHeight: 1), to: child)
        last = index
    }

    /// The root of everything appended, as low as possible. Afterwards the builder is empty.
    mutating func finish(into output: any PageOutput) throws(StorageError) -> PagePointer {
        guard let last else { return .none }
        self.last = nil
        let height = DirectoryHalf.height(for: last)
        guard height > 0 else { return open[0].removeFirst() }
        for height in 1..<height { try close(height, last, into: output) }
        return try open[height - 1].finish(into: output, level: half.level(atHeight: height))
    }

    private mutating func close(
        _ height: Int, _ index: UInt32, into output: any PageOutput
    ) throws(StorageError) {
        let node = try open[height - 1].finish(into: output, level: half.level(atHeight: height))
        open[height].set(DirectoryNode.slot(of: index, atHeight: height + 1), to: node)
    }
}
