package import CausewayModel
import CausewayStorage

// A migration in one write transaction: `restructure`, then whatever the app does with old and new objects, then
// `finishRestructuring`. Objects keep their keys, so one key finds an object before and after.

extension Transaction {
    /// Gives each class of the wanted schema exactly the wanted properties. Values of the other properties are lost.
    ///
    /// A property whose type, collection or target has changed begins empty. One that only became optional or required
    /// keeps its values, with zero for null where null is no longer allowed. Classes that are not wanted stay. A class
    /// whose primary key has changed has none until `finishRestructuring`. Throws `schemaConflict` when the wanted
    /// schema is not possible.
    ///
    /// - Parameter before: The state the write began on, where removed values can still be read.
    package func restructure(to wanted: Schema, before: Transaction) throws(StoreError) {
        try throwDamage()
        removeContradicted(by: wanted)
        var result = Catalog.Extension(catalog: catalog)
        takeNumbers { result = self.catalog.restructured(to: wanted, nextNumber: &$0) }
        guard result.conflicts.isEmpty else {
            throw StoreError(
                .schemaConflict, "The wanted schema is not possible: " + result.conflicts.joined(separator: " "),
                path: store.path)
        }
        writer.put(FixedTree.catalog, CatalogKey.classes, result.catalog.encoded)
        replaceCatalog(result.catalog)
        for wantedClass in wanted.classes {
            guard let old = before.knownTable(wantedClass.name), let new = knownTable(wantedClass.name) else {
                continue
            }
            new.takeOver(from: old)
        }
        for index in result.newIndexes { knownTable(index.className)?.fillIndex(index.column, index.kind) }
    }

    /// Gives the classes the primary keys of the wanted schema.
    ///
    /// Throws `duplicatePrimaryKey` when two objects of a class have the same one.
    package func finishRestructuring(to wanted: Schema) throws(StoreError) {
        var records = catalog.classes
        var rekeyed: [String] = []
        var rekeyedColumns: [Catalog.ColumnRecord] = []
        for position in records.indices {
            let name = records[position].schema.name
            guard let wantedClass = wanted[name], let key = wantedClass.primaryKeyIndex,
                records[position].schema.primaryKeyIndex == nil,
                let column = records[position].schema.index(of: wantedClass.properties[key].name)
            else { continue }
            records[position].schema.properties[column].isPrimaryKey = true
            // It is found by its own tree, and writing one updates no index.
            records[position].schema.properties[column].isIndexed = wantedClass.properties[key].isIndexed
            records[position].schema.properties[column].isFullTextIndexed =
                wantedClass.properties[key].isFullTextIndexed
            rekeyedColumns.append(records[position].columns[column])
            (records[position].columns[column].index, records[position].columns[column].words) = (0, 0)
            rekeyed.append(name)
        }
        guard !rekeyed.isEmpty else { return }
        settle()
        for table in allTables { table.flush(to: writer) }
        forgetTables()
        for column in rekeyedColumns { removeIndexes(of: column) }
        let catalog = Catalog(classes: records)
        writer.put(FixedTree.catalog, CatalogKey.classes, catalog.encoded)
        replaceCatalog(catalog)
        for name in rekeyed { try knownTable(name)?.enterPrimaryKeys() }
    }

    /// Deletes all objects of a class and the class itself. A class that others link to stays, without objects.
    package func removeClass(_ name: String) {
        guard let table = knownTable(name) else { return }
        table.delete(table.allKeys)
        let isLinked = catalog.classes.contains { record in
            !record.schema.name.isSame(as: name)
                && record.schema.properties.contains { $0.target?.isSame(as: name) == true }
        }
        guard !isLinked, let record = catalog[name] else { return }
        settle()
        for table in allTables { table.flush(to: writer) }
        let leaves = table.leafNumbers
        forgetTables()
        for column in record.columns { removeStorage(of: column, leaves: leaves) }
        for column in [record.absent, record.ghosts, record.containers] { removeLeaves(leaves, of: column) }
        for tree in [record.primaryKeys, record.backlinks] { writer.removeRange(tree) }
        writer.remove(FixedTree.catalog, CatalogKey.counters(table: record.table))
        writer.remove(FixedTree.catalog, CatalogKey.deadLeaves(table: record.table))
        let catalog = Catalog(classes: catalog.classes.filter { !$0.schema.name.isSame(as: name) })
        writer.put(FixedTree.catalog, CatalogKey.classes, catalog.encoded)
        replaceCatalog(catalog)
    }

