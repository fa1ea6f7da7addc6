import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

// What happened to lists, sets, maps and texts on the server, done in the columns of an object without a base: each
// step where it is, so that observers hear of it alone.

extension RowWriter {
    /// The column of what has changed; nil where this device's schema has no such list, set, map or text.
    func column(of change: PartChange, in className: String) -> Int? {
        guard let schema = transaction.table(className)?.schema, let column = schema.index(of: change.property),
            schema.properties[column].part == change.edits.kind
        else { return nil }
        return column
    }

    /// - Throws: `UnfittingChange` when the object is not here, or not as the server believes.
    func follow(_ object: ObjectReference, _ changes: [PartChange]) throws {
        guard let table = transaction.table(object.className) else { return }
        for change in changes {
            guard let column = column(of: change, in: object.className) else { continue }
            guard let key = table.key(for: object.key) else {
                // As in `update`: this device has replaced the embedded object.
                if isEmbedded(object.className) { return }
                throw UnfittingChange(object: object, property: change.property)
            }
            let fits =
                switch change.edits {
                case .list(let edits): try follow(edits, of: object, key, table, column)
                case .keyed(let edits): follow(edits, key, table, column)
                case .text(let edits): try follow(edits, of: object, key, table, column)
                }
            guard fits else { throw UnfittingChange(object: object, property: change.property) }
        }
    }

    // MARK: - Lists

    private func follow(
        _ edits: [StampedEdit<ListOperation>], of object: ObjectReference, _ key: ObjectKey, _ table: Table,
        _ column: Int
    ) throws(StoreError) -> Bool {
        let name = table.schema.properties[column].name
        var list = try trees.list(object, name)
        let count = list.count
        guard let steps = list.follow(edits) else { return false }
        // Otherwise elements that this device does not take were left out.
        let isWhole = table.listCount(key, column) == count && steps.allSatisfy { $0.isAccepted(by: table, column) }
        // A part that moves must not leave the list even for a moment: it would end.
        guard isWhole, !mayHoldParts(table, column) else {
            try show(.list(list), of: object, table, column)
            return true
        }
        for step in steps {
            switch step {
            case .insert(let index, let value): table.listInsert(key, column, index, value)
            case .remove(let index): table.listRemove(key, column, index)
            case .set(let index, let value): table.listSet(key, column, index, value)
            case .move(let from, let to): table.listMove(key, column, from, to)
            }
            // An embedded object that went may have held this one, in a circle.
            guard table.exists(key) else { return true }
        }
        trees.save(list, object, name)
        return true
    }

    /// Whether elements may be objects or collections that end with their place in the list.
    private func mayHoldParts(_ table: Table, _ column: Int) -> Bool {
        let property = table.schema.properties[column]
        return property.type == .mixed || property.target.map(isEmbedded) ?? false
    }

    // MARK: - Sets and maps

    private func follow(
        _ edits: [StampedEdit<KeyedOperation>], _ key: ObjectKey, _ table: Table, _ column: Int
    ) -> Bool {
        let isSet = table.schema.properties[column].collection == .set
        for edit in edits {
            switch edit.edit {
            case .put(let element, _) where isSet && table.accepts(element, column: column):
                put(element, key, table, column)
            case .remove(let element) where isSet && table.accepts(element, column: column):
                remove(element, key, table, column)
            case .put(.string(let name), let value) where !isSet && table.accepts(value, column: column):
                put(name, value, key, table, column)
            case .put(.string(let name), _) where !isSet, .remove(.string(let name)) where !isSet:
                table.mapRemove(key, column, name)
            case .put, .remove: break
            }
            guard table.exists(key) else { return true }
        }
        return true
    }

    private func put(_ element: Value, _ key: ObjectKey, _ table: Table, _ column: Int) {
        if table.setInsert(key, column, element) { return }
        // An equal element may be written differently, as −0 for 0; a link is not.
        switch element {
        case .link, .anyLink: return
        default: break
        }
        let index = table.setPlace(key, column, element).index
        if table.listValue(key, column, index) != element { table.listSet(key, column, index, element) }
    }

    private func remove(_ element: Value, _ key: ObjectKey, _ table: Table, _ column: Int) {
        // To look for the link would make a ghost of an object that was never here.
        switch element {
        case .link(let target):
            guard let name = table.schema.properties[column].target,
                transaction.table(name)?.keyOrGhost(for: target) != nil
            else { return }
        case .anyLink(let link):
            guard transaction.table(link.className)?.keyOrGhost(for: link.key) != nil else { return }
        default: break
        }
        table.setRemove(key, column, element)
    }

    private func put(_ name: String, _ value: Value, _ key: ObjectKey, _ table: Table, _ column: Int) {
        let target = table.schema.properties[column].target
        if let present = table.mapValue(key, column, name),
            Links(transaction).travelling(present, target: target) == value
        {
            return
        }
        table.mapPut(key, column, name, value)
    }

    // MARK: - Texts

    private func follow(
        _ edits: [StampedEdit<TextOperation>], of object: ObjectReference, _ key: ObjectKey, _ table: Table,
        _ column: Int
    ) throws(StoreError) -> Bool {
        var text = try trees.texts.open(object, table.schema.properties[column].name)
        guard text.runs.count == table.textCount(key, column) else { throw trees.texts.contradiction() }
        var shown: [TextEdit] = []
        for edit in edits {
            guard text.runs.knowsWhatIsNamed(by: edit.edit) else { return false }
            shown += text.runs.join(edit.edit)
        }
        for edit in shown { table.edit(key, text: column, edit) }
        // Without a base nothing leads back behind what the server sent.
        trees.texts.append(edits.map { TextStep.Change($0.edit) }, reversal: [], to: text, isNeeded: false)
        return true
    }
}

extension ListState.IndexEdit {
    fileprivate func isAccepted(by table: Table, _ column: Int) -> Bool {
        switch self {
        case .insert(_, let value), .set(_, let value): table.accepts(value, column: column)
        case .remove, .move: true
        }
    }
}
