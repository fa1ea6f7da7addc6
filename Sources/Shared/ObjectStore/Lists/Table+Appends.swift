import CausewayModel

// Apps fill the lists of many objects in turn. Each list, its open form and its elements lie anywhere in memory. So a link
// that is appended to a list other than the one used last waits. All waiting links enter their lists in one pass: when a
// list is read, an object is deleted, too many wait, or the write commits. The backlinks are noted at once.

extension Table {
    /// Keeps an appended link waiting. False where the list should be changed at once: it is the one used last, or holds
    /// anything but links to objects that are not embedded.
    @inline(__always)
    func deferAppend(_ key: ObjectKey, _ column: Int, _ value: Value) -> Bool {
        guard case .object(let other) = value, column >= 0, columns[column].isListOfLinks else { return false }
        // Not while others wait: changing the list would make them enter theirs, one at a time.
        if appends.isEmpty, let list = lastList, list.key == key, list.column == column { return false }
        let target = target(column)
        guard target.schema.kind == .object else { return false }
        assert(exists(key), "a link was appended to a list of an object that is not here")
        if appends.links.count >= transaction.waitingLinksMax { transaction.settleAppends() }
        if appends.isEmpty { transaction.noteAppends(to: self) }
        appends.append(key.rawValue, UInt32(truncatingIfNeeded: column), other.rawValue, .oneMore)
        listVersion.pointee &+= 1
        target.addBacklink(to: other, from: key, columns[column])
        return true
    }

    /// Enters the links that wait into their lists.
    func enterAppends() {
        guard !appends.isEmpty else { return }
        var keys: [ObjectKey] = []
        appends.takeAll { link, isLast in
            keys.append(ObjectKey(link.key))
            guard isLast else { return }
            writableList(ObjectKey(link.place), Int(link.column)).append(keys)
            keys.removeAll(keepingCapacity: true)
        }
    }
}
