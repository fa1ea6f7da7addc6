package import CausewayModel
import CausewayStorage

// Mixed properties: values of any type, and links to any class, which are followed by backlinks as other links are.

extension Transaction {
    /// The table of the class whose number a mixed link names.
    package func table(number: UInt32) -> Table? {
        className(number: number).flatMap { table($0) }
    }

    func knownTable(number: UInt32) -> Table? {
        className(number: number).flatMap { knownTable($0) }
    }

    package func className(number: UInt32) -> String? {
        catalog.classes.first { $0.table == number }?.schema.name
    }

    /// A mixed value as it travels: a link by class and primary key. A link whose row has no primary key, or is not
    /// even a ghost any more, is null.
    package func travelling(_ value: Value) -> Value {
        guard case .anyObject(let object) = value else { return value }
        guard let target = knownTable(number: object.classNumber), let key = target.primaryKey(of: object.key) else {
            return .null
        }
        return .anyLink(ClassedLink(target.name, key))
    }

    /// A mixed value as it is stored: a link by the row of its target, which becomes a ghost when nobody has created it
    /// yet. A link stays as it is if this file does not know its class or cannot hold its key.
    package func resting(_ value: Value) -> Value {
        if case .anyLink(let link) = value, let nested = restingNested(link) { return nested }
        guard case .anyLink(let link) = value, let target = knownTable(link.className), target.schema.kind == .object,
            let column = target.primaryKeyColumn, let key = link.key.value, target.accepts(key, column: column),
            target.hasRoom(for: link.key)
        else { return value }
        return .anyObject(ClassedKey(target.number, target.ghost(link.key)))
    }
}

extension Table {
    /// What names the class in mixed links.
    package var number: UInt32 { record.table }

    fileprivate func hasRoom(for key: PrimaryKey) -> Bool {
        guard case .string(let text) = key else { return true }
        return text.utf8.count <= KeyBuffer.longestPrimaryKey
    }

    func setNewMixed(_ value: Value, _ key: ObjectKey, _ index: Int) {
        let value = transaction.resting(value)
        columns[index].write(key.leafNumber, of: self).set(key.slot, MixedBytes.stored(value))
        if columns[index].isIndexed { putIndex(columns[index], value, key) }
        linkMixed(value, key, columns[index])
    }

    func setMixed(_ key: ObjectKey, _ index: Int, _ value: Value) {
        let value = transaction.resting(value)
        let before = self.value(key, index)
        columns[index].write(key.leafNumber, of: self).set(key.slot, MixedBytes.stored(value))
        // Numbers of different types are different values, though an index finds them in one place.
        guard value != before else { return }
        if columns[index].isIndexed { changeIndex(columns[index], from: before, to: value, key) }
        unlinkMixed(before, key, columns[index])
        linkMixed(value, key, columns[index])
        endNested([before])
    }

    func linkMixed(_ value: Value, _ origin: ObjectKey, _ column: Column) {
        guard case .anyObject(let object) = value, let target = transaction.knownTable(number: object.classNumber)
        else {
            return
        }
        target.addBacklink(to: object.key, from: origin, column)
    }

    func unlinkMixed(_ value: Value, _ origin: ObjectKey, _ column: Column) {
        guard case .anyObject(let object) = value, let target = transaction.knownTable(number: object.classNumber)
        else {
            return
        }
        target.removeBacklink(to: object.key, from: origin, column)
    }
}

extension ClassedKey {
    /// The target of a link that does not name the class, among targets of one class.
    init(in key: ObjectKey) {
        self.init(0, key)
    }
}
