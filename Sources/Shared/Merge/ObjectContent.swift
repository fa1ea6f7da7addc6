package import CausewayOperations

/// An object and its state: whole, or the properties that have changed.
package struct ObjectContent: Hashable, Sendable {
    package var object: ObjectReference
    package var state: ObjectState
    /// Lists, sets, maps and texts that have changed and are not in the state: what happened to them. Ascending by
    /// property.
    package var changes: [PartChange]

    package init(_ object: ObjectReference, _ state: ObjectState, changes: [PartChange] = []) {
        self.object = object
        self.state = state
        self.changes = changes
    }
}

/// What happened to one list, set, map or text of an object.
package struct PartChange: Hashable, Sendable {
    package var property: String
    package var edits: PartEdits

    package init(_ property: String, _ edits: PartEdits) {
        self.property = property
        self.edits = edits
    }
}
