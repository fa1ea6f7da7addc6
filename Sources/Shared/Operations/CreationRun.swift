import CausewayModel

/// Creates of objects of one class with the same properties, in one changeset, column by column.
///
/// Imports consist of such runs. An object takes nanoseconds here, and a microsecond as an operation of its own.
package struct CreationRun: Hashable, Sendable {
    package var className: String
    /// The causal length that each of them reaches: odd.
    package var life: UInt32
    package var keys: KeyColumn
    package var fields: [Field]

    package struct Field: Hashable, Sendable {
        package var property: String
        package var isDefault: Bool
        /// A value for each of the keys.
        package var values: SparseColumn

        package init(_ property: String, _ values: SparseColumn, isDefault: Bool = false) {
            self.property = property
            self.values = values
            self.isDefault = isDefault
        }
    }

    /// The most objects in a run; more go into another run.
    package static let mostCount = RunBound.rowsMax

    package init(className: String, life: UInt32, keys: KeyColumn, fields: [Field]) {
        self.className = className
        self.life = life
        self.keys = keys
        self.fields = fields
    }

    package var count: Int { keys.count }

    /// The same creates one by one.
    package var operations: [Operation] {
        let columns = fields.map(\.values.values)
        return keys.keys.enumerated().map { row, key in
            let values = [FieldValue](unsafeUninitializedCapacity: columns.count) { buffer, count in
                // If there is a field, the buffer has room for it, and so an address.
                for (index, field) in fields.enumerated() {
                    (buffer.baseAddress! + index).initialize(
                        to: FieldValue(field.property, columns[index][row], isDefault: field.isDefault))
                }
                count = columns.count
            }
            return .create(ObjectReference(className, key), life: life, fields: values)
        }
    }
}
