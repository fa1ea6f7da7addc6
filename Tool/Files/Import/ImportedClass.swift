import CausewayModel
import CausewayObjectStore

/// What an import knows of a class of its file.
final class ImportedClass {
    let table: Table
    let columns: ExactDictionary<Int>
    /// A row of a new object, in column order.
    let zeros: [Value]
    /// Rows from here on are the import's own.
    let firstRow: Int64
    /// Whether a property waits for the second pass, when all objects are there.
    let hasLinks: Bool
    var numbers = NumberedRows()
    /// How many lines of objects without a primary key came in this pass. The import's n-th one is n rows behind the first.
    var place: Int64 = 0
    /// Rows from before the import that its lines have named.
    var named: Set<ObjectKey> = []
    /// Those that stay as they are.
    var skipped: Set<ObjectKey> = []

    init(_ table: Table) {
        self.table = table
        let properties = table.schema.properties
        columns = ExactDictionary(uniqueKeysWithValues: properties.enumerated().map { ($1.name, $0) })
        zeros = properties.map(\.zero)
        firstRow = table.keysEnd.rawValue
        hasLinks = properties.contains { !$0.isPlain }
    }

    var name: String { table.name }

    /// Whether a row was there before the import.
    func isOlder(_ key: ObjectKey) -> Bool { key.rawValue < firstRow }

    func column(_ name: ExactString) throws -> Int {
        if let column = columns[name.string] { return column }
        throw FileFailure(
            "Class '\(self.name)' has no property '\(name.string.prefix(100))'. Add it to the header, or remove it.")
    }
}

extension Property {
    /// Whether its values mean the same without other objects.
    var isPlain: Bool { type != .object && type != .mixed }
}
