import CausewayMerge
import CausewayModel
import CausewayStorage

/// One long text as one transaction sees it, while it is used: bytes of UTF-8 in chunks of about a page.
///
/// 1. The chunks in their order are the text. Each holds whole scalars, and none is empty, except the only one of an
///    empty text.
/// 2. Chunks are read from the file when they are first needed, and get memory of their own when they are first changed.
/// 3. A chunk is at most ``TextHead/chunkMax`` bytes long.
/// 4. Only a text with an owner differs from what is stored.
final class OpenText {
    struct Part {
        /// Zero for a chunk that is not stored.
        var id: UInt64
        var bytes: Int
        var scalars: Int
        var content: Content
    }

    enum Content {
        case stored
        /// Valid as long as the transaction stays on its version, and this row's entries are not written.
        case borrowed(UnsafeRawBufferPointer)
        /// Changed in this write.
        case owned([UInt8])
    }

    /// Who stores the changes.
    struct Owner {
        /// Not counted: the transaction owns its tables and its open texts.
        unowned(unsafe) let table: Table
        let column: Int
    }

    let column: UInt32
    let row: Int64
    // Not counted: the transaction owns its open texts.
    private unowned(unsafe) let transaction: Transaction
    private(set) var parts: [Part] = []
    private(set) var bytes = 0
    private(set) var scalars = 0
    private(set) var owner: Owner?
    /// Numbers of stored chunks that are no longer used.
    private var dropped: [UInt64] = []
    /// Whether it begins with what was set in this write, so that nothing that is stored of the row belongs to it.
    private var replacesStored = false
    /// The chunk used last, and the scalars before it: the next use is likely to be there.
    private var near = (part: 0, start: 0)
    /// The text in one piece, once somebody asked for it.
    private var whole: UnsafeRawBufferPointer?
    private var ownWhole: UnsafeMutableRawBufferPointer?

    private init(_ column: UInt32, _ row: Int64, _ transaction: Transaction) {
        self.column = column
        self.row = row
        self.transaction = transaction
    }

    deinit {
        ownWhole?.deallocate()
    }

    /// A text as it is stored; nil when its entry contradicts itself.
    convenience init?(stored entry: UnsafeRawBufferPointer, _ column: UInt32, _ row: Int64, _ transaction: Transaction)
    {
        self.init(column, row, transaction)
        guard TextHead.isHead(entry) else {
            cut(entry)
            whole = entry
            return
        }
        guard let head = TextHead(entry) else { return nil }
        parts = head.parts.map { Part(id: $0.id, bytes: $0.bytes, scalars: $0.scalars, content: .stored) }
        count()
    }

    /// A text that is not stored in this form yet, and will be.
    convenience init(
        _ content: UnsafeRawBufferPointer, _ column: UInt32, _ row: Int64, _ transaction: Transaction
    ) {
        self.init(column, row, transaction)
        replacesStored = true
        cut(content)
        for index in parts.indices { own(index) }
    }

    private func cut(_ content: UnsafeRawBufferPointer) {
        var start = 0
        repeat {
            let end = content.chunkEnd(from: start, most: TextHead.cutBytes)
            let slice = UnsafeRawBufferPointer(rebasing: content[start..<end])
            parts.append(Part(id: 0, bytes: slice.count, scalars: slice.scalarCount, content: .borrowed(slice)))
            start = end
        } while start < content.count
        count()
    }

    private func count() {
        bytes = parts.reduce(0) { $0 + $1.bytes }
        scalars = parts.reduce(0) { $0 + $1.scalars }
    }

    // MARK: - Reading

