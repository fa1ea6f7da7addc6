package import CausewayAdmin
package import CausewayJSON
package import CausewayModel
package import CausewayObjectStore

/// The objects of a database, or of a file, at one version.
///
/// Unchecked: one thread at a time uses it, as each piece of work on a `BrowsedDatabase` comes after the one before.
package final class BrowsedState: @unchecked Sendable {
    /// Writes one object in the forms of the data API, with some of its properties or with all.
    package typealias Writing = (BrowsedObject, Set<Int>?, inout JSONWriter) throws(AdminError) -> Void

    package let version: UInt64
    package let transaction: Transaction
    private let writing: Writing
    private let end: () -> Void

    /// - Parameters:
    ///   - transaction: reads the version. It is in use for as long as the state is.
    ///   - end: called when the state is not used any more.
    package init(
        version: UInt64, _ transaction: Transaction, writing: @escaping Writing, end: @escaping () -> Void = {}
    ) {
        self.version = version
        self.transaction = transaction
        self.writing = writing
        self.end = end
    }

    deinit { end() }

    /// The table of a class whose objects stand for themselves.
    package func table(_ className: String) throws(AdminError) -> Table {
        let known = transaction.schema.withoutNestedCollections
        if known[className]?.kind == .object, let table = transaction.table(className) { return table }
        switch known[className]?.kind {
        case .embedded:
            throw AdminError(
                .classUnknown,
                "The objects of “\(className)” are embedded in others. Look at the objects that hold them.")
        case .asymmetric:
            throw AdminError(
                .classUnknown, "The objects of “\(className)” are one-way: devices send them, and nobody reads them.")
        case .object, nil:
            let names = known.classes.filter { $0.kind == .object }.map(\.name)
            throw AdminError(
                .classUnknown,
                "There is no class “\(className.prefix(80))”. "
                    + (names.isEmpty ? "There is none yet." : "There are: \(names.joined(separator: ", "))."))
        }
    }

    /// The object that a path names: by its primary key, or by its row where the class has none.
    package func object(_ className: String, _ key: String) throws(AdminError) -> BrowsedObject {
        let table = try table(className)
        guard let row = BrowsedObject.row(key, in: table), table.exists(row) else {
            throw AdminError(
                .objectUnknown, "There is no object of “\(className)” with this key. It may have been deleted.")
        }
        return BrowsedObject(table: table, key: row)
    }

    package func write(_ object: BrowsedObject, columns: Set<Int>? = nil, to json: inout JSONWriter) throws(AdminError)
    {
        try writing(object, columns, &json)
        try checkDamage()
    }

    func search(_ className: String, _ text: String?, order: String?) throws(AdminError) -> ObjectSearch {
        try ObjectSearch(text, order: order, of: table(className), in: transaction)
    }

    func checkDamage() throws(AdminError) {
        try AdminError.reporting { () throws(StoreError) in try transaction.throwDamage() }
    }
}

/// One object that is looked at.
package struct BrowsedObject {
    package let table: Table
    package let key: ObjectKey

    /// The row that a part of a path names; nil for a text that is no key of the class.
    package static func row(_ text: String, in table: Table) -> ObjectKey? {
        guard let column = table.schema.primaryKeyIndex else { return Int64(text).map { ObjectKey($0) } }
        return ValueReader.key(pathText: text, table.schema.properties[column]).flatMap { table.key(for: $0) }
    }
}
