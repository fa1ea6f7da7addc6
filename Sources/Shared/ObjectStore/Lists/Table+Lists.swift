package import CausewayModel
import CausewayStorage

// A list is read and changed through its open form. The table keeps the open forms of the list used last, and of those
// that changed in this write.

extension Table {
    // MARK: - Reading

    package func listCount(_ key: ObjectKey, _ column: Int) -> Int {
        if let list = knownList(key, column) { return list.count }
        return storedList(key, column) { bytes in
            if let list = ListBytes(bytes, elementType(column)) { return list.count }
            return ListHead(bytes)?.count
        } ?? 0
    }

    /// The element at a position; null behind the end.
    package func listValue(_ key: ObjectKey, _ column: Int, _ index: Int) -> Value {
        let recent = recentElements
        if recent.window.version == listVersion.pointee, recent.key == key, recent.column == column,
            let element = recent.window.element(index, size: recent.size)
        {
            return ElementLayout.read(element, recent.type)
        }
        return findListValue(key, column, index)
    }

    private func findListValue(_ key: ObjectKey, _ column: Int, _ index: Int) -> Value {
        let list = openList(key, column)
        guard index >= 0, index < list.count else { return .null }
        list.noteFind()
        return list.approach(index)._withUnsafeGuaranteedRef { chunk in
            if let window = window(chunk, list) {
                recentElements = RecentElements(
                    key: key, column: column, size: ElementLayout.size(list.type), type: list.type, window: window)
            }
            return chunk.value(index - list.nearStart)
        }
    }

    /// The elements around a position that can be read in place, for as long as `listVersion` stays. Empty where some
    /// are null or of variable size.
    package func listWindow(_ key: ObjectKey, _ column: Int, around index: Int) -> ListWindow {
        let list = openList(key, column)
        guard index >= 0, index < list.count else { return .empty }
        list.noteFind()
        return list.approach(index)._withUnsafeGuaranteedRef { chunk in
            guard let window = window(chunk, list) else { return .empty }
            if let directory = list.directory, directory.version == window.version { directory.remember(window) }
            return window
        }
    }

    /// The addresses of all elements that are known, for as long as `listVersion` stays; nil unless the list was often
    /// read at random positions.
    package func listDirectory(_ key: ObjectKey, _ column: Int) -> ListDirectory? {
        guard let directory = knownList(key, column)?.directory, directory.version == listVersion.pointee else {
            return nil
        }
        return directory
    }

    private func window(_ chunk: ListChunk, _ list: OpenList) -> ListWindow? {
        chunk.plainElements.map {
            ListWindow(version: listVersion.pointee, start: list.nearStart, count: chunk.count, elements: $0)
        }
    }

    /// All elements; what cannot be read is left out.
    package func listValues(_ key: ObjectKey, _ column: Int) -> [Value] {
        if let list = knownList(key, column) { return list.values }
        let short = storedList(key, column) { bytes in
            ListHead.isHead(bytes) ? [] : ListBytes(bytes, elementType(column))?.values
        }
        guard let short else { return [] }
        return short.isEmpty ? openList(key, column).values : short
    }

    /// Reads the list's entry in the file. Nil when there is none, and when it is damaged, which is noted.
    private func storedList<Result>(
        _ key: ObjectKey, _ column: Int, _ read: (UnsafeRawBufferPointer) -> Result?
    ) -> Result? {
        var bigEndian = UInt64(bitPattern: key.rawValue).bigEndian
        let bytes = withUnsafeBytes(of: &bigEndian) {
            transaction.reader.get(tree: listTree(column), key: $0)
        }
        guard let bytes else { return nil }
        if let result = read(bytes) { return result }
        transaction.noteDamage(transaction.store.damaged())
        return nil
    }

    // MARK: - Open lists

    /// The list's open form, if it has one.
    @inline(__always)
    private func knownList(_ key: ObjectKey, _ column: Int) -> OpenList? {
        transaction.settle()
        if let list = lastList, list.key == key, list.column == column {
            if !list.doomed.isEmpty { list.settle() }
            return list
        }
        return writtenLists.isEmpty ? nil : knownWrittenList(key, column)
    }

