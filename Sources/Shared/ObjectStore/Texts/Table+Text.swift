package import CausewayMerge
package import CausewayModel

extension Table {
    // MARK: - Reading

    /// The number of Unicode scalars of a text.
    ///
    /// - Complexity: O(c) in chunks of a long text that was edited, otherwise O(n)
    package func textCount(_ key: ObjectKey, _ column: Int) -> Int {
        if let text = outsideText(key, column) { return text.scalars }
        return withBytes(key, column) { $0?.scalarCount ?? 0 }
    }

    /// Some scalars of a text.
    ///
    /// - Precondition: they are in the text.
    /// - Complexity: O(k + c), with k scalars and c chunks of a long text
    package func text(_ key: ObjectKey, _ column: Int, in range: Range<Int>) -> String {
        if let text = outsideText(key, column) { return text.string(in: range) }
        return withBytes(key, column) { bytes in
            guard let bytes else { return "" }
            let rest = UnsafeRawBufferPointer(rebasing: bytes[bytes.offset(ofScalar: range.lowerBound)...])
            return String(decoding: rest[..<rest.offset(ofScalar: range.count)], as: UTF8.self)
        }
    }

    /// The chunks of a long text that was edited, in their order; none of other texts. Two chunks of one text with the
    /// same number hold the same scalars, in all versions of the file.
    ///
    /// - Complexity: O(c)
    package func textChunks(_ key: ObjectKey, _ column: Int) -> [TextChunk] {
        outsideText(key, column)?.chunks.map { TextChunk(number: $0.id, count: $0.scalars) } ?? []
    }

    /// The text, if it lies outside of its leaf.
    private func outsideText(_ key: ObjectKey, _ column: Int) -> OpenText? {
        guard key.rawValue >= 0 else { return nil }
        let place = columns[column]
        if let known = transaction.texts.known(place.id, key.rawValue) { return known }
        let isOutside =
            if let leaf = leaf(column, key.leafNumber) {
                LongLeaf.isOutside(leaf, key.slot)
            } else {
                place.writableLeaf(at: key.leafNumber)?.strings?.isOutside(key.slot) ?? false
            }
        return isOutside ? transaction.openText(place.id, key.rawValue) : nil
    }

    // MARK: - Changing

    /// Edits a text of an object that is here, and notes the edit for the log of this write.
    ///
    /// - Precondition: the edit's places are in the text.
    /// - Complexity: O(k + c), with k bytes of the edit and c chunks of a long text; O(n) for an indexed text
    package func edit(_ key: ObjectKey, text column: Int, _ edit: TextEdit) {
        precondition(schema.properties[column].isText, "what is no text was edited as one")
        var removed = ""
        if case .remove(let range) = edit, transaction.notesEdits { removed = self.text(key, column, in: range) }
        if !columns[column].isIndexed, let text = changeableText(key, column, edit) {
            text.beginChanging(self, column)
            text.apply(edit)
        } else {
            guard case .string(let old) = value(key, column) else { return }
            replace(key, column, by: .string(old.applying(edit)))
        }
        changes.modify(key, column)
        if transaction.notesEdits { changes.edit(key, column, edit, removing: removed) }
    }

    /// The open form of a text that is too long for its leaf, or may be after an edit.
    private func changeableText(_ key: ObjectKey, _ column: Int, _ edit: TextEdit) -> OpenText? {
        precondition(exists(key), "a text of an object that is not here was edited")
        let (place, number, slot) = (columns[column], key.leafNumber, key.slot)
        if let text = outsideText(key, column) {
            // Readers of the leaf have the address of the text as it was.
            if let leaf = leaf(column, number) { LongLeaf.forget(leaf, slot) }
            return text
        }
        let added = if case .insert(let text, _) = edit { text.utf8.count } else { 0 }
        let isShort = withBytes(key, column) { ($0?.count ?? 0) + added <= LongValues.shortMax }
        guard !isShort, let strings = place.write(number, of: self).strings else { return nil }
        let text = strings.withBytes(slot) { OpenText($0, place.id, key.rawValue, transaction) }
        strings.moveOutside(slot, transaction, place, number: number)
        transaction.texts.add(text)
        return text
    }

    // MARK: - Committing

    /// The changed texts that the commit stores in chunks. Those that fit into their leaves are written there.
    func takeLongTexts() -> [OpenText] {
        var long: [OpenText] = []
        for text in transaction.texts.changed(of: self) {
            let key = ObjectKey(text.row)
            guard let owner = text.owner, exists(key) else { continue }
            guard text.bytes <= LongValues.shortMax else {
                long.append(text)
                continue
            }
            // The leaf lets go of the open text, whose bytes it takes.
            withExtendedLifetime(text) {
                columns[owner.column].write(key.leafNumber, of: self).strings?.set(key.slot, text.joined)
            }
        }
        return long
    }
}

/// A part of a long text.
package struct TextChunk: Hashable, Sendable {
    /// Zero while it is not stored, or stands in one piece with the rest.
    package let number: UInt64
    /// In Unicode scalars.
    package let count: Int
}

extension String {
    /// - Precondition: the edit's places are in the text.
    package func applying(_ edit: TextEdit) -> String {
        switch edit {
        case .insert(let text, let place): replacing(place..<place, text)
        case .remove(let range): replacing(range, "")
        }
    }

    /// The string with another text in place of a range of scalars.
    private func replacing(_ range: Range<Int>, _ text: String) -> String {
        var (old, new) = (self, text)
        return old.withUTF8 { old in
            let start = old.offset(ofScalar: range.lowerBound)
            let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(old)[start...])
            let end = start + rest.offset(ofScalar: range.count)
            return new.withUTF8 { new in
                String(unsafeUninitializedCapacity: start + new.count + old.count - end) { target in
                    var place = target[...].update(fromContentsOf: old[..<start])
                    place = target[place...].update(fromContentsOf: new)
                    _ = target[place...].update(fromContentsOf: old[end...])
                    return start + new.count + old.count - end
                }
            }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// - Precondition: the place is in the text.
    fileprivate func offset(ofScalar number: Int) -> Int {
        precondition(number <= scalarCount, "A place beyond the end of a text was edited.")
        return UnsafeRawBufferPointer(self).offset(ofScalar: number)
    }
}
