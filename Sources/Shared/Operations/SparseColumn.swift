package import CausewayModel

/// The values of one property for many objects, some of which may be null.
package struct SparseColumn: Hashable, Sendable {
    package let count: Int
    /// Which values are not null; nil if all are, or none.
    package let arePresent: [Bool]?
    package let present: ValueColumn

    /// A column without nulls, or, with the form `nulls`, of nulls only.
    package init(_ present: ValueColumn, count: Int) {
        self.present = present
        self.count = count
        arePresent = nil
    }

    /// - Parameter present: the values that are not null, in order.
    package init(_ present: ValueColumn, arePresent: [Bool]) {
        self.present = present
        self.arePresent = arePresent
        count = arePresent.count
    }

    package init(_ values: [Value]) {
        let hasNulls = values.contains(where: \.isNull)
        let present = ValueColumn(hasNulls ? values.filter { !$0.isNull } : values)
        if hasNulls, present != .nulls {
            self.init(present, arePresent: values.map { !$0.isNull })
        } else {
            self.init(present, count: values.count)
        }
    }

    package var values: [Value] {
        guard let arePresent else { return presentValues }
        var present = presentValues.makeIterator()
        return arePresent.map { $0 ? present.next() ?? .null : .null }
    }

    /// The values that are not null, in order; all of them if all are null.
    package var presentValues: [Value] {
        present.values(count: arePresent?.count { $0 } ?? count)
    }
}