    private func knownWrittenList(_ key: ObjectKey, _ column: Int) -> OpenList? {
        guard let list = writtenLists[ChangedList(key: key, column: column)] else { return nil }
        list.settle()
        lastList = list
        return list
    }

    func openList(_ key: ObjectKey, _ column: Int) -> OpenList {
        if let list = knownList(key, column) { return list }
        let list = OpenList(key, column, of: self)
        lastList = list
        return list
    }

    /// The open form of a list that is about to be changed.
    @inline(__always)
    func writableList(_ key: ObjectKey, _ column: Int) -> OpenList {
        transaction.settle()
        listVersion.pointee &+= 1
        if let list = lastList, list.key == key, list.column == column, list.isWritten, list.doomed.isEmpty {
            return list
        }
        return makeWritable(openList(key, column))
    }

    private func makeWritable(_ list: OpenList) -> OpenList {
        if list.isWritten { return list }
        precondition(exists(list.key), "a list of an object that is not here was changed")
        writtenLists[ChangedList(key: list.key, column: list.column)] = list
        list.beginWriting()
        list.cut()
        changes.edit(list, isNoted: transaction.notesEdits)
        return list
    }

    /// Notes that the lists and texts that were there before, and were changed without noting how, were replaced.
    func noteReplacedParts() {
        settleLists()
        for list in writtenLists.values
        where list.isWritten && !list.isNoted && list.column >= 0 && !changes.isInserted(list.key) {
            changes.noteEdits(of: list)
            list.noteReplacement()
        }
        changes.noteSetTexts { schema.properties[$0].isText }
    }

    /// Removes deleted targets from the lists that hold them.
    func settleLists() {
        for list in writtenLists.values { list.settle() }
    }

    func forgetLists() {
        writtenLists = [:]
        appends.removeAll()
        lastList = nil
        listVersion.pointee &+= 1
    }

    // MARK: - Writing

    package func listInsert(_ key: ObjectKey, _ column: Int, _ index: Int, _ value: Value) {
        let list = writableList(key, column)
        let value = element(value, list)
        list.insert(value, at: index)
        list.note(.insert(index, value))
        link(value, list)
    }

    package func listAppend(_ key: ObjectKey, _ column: Int, _ value: Value) {
        if deferAppend(key, column, value) { return }
        // Not counted: nothing on the way lets go of the list used last.
        let last = lastList.map { Unmanaged.passUnretained($0) }
        if let last, last._withUnsafeGuaranteedRef({ $0.appendNear(value, key, column) }) {
            listVersion.pointee &+= 1
            return
        }
        let list = writableList(key, column)
        let value = element(value, list)
        let index = list.count
        list.insert(value, at: index)
        list.note(.insert(index, value))
        link(value, list)
    }

    package func listRemove(_ key: ObjectKey, _ column: Int, _ index: Int) {
        let list = writableList(key, column)
        let before = list.type == .object || list.type == .mixed ? list.value(index) : .null
        list.remove(at: index)
        list.note(.remove(index))
        unlink([before], list)
    }

    /// Replaces the element at an index.
    package func listSet(_ key: ObjectKey, _ column: Int, _ index: Int, _ value: Value) {
        let list = writableList(key, column)
        let value = element(value, list)
        let before = list.type == .object || list.type == .mixed ? list.value(index) : .null
        list.set(index, value)
        list.note(.set(index, value))
        guard value != before else { return }
        link(value, list)
        unlink([before], list)
    }

    /// Moves an element so that it is at index `to` afterwards.
    package func listMove(_ key: ObjectKey, _ column: Int, _ from: Int, _ to: Int) {
        let list = writableList(key, column)
        let value = list.value(from)
        list.remove(at: from)
        list.insert(value, at: to)
        list.note(.move(from, to))
    }

    package func listClear(_ key: ObjectKey, _ column: Int) {
        guard listCount(key, column) > 0 else { return }
        let list = writableList(key, column)
        let before = list.type == .object || list.type == .mixed ? list.values : []
        clear(list)
        unlink(before, list)
    }

    private func clear(_ list: OpenList) {
        list.note(.clear(list.count))
        list.clear()
    }