    private func withBytes<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        load(index)
        switch parts[index].content {
        case .borrowed(let bytes): return body(bytes)
        case .owned(let bytes): return bytes.withUnsafeBytes(body)
        case .stored: preconditionFailure("a chunk of a text was read before it was loaded")
        }
    }

    /// Finds a chunk in the file. One that is missing reads as spaces, and is an error of the transaction.
    private func load(_ index: Int) {
        guard case .stored = parts[index].content else { return }
        let part = parts[index]
        let key = LongValues.key(column, row, chunk: part.id)
        if let found = transaction.reader.get(FixedTree.longValues, key), found.count == part.bytes {
            parts[index].content = .borrowed(found)
        } else {
            transaction.noteDamage(transaction.store.damaged())
            parts[index].content = .owned([UInt8](repeating: 0x20, count: part.bytes))
        }
    }

    /// The chunk with a scalar. A place between two chunks belongs to the second, for an insertion to the first.
    private func find(_ scalar: Int, isInsertion: Bool = false) -> (part: Int, start: Int) {
        var (part, start) = near.start <= scalar ? near : (0, 0)
        while part + 1 < parts.count,
            scalar > start + parts[part].scalars || (!isInsertion && scalar == start + parts[part].scalars)
        {
            start += parts[part].scalars
            part += 1
        }
        near = (part, start)
        return near
    }

    /// The whole text in one piece, valid until the next change of it.
    ///
    /// - Complexity: O(n) the first time
    var joined: UnsafeRawBufferPointer {
        if let whole { return whole }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes, 1), alignment: 16)
        var place = 0
        for index in parts.indices {
            withBytes(index) { chunk in
                UnsafeMutableRawBufferPointer(rebasing: memory[place..<place + chunk.count]).copyMemory(from: chunk)
                place += chunk.count
            }
        }
        ownWhole = memory
        transaction.texts.joinedBytes += bytes
        let joined = UnsafeRawBufferPointer(start: memory.baseAddress, count: place)
        whole = joined
        return joined
    }

    /// - Precondition: the scalars are in the text.
    /// - Complexity: O(k + c), with k scalars and c chunks
    func string(in range: Range<Int>) -> String {
        var (index, start) = find(range.lowerBound)
        var result: [UInt8] = []
        var left = range.count
        var offset = range.lowerBound - start
        while left > 0, index < parts.count {
            let taken = min(left, parts[index].scalars - offset)
            withBytes(index) { chunk in
                let first = chunk.offset(ofScalar: offset)
                let rest = UnsafeRawBufferPointer(rebasing: chunk[first...])
                result.append(contentsOf: rest[..<rest.offset(ofScalar: taken)])
            }
            left -= taken
            start += parts[index].scalars
            index += 1
            offset = 0
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// What is stored of its chunks, in their order; chunks that are not stored as they are have the number zero.
    var chunks: [TextHead.Part] {
        parts.map { part in
            let isStored = if case .owned = part.content { false } else { true }
            return TextHead.Part(id: isStored ? part.id : 0, bytes: part.bytes, scalars: part.scalars)
        }
    }
}

// MARK: - Changing

extension OpenText {
    /// Makes the next commit store what changes from here on.
    func beginChanging(_ table: Table, _ column: Int) {
        if owner == nil { owner = Owner(table: table, column: column) }
        whole = nil
        if let memory = ownWhole {
            transaction.texts.joinedBytes -= bytes
            memory.deallocate()
            ownWhole = nil
        }
    }

    /// - Precondition: `beginChanging` was called, and the edit's places are in the text.
    /// - Complexity: O(k + c), with k bytes and c chunks
    func apply(_ edit: TextEdit) {
        switch edit {
        case .insert(var text, let place):
            precondition(place >= 0 && place <= scalars, "A place beyond the end of a text was edited.")
            text.withUTF8 { insert(UnsafeRawBufferPointer($0), at: place) }
        case .remove(let range):
            precondition(range.upperBound <= scalars, "A place beyond the end of a text was edited.")
            remove(range)
        }
    }

    private func insert(_ text: UnsafeRawBufferPointer, at place: Int) {
        let isAppended = place == scalars
        let (index, start) = find(place, isInsertion: true)
        let added = text.scalarCount
        change(index) { chunk in
            let offset = chunk.withUnsafeBytes { $0.offset(ofScalar: place - start) }
            chunk.insert(contentsOf: text, at: offset)
        }
        parts[index].bytes += text.count
        parts[index].scalars += added
        bytes += text.count
        scalars += added
        if parts[index].bytes > TextHead.chunkMax { split(index, isAppended: isAppended) }
    }

    private func remove(_ range: Range<Int>) {
        var left = range.count
        while left > 0 {
            let (index, start) = find(range.lowerBound)
            let offset = range.lowerBound - start
            let taken = min(left, parts[index].scalars - offset)
            guard taken > 0 else { return }
            left -= taken
            scalars -= taken
            if taken == parts[index].scalars, parts.count > 1 {
                bytes -= parts[index].bytes
                drop(index)
                continue
            }
            let gone = change(index) { chunk in
                let first = chunk.withUnsafeBytes { $0.offset(ofScalar: offset) }
                let count = chunk.withUnsafeBytes {
                    UnsafeRawBufferPointer(rebasing: $0[first...]).offset(ofScalar: taken)
                }
                chunk.removeSubrange(first..<first + count)
                return count
            }
            bytes -= gone
            parts[index].bytes -= gone
            parts[index].scalars -= taken
            if parts[index].bytes < TextHead.chunkMax / 4 { join(index) }
        }
    }

    private func change<Result>(_ index: Int, _ body: (inout [UInt8]) -> Result) -> Result {
        own(index)
        guard case .owned(var chunk) = parts[index].content else {
            preconditionFailure("a chunk of a text was changed without memory of its own")
        }
        // The only reference must be the one that changes.
        parts[index].content = .stored
        defer { parts[index].content = .owned(chunk) }
        return body(&chunk)
    }

    private func own(_ index: Int) {
        load(index)
        if case .borrowed(let bytes) = parts[index].content { parts[index].content = .owned(Array(bytes)) }
    }

    private func drop(_ index: Int) {
        if parts[index].id != 0 { dropped.append(parts[index].id) }
        parts.remove(at: index)
        near = (0, 0)
    }

    /// Cuts a chunk that has become too long. A text that is typed at its end gets full chunks.
    private func split(_ index: Int, isAppended: Bool) {
        let long = parts[index]
        guard case .owned(let content) = long.content else { return }
        let count = (long.bytes + TextHead.chunkMax - 1) / TextHead.chunkMax
        // Even pieces, with room for a scalar that is not cut; of what was put in at once, pieces with room for edits.
        let piece: Int
        if count > 2 {
            piece = TextHead.cutBytes
        } else {
            piece = isAppended ? TextHead.chunkMax : min(TextHead.chunkMax, long.bytes / count + 4)
        }
        var pieces: [Part] = []
        content.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let end = bytes.chunkEnd(from: start, most: piece)
                let slice = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                pieces.append(
                    Part(id: 0, bytes: slice.count, scalars: slice.scalarCount, content: .owned(Array(slice))))
                start = end
            }
        }
        pieces[0].id = long.id
        parts.replaceSubrange(index...index, with: pieces)
    }

    /// Joins a short chunk with a neighbour that has room for it.
    private func join(_ index: Int) {
        guard parts.count > 1 else { return }
        let left = index + 1 < parts.count ? index : index - 1
        guard parts[left].bytes + parts[left + 1].bytes <= TextHead.chunkMax * 3 / 4 else { return }
        let right = withBytes(left + 1) { Array($0) }
        change(left) { $0.append(contentsOf: right) }
        parts[left].bytes += parts[left + 1].bytes
        parts[left].scalars += parts[left + 1].scalars
        drop(left + 1)
    }
}

