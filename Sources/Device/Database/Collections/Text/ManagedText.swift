import CausewayMerge
import CausewayModel
import CausewayObjectStore

/// A text property of a managed object.
final class ManagedText {
    let instance: RealmInstance
    // Uncounted but safe: the instance above owns it.
    unowned(unsafe) let access: _ClassAccess
    let key: ObjectKey
    let column: Int
    private var epoch: UInt

    init(_ object: ObjectBase, _ access: _ClassAccess, _ column: Int) {
        self.access = access
        instance = access.instance
        key = object._key
        epoch = access.header.pointee.epoch
        self.column = column
    }

    // MARK: - Checks

    var isInvalidated: Bool { !access.stillExists(key, seenAt: epoch) }

    private func check() {
        instance.checkThread()
        if epoch != access.header.pointee.epoch {
            guard access.stillExists(key, seenAt: epoch) else {
                misuse("Text has been invalidated or the containing object has been deleted.")
            }
            epoch = access.header.pointee.epoch
        }
    }

    func checkWritable() {
        check()
        guard instance.isInWrite else {
            misuse("Cannot modify managed Text outside of a write transaction.")
        }
    }

    // MARK: - Reading and changing

    var string: String {
        check()
        return if case .string(let string) = access.value(key, column) { string } else { "" }
    }

    var count: Int {
        check()
        return access.table.textCount(key, column)
    }

    /// - Precondition: the scalars are in the text.
    func string(in range: Range<Int>) -> String {
        check()
        return access.table.text(key, column, in: range)
    }

    var chunks: [TextChunk] {
        check()
        return access.table.textChunks(key, column)
    }

    func edit(_ edit: TextEdit) {
        checkWritable()
        access.table.edit(key, text: column, edit)
        instance.contentChanged()
    }

    // MARK: - Elsewhere

    var frozen: ManagedText {
        check()
        return instance.isFrozen ? self : ManagedText.of(access.object(key).freeze(), column)
    }

    /// Nil when the object has been deleted.
    var thawed: ManagedText? { access.object(key).thaw().map { ManagedText.of($0, column) } }

    /// The same text in another instance of the Realm; nil when the object is not there.
    func moved(to other: RealmInstance) -> ManagedText? {
        let there = other.access(named: access.model.className)
        return there.exists(key) ? ManagedText.of(there.object(key), column) : nil
    }

    private static func of(_ object: ObjectBase, _ column: Int) -> ManagedText {
        ManagedText(object, object._checkedAccess(), column)
    }
}