    /// Replaces the elements of a list. Recorded as a clear and an insertion of each element.
    package func listReplace(_ key: ObjectKey, _ column: Int, _ values: [Value]) {
        let list = openList(key, column)
        let values = values.map { element($0, list) }
        let before = list.values
        guard values != before else { return }
        listVersion.pointee &+= 1
        _ = makeWritable(list)
        if list.count > 0 { clear(list) }
        for (index, value) in values.enumerated() {
            list.insert(value, at: index)
            list.note(.insert(index, value))
            link(value, list)
        }
        unlink(before, list, keeping: values)
    }

    /// Replaces some elements of a list. Recorded as a removal of each and an insertion of each; an embedded object or a
    /// collection that is among both stays the same one.
    ///
    /// - Complexity: O(k log n) with k elements before and after
    package func listReplace(_ key: ObjectKey, _ column: Int, _ places: Range<Int>, by values: [Value]) {
        let list = openList(key, column)
        let values = values.map { element($0, list) }
        let before = places.map { list.value($0) }
        guard values != before else { return }
        listVersion.pointee &+= 1
        _ = makeWritable(list)
        for place in places.reversed() {
            list.remove(at: place)
            list.note(.remove(place))
        }
        for (index, value) in values.enumerated() {
            list.insert(value, at: places.lowerBound + index)
            list.note(.insert(places.lowerBound + index, value))
            link(value, list)
        }
        unlink(before, list, keeping: values)
    }

    /// The element as the list holds it: a link as the row it means.
    @inline(__always)
    private func element(_ value: Value, _ list: OpenList) -> Value {
        switch (list.type, value) {
        case (.int, .int), (.string, .string), (.object, .object), (.double, .double), (.bool, .bool),
            (.float, .float), (.data, .bytes), (.date, .timestamp), (.objectId, .objectId), (.uuid, .uuid),
            (.decimal128, .decimal):
            return value
        default: return unusualElement(value, list)
        }
    }

    private func unusualElement(_ value: Value, _ list: OpenList) -> Value {
        precondition(
            accepts(value, column: list.column), "an element of another type than the list's was stored")
        if list.type == .mixed { return transaction.resting(value) }
        guard case .link = value, let key = resolve(value, list.column) else { return value }
        return .object(key)
    }

    // MARK: - Links

    @inline(__always)
    private func link(_ value: Value, _ list: OpenList) {
        guard case .object(let other) = value else {
            if list.type == .mixed { linkMixed(value, list.key, columns[list.column]) }
            return
        }
        target(list.column).addBacklink(to: other, from: list.key, columns[list.column])
    }

    /// Removes the links of elements that left the list. Embedded objects are deleted.
    @inline(__always)
    private func unlink(_ values: [Value], _ list: OpenList, keeping kept: [Value] = []) {
        if list.type == .object {
            unlinkObjects(values, list.key, list.column, keeping: kept)
        } else if list.type == .mixed {
            for value in values { unlinkMixed(value, list.key, columns[list.column]) }
            endNested(values, keeping: Set(kept))
        }
    }

    private func unlinkObjects(_ values: [Value], _ key: ObjectKey, _ column: Int, keeping kept: [Value]) {
        let target = target(column)
        for case .object(let other) in values {
            target.removeBacklink(to: other, from: key, columns[column])
        }
        guard target.schema.kind == .embedded else { return }
        let kept = Set(kept)
        for value in values where !kept.contains(value) {
            if case .object(let other) = value { target.delete(other) }
        }
    }

    // MARK: - Ends

    /// An object that the list may hold was deleted. It leaves the list before the list is next used.
    func listTargetEnded(_ target: ClassedKey, _ key: ObjectKey, _ column: Int) {
        guard exists(key) else { return }
        let place = ChangedList(key: key, column: column)
        listVersion.pointee &+= 1
        let list = writtenLists[place].flatMap { $0.isWritten ? $0 : nil } ?? makeWritable(openList(key, column))
        list.doomed.insert(target)
    }

    /// The object that owns the list was deleted. The list is emptied, and its edits are not recorded.
    func listOwnerEnded(_ key: ObjectKey, _ column: Int) {
        let place = ChangedList(key: key, column: column)
        guard writtenLists[place] != nil || listCount(key, column) > 0 else { return }
        listVersion.pointee &+= 1
        let list = openList(key, column)
        writtenLists[place] = list
        list.endWriting()
    }
}
