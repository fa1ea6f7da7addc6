import CausewayModel
import CausewayQuery

// Keeps a property's indexes up to date: the index of values has one entry for each row, and the index of words has one
// for each word of a row's text.

extension Table {
    /// Enters the value of a row that has no entries in the column's indexes.
    func putIndex(_ column: Column, _ value: Value, _ key: ObjectKey) {
        if let index = column.index { append(value, key, .present, to: index, of: column) }
        if let words = column.words, case .string(var text) = value {
            text.withUTF8 { append(wordsOf: UnsafeRawBufferPointer($0), key, .present, to: words) }
        }
    }

    /// The same for a string, as UTF-8.
    func putIndex(_ column: Column, text: UnsafeRawBufferPointer, _ key: ObjectKey) {
        if let index = column.index { append(text, isData: false, key, .present, to: index) }
        if let words = column.words { append(wordsOf: text, key, .present, to: words) }
    }

    /// Puts a value in the place of the one before.
    func changeIndex(_ column: Column, from before: Value, to value: Value, _ key: ObjectKey) {
        if let index = column.index {
            append(before, key, .absent, to: index, of: column)
            append(value, key, .present, to: index, of: column)
        }
        guard let words = column.words, before != value else { return }
        TextWords.forEachDifference(wordsOnce(of: before), wordsOnce(of: value)) { word, isNew in
            words.append(word, key, isNew ? .present : .absent, in: self)
        }
    }

    private func wordsOnce(of value: Value) -> TextWords {
        var words = TextWords()
        guard case .string(var text) = value else { return words }
        text.withUTF8 { words.read(UnsafeRawBufferPointer($0)) }
        words.removeRepetitions()
        return words
    }

    /// Removes deleted rows from the indexes of a column, which still has their values.
    func leaveIndexes(_ keys: [ObjectKey], _ index: Int) {
        let column = columns[index]
        if let postings = column.index {
            if column.kind == .bytes, schema.properties[index].type != .mixed {
                let isData = schema.properties[index].type == .data
                for key in keys {
                    withBytes(key, index) { append($0, isData: isData, key, .absent, to: postings) }
                }
            } else {
                for key in keys { append(value(key, index), key, .absent, to: postings, of: column) }
            }
        }
        guard let words = column.words else { return }
        for key in keys {
            withBytes(key, index) { text in
                if let text { append(wordsOf: text, key, .absent, to: words) }
            }
        }
    }

    /// Enters all objects in an index that was added to an existing property.
    func fillIndex(_ index: Int, _ kind: Catalog.IndexKind) {
        let column = columns[index]
        forEachKey { key in
            switch kind {
            case .values:
                if let postings = column.index { append(value(key, index), key, .present, to: postings, of: column) }
            case .words:
                withBytes(key, index) { text in
                    if let text, let words = column.words { append(wordsOf: text, key, .present, to: words) }
                }
            }
            return true
        }
    }

    // MARK: - Entries

    private func append(
        _ value: Value, _ key: ObjectKey, _ kind: PendingChanges.Kind, to index: Postings, of column: Column
    ) {
        let buffer = transaction.keyBuffer
        buffer.clear()
        if case .mixed = column.role {
            guard buffer.append(mixed: value) else { return }
        } else {
            buffer.append(index: value)
        }
        index.append(buffer.bytes, key, kind, in: self)
    }

    /// Appends the entry of a string, or data; nil for null.
    func append(
        _ bytes: UnsafeRawBufferPointer?, isData: Bool, _ key: ObjectKey, _ kind: PendingChanges.Kind,
        to index: Postings
    ) {
        let buffer = transaction.keyBuffer
        buffer.clear()
        if let bytes { buffer.append(indexText: bytes, isData: isData) } else { buffer.append(index: .null) }
        index.append(buffer.bytes, key, kind, in: self)
    }

    /// Appends the entry of a mixed value by its bytes; nil for null.
    func append(mixed bytes: UnsafeRawBufferPointer?, _ key: ObjectKey, to index: Postings) {
        let buffer = transaction.keyBuffer
        buffer.clear()
        if buffer.append(mixed: bytes.map { MixedBytes.decode($0) } ?? .null) {
            index.append(buffer.bytes, key, .present, in: self)
        }
    }

    func append(
        wordsOf text: UnsafeRawBufferPointer, _ key: ObjectKey, _ kind: PendingChanges.Kind, to index: Postings
    ) {
        transaction.words.read(text)
        transaction.words.removeRepetitions()
        transaction.words.forEachKey { index.append($0, key, kind, in: self) }
    }
}
