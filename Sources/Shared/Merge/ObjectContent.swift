package import CausewayOperations

/// An object and its state: whole, or the properties that have changed.
package struct ObjectContent: Hashable, Sendable {
    package var object: ObjectReference
    package var state: ObjectState

    package init(_ object: ObjectReference, _ state: ObjectState) {
        self.object = object
        self.state = state
    }
}