// MARK: - Storing

extension OpenText {
    /// Writes the changed chunks and the head.
    func store(to writer: any StorageWriter) {
        if replacesStored { LongValues.removeChunks(column, row, from: writer) }
        let largestID = max(parts.map(\.id).max() ?? 0, dropped.max() ?? 0)
        for id in dropped { writer.remove(FixedTree.longValues, LongValues.key(column, row, chunk: id)) }
        dropped = []
        // A number says in which version its chunk was written, so it is never given twice. A migration may store a text
        // more than once in one version.
        var next = max((writer.version + 1) << 20, largestID + 1)
        for index in parts.indices {
            if parts[index].id != 0 {
                guard case .owned = parts[index].content else { continue }
                writer.remove(FixedTree.longValues, LongValues.key(column, row, chunk: parts[index].id))
            }
            parts[index].id = next
            next += 1
            withBytes(index) { chunk in
                LongValues.key(column, row, chunk: parts[index].id).withUnsafeBytes {
                    writer.put(tree: FixedTree.longValues, key: $0, value: chunk)
                }
            }
        }
        let head = TextHead(parts.map { TextHead.Part(id: $0.id, bytes: $0.bytes, scalars: $0.scalars) })
        writer.put(FixedTree.longValues, LongValues.key(column, row), head.encoded)
    }
}

extension UnsafeRawBufferPointer {
    /// Where a chunk ends that begins at an offset and holds whole scalars.
    fileprivate func chunkEnd(from start: Int, most bytes: Int) -> Int {
        let end = Swift.min(start + bytes, count)
        let whole = scalarStart(atOrBefore: end)
        return whole > start ? whole : end
    }
}
