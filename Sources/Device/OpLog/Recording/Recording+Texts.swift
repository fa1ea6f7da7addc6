import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

extension Recording {
    /// A new object's texts begin empty: what they hold is one run.
    mutating func addNewTexts(_ object: ObjectReference, _ table: Table, _ key: ObjectKey) {
        for (column, property) in table.schema.properties.enumerated() where property.isText {
            guard let (text, insertion) = newText(table.value(key, column)) else { continue }
            changes.append(.text(object, property: property.name, insertion))
            trees.texts.replace(text.runs, object, property.name)
        }
    }

    mutating func newText(_ value: Value) -> (text: TextState, insertion: TextOperation)? {
        var text = TextState()
        guard case .string(let string) = value, !string.isEmpty,
            let insertion = text.insert(string, at: 0, id: state.nextElements(string.unicodeScalars.count))
        else { return nil }
        return (text, insertion)
    }

    mutating func addTextEdits(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        guard table.schema.properties.contains(where: \.isText) else { return }
        for key in classChanges.modified.keys.sorted() {
            guard let columns = classChanges.modified[key], table.exists(key) else { continue }
            for column in columns.columns where table.schema.properties[column].isText {
                let edits = classChanges.textEdits[ChangedList(key: key, column: column)]
                if let edits {
                    try addTextEdits(edits.edits, reversals: edits.reversals, table, key, column)
                } else {
                    try addTextDifference(table, key, column)
                }
            }
        }
    }

    /// The text was set as a string: its operations are the least difference between before and after.
    private mutating func addTextDifference(_ table: Table, _ key: ObjectKey, _ column: Int) throws(StoreError) {
        guard case .string(let now) = table.value(key, column) else { return }
        var old = ""
        if let before = try lastCommit().table(table.name), before.exists(key),
            before.schema.properties.indices.contains(column),
            case .string(let string) = before.value(key, column)
        {
            old = string
        }
        let edits = TextDifference.edits(from: old, to: now)
        try addTextEdits(edits, reversals: TextDifference.reversals(of: edits, from: old), table, key, column)
    }

    mutating func addTextEdits(
        _ edits: [TextEdit], reversals: [TextEdit], _ table: Table, _ key: ObjectKey, _ column: Int
    ) throws(StoreError) {
        let object = try reference(table, key)
        let property = table.schema.properties[column].name
        var text = try trees.texts.open(object, property)
        guard let operations = text.runs.apply(edits, nextID: { state.nextElements($0) }),
            text.runs.count == table.textCount(key, column)
        else { throw trees.texts.contradiction() }
        // A base promises that a logged changeset is about the object: without an operation there is none.
        guard !operations.isEmpty else { return trees.texts.close(text) }
        try keepBase(object, table, key)
        changes += operations.map { .text(object, property: property, $0) }
        let isNeeded = try needsSteps(object, text)
        trees.texts.append(
            operations.map { TextStep.Change($0) }, reversal: reversals, to: text, isNeeded: isNeeded)
    }

    /// Whether the base needs the steps of a text. A base for which they have become too many gets the texts themselves.
    private mutating func needsSteps(_ object: ObjectReference, _ text: TextTrees.Opened) throws(StoreError) -> Bool {
        guard let base = try trees.storedBase(object), base.textsAsOf != nil else { return false }
        guard trees.texts.hasTooManySteps(text) else { return true }
        return try !makeBaseWhole(object)
    }

    /// Gives a base the texts that it leaves to the row: as the last commit has the row. Returns whether the base has
    /// them now; one that this write has made has not.
    @discardableResult
    mutating func makeBaseWhole(_ object: ObjectReference) throws(StoreError) -> Bool {
        guard let base = try trees.storedBase(object), base.textsAsOf != nil else { return true }
        guard let whole = try Trees(try lastCommit()).base(object) else { return false }
        trees.save(BaseCopy(state: whole.state, lastSequence: base.lastSequence), object)
        return true
    }
}