    // MARK: - What goes

    /// Removes the links, leaves, lists and index entries of every property that the wanted schema does not keep.
    private func removeContradicted(by wanted: Schema) {
        for record in catalog.classes {
            guard let wantedClass = wanted[record.schema.name], let table = knownTable(record.schema.name) else {
                continue
            }
            for (column, property) in record.schema.properties.enumerated() {
                if let kept = wantedClass.property(named: property.name), kept.isStored(like: property) { continue }
                table.emptyLinksAndLists(column)
            }
        }
        settle()
        for table in allTables { table.flush(to: writer) }
        let leaves = catalog.classes.map { knownTable($0.schema.name)?.leafNumbers }
        // A table that still knew the emptied leaves would write them again after they are gone.
        forgetTables()
        for (record, leaves) in zip(catalog.classes, leaves) {
            guard let leaves, let wantedClass = wanted[record.schema.name] else { continue }
            for (property, column) in zip(record.schema.properties, record.columns) {
                if let kept = wantedClass.property(named: property.name), kept.isStored(like: property) {
                    if property.isPrimaryKey { removeIndexes(of: column) }
                    continue
                }
                removeStorage(of: column, leaves: leaves)
            }
            if record.schema.hasOtherPrimaryKey(than: wantedClass) { writer.removeRange(record.primaryKeys) }
        }
    }

    private func removeIndexes(of column: Catalog.ColumnRecord) {
        for tree in [column.index, column.words] where tree != 0 { writer.removeRange(tree) }
    }

    private func removeStorage(of column: Catalog.ColumnRecord, leaves: LiveLeaves) {
        removeLeaves(leaves, of: column.id)
        LongValues.remove(column.id, from: writer)
        removeIndexes(of: column)
        for tree in [column.list, column.keys] where tree != 0 { writer.removeRange(tree) }
    }

    private func removeLeaves(_ numbers: LiveLeaves, of column: UInt32) {
        for number in numbers { writer.removeLeaf(column: column, number: UInt32(number)) }
    }
}

extension Catalog {
    /// The catalog with the wanted classes in their wanted form. Columns that fit stay; all others are new.
    fileprivate func restructured(to wanted: Schema, nextNumber: inout UInt32) -> Extension {
        var result = Extension(catalog: self)
        var records = classes
        for wantedClass in wanted.classes {
            guard let position = positions[wantedClass.name] else { continue }
            let old = records[position]
            let wantedClass = wantedClass.arranged(behind: old.schema)
            records[position].schema = wantedClass
            records[position].columns = wantedClass.properties.enumerated().map { place, property in
                var column = Self.column(for: property, &nextNumber)
                guard let stored = old.schema.index(of: property.name),
                    property.isStored(like: old.schema.properties[stored])
                else {
                    if column.index != 0 { result.newIndexes.append((wantedClass.name, place, .values)) }
                    return column
                }
                let wanted = column
                column = old.columns[stored]
                if old.schema.properties[stored].isPrimaryKey {
                    // An index that it had before it became the primary key was not kept up to date.
                    (column.index, column.words) = (0, 0)
                }
                if wanted.index != 0, column.index == 0 {
                    column.index = wanted.index
                    result.newIndexes.append((wantedClass.name, place, .values))
                } else if column.index != 0 {
                    // An index costs little and may be wanted again: it stays.
                    records[position].schema.properties[place].isIndexed = true
                }
                if wanted.words != 0, column.words == 0 {
                    column.words = wanted.words
                    result.newIndexes.append((wantedClass.name, place, .words))
                }
                records[position].schema.properties[place].isFullTextIndexed = column.words != 0
                return column
            }
            if old.schema.hasOtherPrimaryKey(than: wantedClass) {
                records[position].primaryKeys = nextNumber
                nextNumber += 1
                for place in wantedClass.properties.indices {
                    records[position].schema.properties[place].isPrimaryKey = false
                }
            }
        }
        // New classes are added as in any extension of the schema.
        let additions = Catalog(classes: records).extended(
            by: Schema(wanted.classes.filter { positions[$0.name] == nil }), nextNumber: &nextNumber)
        result.catalog = additions.isChanged ? additions.catalog : Catalog(classes: records)
        result.conflicts = additions.conflicts
        return result
    }
}

