import CausewayModel
import CausewayStorage

// Lists, sets and maps: heads with their chunks, chunks with their counts, elements with what the property takes.

extension ContentCheck {
    /// One collection's entries: the one under its object's key, and its chunks and groups by number.
    private struct StoredCollection {
        var row: Int64
        var head: UnsafeRawBufferPointer?
        var parts: [UInt32: UnsafeRawBufferPointer] = [:]
    }

    func checkCollection(_ place: Int, of checked: CheckedClass) {
        let property = checked.record.schema.properties[place]
        let column = checked.record.columns[place]
        let name = "'\(checked.name).\(property.name)'"
        var counts: [Int64: Int] = [:]
        forEachCollection(in: column.list, name) { stored in
            guard let values = elements(stored, property.type, name, checked) else { return }
            if property.collection == .map { counts[stored.row] = values.count }
            checkElements(values, stored.row, place, of: checked)
        }
        guard property.collection == .map else { return }
        forEachCollection(in: column.keys, "the keys of \(name)") { stored in
            guard let keys = elements(stored, .string, "the keys of \(name)", checked) else { return }
            if !ascends(keys) {
                report.note("The keys of '\(property.name)' of \(checked.sentence(stored.row)) do not ascend.")
            }
            if counts.removeValue(forKey: stored.row) != keys.count {
                report.note(
                    "The map '\(property.name)' of \(checked.sentence(stored.row)) has other numbers of keys and values."
                )
            }
        }
        for row in counts.keys.sorted() {
            report.note("The map '\(property.name)' of \(checked.sentence(row)) has values without keys.")
        }
    }

    private func checkElements(
        _ values: [Value], _ row: Int64, _ place: Int, of checked: CheckedClass
    ) {
        let property = checked.record.schema.properties[place]
        let takesNull = property.isOptional || property.type == .mixed || property.collection == .map
        if !takesNull, values.contains(.null) {
            report.note("'\(property.name)' of \(checked.sentence(row)) has null where it takes none.")
        }
        if property.collection == .set, !ascends(values) {
            report.note("The elements of the set '\(property.name)' of \(checked.sentence(row)) do not ascend.")
        }
        guard property.type == .object || property.type == .mixed else { return }
        for value in values { addLink(value, from: row, place, of: checked) }
    }

    private func ascends(_ values: [Value]) -> Bool {
        zip(values, values.dropFirst()).allSatisfy { Value.canonicallyPrecedes($0, $1) }
    }

    /// Visits the collections of a tree, each with all its entries: the head comes first, and the parts behind it.
    private func forEachCollection(
        in tree: UInt32, _ name: String, _ body: (StoredCollection) -> Void
    ) {
        var current: StoredCollection?
        reader.scan(tree: tree, from: [], upTo: nil, reversed: false) { key, bytes in
            guard key.count == 8 || key.count == 12 else {
                report.note("An entry of \(name) is that of no object.")
                return true
            }
            let row = Int64(bitPattern: key.readUInt64(at: 0))
            if current?.row != row {
                if let current { body(current) }
                current = StoredCollection(row: row)
            }
            if key.count == 8 {
                current?.head = bytes
            } else {
                current?.parts[key.readBigEndian32(at: 8)] = bytes
            }
            return true
        }
        if let current { body(current) }
    }

    /// All elements; nil when they cannot be read, which is noted.
    private func elements(
        _ stored: StoredCollection, _ type: PropertyType, _ name: String, _ checked: CheckedClass
    ) -> [Value]? {
        guard checked.isAlive(stored.row) else {
            report.note("\(name) has elements of \(checked.sentence(stored.row)), which is not there.")
            return nil
        }
        var parts = stored.parts
        let values = stored.head.flatMap { head in
            ListHead.isHead(head) ? chunked(head, &parts, type) : chunk(head, type, count: nil)
        }
        guard let values else {
            report.note("The elements of \(name) of \(checked.sentence(stored.row)) contradict themselves.")
            return nil
        }
        if !parts.isEmpty {
            report.note("\(name) of \(checked.sentence(stored.row)) has a chunk that belongs to nothing.")
        }
        return values
    }

    /// The elements of a list in chunks. Takes the parts that its head leads to.
    private func chunked(
        _ bytes: UnsafeRawBufferPointer, _ parts: inout [UInt32: UnsafeRawBufferPointer], _ type: PropertyType
    ) -> [Value]? {
        guard let head = ListHead(bytes) else { return nil }
        var chunks = head.parts
        if head.hasGroups {
            chunks = []
            for group in head.parts {
                guard group.id < head.nextID, let bytes = parts.removeValue(forKey: group.id),
                    let members = ListHead.chunks(ofGroup: bytes, count: group.count)
                else { return nil }
                chunks += members
            }
        }
        var values: [Value] = []
        for part in chunks {
            guard part.id < head.nextID, let bytes = parts.removeValue(forKey: part.id),
                let elements = chunk(bytes, type, count: part.count)
            else { return nil }
            values += elements
        }
        return values.count == head.count ? values : nil
    }

    private func chunk(_ bytes: UnsafeRawBufferPointer, _ type: PropertyType, count: Int?) -> [Value]? {
        guard let list = ListBytes(bytes, type), list.count > 0, count.map({ $0 == list.count }) ?? true,
            list.hasSoundOffsets
        else { return nil }
        return list.values
    }
}
