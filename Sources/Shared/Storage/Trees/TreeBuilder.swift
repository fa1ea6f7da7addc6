/// Makes a tree from entries that come in order, in one pass, with full pages. Used to copy a file.
struct TreeBuilder {
    private let assembly: TreeAssembly

    init(output: any PageOutput) {
        assembly = TreeAssembly(space: output.space, output: output)
    }

    /// Appends all entries of a tree of another space, with changes over them. Its bytes, and theirs, must stay where
    /// they are until the output is done.
    ///
    /// - Parameter changes: ascending by tree and key. What they replace is not read.
    func append(
        contentsOf reader: TreeReader, under changes: [TreeOverlay.Entry] = []
    ) throws(StorageError) {
        var changes = changes[...]
        if !reader.root.isNone {
            let source = TreeAssembly(space: reader.space, output: assembly.output)
            try append(reader.root, source, &changes)
        }
        for change in changes { try append(change) }
    }

    private func append(
        _ pointer: PagePointer, _ source: TreeAssembly, _ changes: inout ArraySlice<TreeOverlay.Entry>
    ) throws(StorageError) {
        let node = try source.node(pointer)
        for index in 0..<node.count {
            if node.level > 0 {
                try append(node.child(index), source, &changes)
                continue
            }
            let slot = node.slot(index)
            guard let key = slot.key(source.space) else { throw source.damage() }
            if try appendChanges(upTo: key, &changes) { continue }
            guard let value = slot.value(source.space) else { throw source.damage() }
            try append(key, value)
        }
    }

    /// Appends the changes of keys up to one. Returns whether one of them is of this key.
    private func appendChanges(
        upTo key: UnsafeRawBufferPointer, _ changes: inout ArraySlice<TreeOverlay.Entry>
    ) throws(StorageError) -> Bool {
        while let change = changes.first {
            let order = bytesOrder(change.fullKey, key)
            if order > 0 { return false }
            try append(change)
            changes.removeFirst()
            if order == 0 { return true }
        }
        return false
    }

    private func append(_ change: TreeOverlay.Entry) throws(StorageError) {
        if !change.isRemoval { try append(change.fullKey, change.value) }
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
