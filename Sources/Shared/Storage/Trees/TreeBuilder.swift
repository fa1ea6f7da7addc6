/// Makes a tree from entries that come in order, in one pass, with full pages. Used to copy a file.
struct TreeBuilder {
    private let assembly: TreeAssembly

    init(output: any PageOutput) {
        assembly = TreeAssembly(space: output.space, output: output)
    }

    /// Appends all entries of a tree of another space. Its bytes must stay where they are until the output is done.
    func append(contentsOf reader: TreeReader) throws(StorageError) {
        guard !reader.root.isNone else { return }
        let source = TreeAssembly(space: reader.space, output: assembly.output)
        try append(reader.root, source, assembly.level(0))
    }

    private func append(
        _ pointer: PagePointer, _ source: TreeAssembly, _ level: TreeLevel
    ) throws(StorageError) {
        let node = try source.node(pointer)
        for index in 0..<node.count {
            if node.level > 0 {
                try append(node.child(index), source, level)
                continue
            }
            let slot = node.slot(index)
            guard let key = slot.key(source.space), let value = slot.value(source.space) else { throw source.damage() }
            try append(key, value)
        }
    }

    /// - Parameter key: larger than the key before; in stored form, that is with its tree number in front.
    ///   Key and value must stay where they are until the output is done.
    func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StorageError) {
        try assembly.append(try assembly.entry(key, value), at: 0, assembly.level(0), isNew: true)
    }

    /// The root of the tree. The builder must not be used again.
    func finish() throws(StorageError) -> PagePointer {
        try assembly.finish()
    }
}
