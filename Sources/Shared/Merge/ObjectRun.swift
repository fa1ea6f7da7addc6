package import CausewayModel
package import CausewayOperations

/// The states of many objects of one class that differ only in their values, column by column.
///
/// Objects that one changeset created are so until somebody changes one. Work that takes microseconds with an
/// `ObjectState` for each object takes nanoseconds here. Lists, sets, maps and texts are empty.
package struct ObjectRun: Hashable, Sendable {
    package var className: String
    package var keys: KeyColumn
    package var life: UInt32
    package var born: Stamp
    /// Ascending by property.
    package var fields: [Field]

    /// Below this many objects, columns gain nothing.
    package static let leastCount = 32

    package struct Field: Hashable, Sendable {
        package var property: String
        package var values: SparseColumn
        package var stamp: Stamp
        package var isDefault: Bool

        package init(_ property: String, _ values: SparseColumn, stamp: Stamp, isDefault: Bool) {
            self.property = property
            self.values = values
            self.stamp = stamp
            self.isDefault = isDefault
        }
    }

    package init(className: String, keys: KeyColumn, life: UInt32, born: Stamp, fields: [Field]) {
        self.className = className
        self.keys = keys
        self.life = life
        self.born = born
        self.fields = fields
    }

    package var count: Int { keys.count }

    package var latestStamp: Stamp {
        fields.reduce(born) { max($0, $1.stamp) }
    }

    /// The objects one by one.
    package var objects: [(object: ObjectReference, state: ObjectState)] {
        let columns = fields.map(\.values.values)
        return keys.keys.enumerated().map { row, key in
            let state = ObjectState(
                life: life,
                fields: fields.indices.map { field in
                    ObjectState.Field(
                        fields[field].property, columns[field][row], stamp: fields[field].stamp,
                        isDefault: fields[field].isDefault)
                }, born: born)
            return (ObjectReference(className, key), state)
        }
    }
}
