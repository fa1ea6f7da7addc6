package import CausewayModel

/// The objects that link to one object through one property.
package struct IncomingLinks {
    /// The class that has the property.
    package let table: Table
    package let column: Int
    /// How many objects link, however often each of them does.
    package internal(set) var count = 0
    /// The first of them, ascending.
    package internal(set) var first: [ObjectKey] = []
}

extension Table {
    /// What links to an object, by the property through which it does. Properties without a link to it are left out.
    ///
    /// - Parameter firstMax: how many objects of each property are named.
    /// - Complexity: O(properties that may link here + chunks of links to the object).
    package func incomingLinks(to key: ObjectKey, firstMax: Int) -> [IncomingLinks] {
        transaction.settle()
        return originColumns.compactMap { origin in
            var links = IncomingLinks(table: origin.table, column: origin.column)
            backlinks.scan(Self.backlinkKey(key, origin.id), in: transaction) { chunk in
                links.count &+= chunk.count
                for index in 0..<chunk.count where links.first.count < firstMax {
                    if let holder = origin.table.row(chunk.key(index)) { links.first.append(holder) }
                }
                return true
            }
            return links.count > 0 ? links : nil
        }
    }
}
