package import CausewayModel

// Collections inside of mixed values: rows of two hidden classes, each held by one mixed value and deleted with it.

extension Transaction {
    /// The table of a kind of nested collections; nil in a file without mixed properties, or of an older program.
    package func nestedTable(_ kind: NestedCollection) -> Table? { table(kind.className) }

    /// Whether any mixed value has ever held a collection.
    package var hasNestedCollections: Bool {
        nestedTables.contains { $0.nextKey > 0 }
    }

    /// The collection that a mixed value holds; nil for another value. It may have been deleted.
    package func nested(_ value: Value) -> (table: Table, key: ObjectKey, kind: NestedCollection)? {
        guard case .anyObject(let object) = value, let table = table(number: object.classNumber),
            let kind = table.nestedKind
        else { return nil }
        return (table, object.key, kind)
    }

    /// The row of the collection that a travelling link names; nil for other links. One that is not here yet is a
    /// ghost.
    func restingNested(_ link: ClassedLink) -> Value? {
        guard NestedCollection(className: link.className) != nil, case .container = link.key,
            let table = knownTable(link.className), table.nestedKind != nil
        else { return nil }
        return .anyObject(ClassedKey(table.number, table.ghost(link.key)))
    }

    /// The values inside of a nested collection, in order.
    package func elements(of table: Table, _ key: ObjectKey) -> [Value] {
        table.listValues(key, NestedCollection.column)
    }
}

extension Table {
    /// Deletes the collections that mixed values held.
    func endNested(_ values: [Value], keeping kept: Set<Value> = []) {
        for case .anyObject(let object) in values {
            guard let target = transaction.knownTable(number: object.classNumber), target.nestedKind != nil,
                !kept.contains(.anyObject(object))
            else { continue }
            target.delete(object.key)
        }
    }

    /// What holds a nested collection: an object's property, or the elements of another collection. Nil for one that
    /// nothing holds.
    ///
    /// - Complexity: O(c log n) for the file's c mixed properties.
    package func holder(of key: ObjectKey) -> (table: Table, key: ObjectKey, column: Int)? {
        for origin in originColumns {
            if let holder = backlinks(to: key, from: origin.table, origin.column).first {
                return (origin.table, holder, origin.column)
            }
        }
        return nil
    }

    /// The outermost holder of an object. It is the object itself if its class is not embedded or nothing holds it.
    ///
    /// If embedded objects hold each other in a circle, it is one of them.
    ///
    /// - Complexity: O(holders)
    package func outermost(of key: ObjectKey) -> (table: Table, key: ObjectKey) {
        var (table, row) = (self, key)
        var steps = 0
        while table.schema.kind == .embedded, steps < Self.holdersMax, let next = table.holder(of: row) {
            (table, row) = (next.table, next.key)
            steps += 1
        }
        return (table, row)
    }

    /// The most holders that are followed. No app embeds objects so deep on purpose.
    private static let holdersMax = 1 << 16

    /// Whether objects of the class may hold nested collections.
    var mayHoldNested: Bool { holdsMixed && transaction.hasNestedCollections }
}
