import CausewayFiles
import CausewayModel
import CausewayObjectStore

/// What an import knows of a class of its file.
final class AtlasClass {
    let table: Table
    let properties: [Property]
    let zeros: [Value]
    let primaryKey: Int?
    /// Rows from here on are the import's own.
    let firstRow: Int64
    /// The columns that are set object by object.
    let slowColumns: [Int]
    /// Columns whose links lead to documents that come later.
    let lateColumns: Set<Int>
    /// Columns with values that wait for the second pass because they hold DBRefs.
    var waitingColumns: Set<Int> = []
    /// Rows from before the import that its documents have named.
    var named: Set<ObjectKey> = []
    /// Those that stay as they are.
    var skipped: Set<ObjectKey> = []
    private var names: FieldNames

    /// - Parameter isLate: whether documents of a class are not here yet when those of this one are read.
    init(_ table: Table, _ schema: Schema, isLate: (String) -> Bool) {
        self.table = table
        properties = table.schema.properties
        zeros = properties.map(\.zero)
        primaryKey = table.schema.primaryKeyIndex
        firstRow = table.keysEnd.rawValue
        names = FieldNames(properties.map(\.name))
        var (slow, late): ([Int], Set<Int>) = ([], [])
        for (column, property) in properties.enumerated() {
            let target = property.target.flatMap { schema[$0] }
            let isEmbedded = target?.kind == .embedded
            if property.collection != .none || property.type == .mixed || isEmbedded || property.isText {
                slow.append(column)
            }
            guard let target else { continue }
            let linked = isEmbedded ? schema.linked(from: target.name) : [ExactString(target.name)]
            if linked.contains(where: { isLate($0.string) }) { late.insert(column) }
        }
        (slowColumns, lateColumns) = (slow, late)
    }

    var name: String { table.name }

    var hasLateValues: Bool { !lateColumns.isEmpty || !waitingColumns.isEmpty }

    /// Whether a row was there before the import.
    func isOlder(_ key: ObjectKey) -> Bool { key.rawValue < firstRow }

    func path(_ column: Int) -> String {
        NestedCollection(className: name) == nil
            ? "'\(name).\(properties[column].name)'" : "A collection in a mixed value"
    }

    /// The column of a field.
    func column(_ name: UnsafeRawBufferPointer, after before: Int) -> Int? { names.place(of: name, after: before) }
}

/// Where the fields of some documents are: a token for each document and column; 0 where a document has none.
struct FieldCells {
    /// So many are held at once.
    private static let cellsMax = 4_000_000
    private static let documentsMax = 10_000

    private(set) var columnCount = 0
    private var cells: ContiguousArray<UInt32> = []

    /// How many documents of so many columns are read at once.
    static func documentsMax(columns: Int) -> Int { max(1, min(documentsMax, cellsMax / max(1, columns))) }

    mutating func reset(documents: Int, columns: Int) {
        columnCount = columns
        cells.removeAll(keepingCapacity: true)
        cells.append(contentsOf: repeatElement(0, count: documents * columns))
    }

    subscript(document: Int, column: Int) -> Int {
        get { Int(cells[document &* columnCount &+ column]) }
        set { cells[document &* columnCount &+ column] = UInt32(newValue) }
    }
}