extension ClassSchema {
    /// The same properties in another order: those whose columns stay come first, in their old order. So a transaction
    /// that has the class open finds each of them at its old place.
    fileprivate func arranged(behind old: ClassSchema) -> ClassSchema {
        var result = self
        let kept = old.properties.compactMap { stored in
            property(named: stored.name).flatMap { $0.isStored(like: stored) ? $0 : nil }
        }
        result.properties = kept + properties.filter { added in !kept.contains { $0.name.isSame(as: added.name) } }
        return result
    }

    fileprivate func property(named name: String) -> Property? { properties.first { $0.name.isSame(as: name) } }

    fileprivate func hasOtherPrimaryKey(than other: ClassSchema) -> Bool {
        let (mine, theirs) = (
            primaryKeyIndex.map { properties[$0] }, other.primaryKeyIndex.map { other.properties[$0] }
        )
        guard let mine, let theirs else { return (mine == nil) != (theirs == nil) }
        return !mine.name.isSame(as: theirs.name) || !mine.isStored(like: theirs)
    }
}

extension Property {
    /// Whether a column made for one property serves the other.
    fileprivate func isStored(like other: Property) -> Bool {
        hasValues(like: other) && isText == other.isText && (isOptional == other.isOptional || type == .object)
    }

    /// Whether the values of one property, null aside, can be those of the other.
    fileprivate func hasValues(like other: Property) -> Bool {
        type == other.type && collection == other.collection && target == other.target
    }
}

// MARK: - Rows

extension Table {
    /// Nulls the links and empties the lists of a column, so that it links to nothing.
    fileprivate func emptyLinksAndLists(_ column: Int) {
        let property = schema.properties[column]
        guard property.collection != .none || property.type == .object || property.type == .mixed else { return }
        for key in allKeys where exists(key) {
            if property.collection != .none {
                if listCount(key, column) > 0 { clearCollection(key, column) }
            } else if !value(key, column).isNull {
                set(key, column, .null)
            }
        }
    }

    /// Copies the values of properties that only became optional or required.
    fileprivate func takeOver(from old: Table) {
        for (column, property) in schema.properties.enumerated() {
            guard let source = old.schema.index(of: property.name) else { continue }
            let stored = old.schema.properties[source]
            guard !property.isStored(like: stored), property.hasValues(like: stored) else { continue }
            let zero = property.isOptional ? Value.null : property.type.zero
            for key in allKeys where exists(key) {
                if property.collection == .none {
                    let value = old.value(key, source)
                    set(key, column, value.isNull ? zero : value)
                } else {
                    copyCollection(key, source, of: old, to: column) { $0.isNull ? zero : $0 }
                }
            }
        }
    }

    /// Replaces a collection by one of the same kind from a table with the same rows.
    package func copyCollection(
        _ key: ObjectKey, _ source: Int, of old: Table, to column: Int, _ changed: (Value) -> Value = { $0 }
    ) {
        let values = old.listValues(key, source).map(changed)
        switch schema.properties[column].collection {
        case .none: preconditionFailure("a property without elements was copied as a collection")
        case .list: listReplace(key, column, values)
        case .set: setReplace(key, column, values)
        case .map: mapReplace(key, column, Array(zip(old.mapKeys(key, source), values)).map { (key: $0, value: $1) })
        }
    }

    /// Builds the index of primary keys from their column.
    fileprivate func enterPrimaryKeys() throws(StoreError) {
        guard let column = primaryKeyColumn else { return }
        for key in allKeys where exists(key) {
            guard let primaryKey = PrimaryKey(value(key, column)) else { continue }
            try enter(primaryKey, for: key)
        }
    }
}
