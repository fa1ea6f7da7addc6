package import CausewayMerge
package import CausewayModel
package import CausewayOperations

/// The states of the few objects that a small universe has.
package struct World: Equatable, Sendable {
    package struct Object: Equatable, Sendable {
        package var name: ObjectReference
        package var state: ObjectState
    }

    /// Ascending by class and key, so that the order of arrival does not show here.
    package private(set) var objects: [Object] = []

    package init() {}

    package subscript(name: ObjectReference) -> ObjectState? {
        objects.first { $0.name == name }?.state
    }

    /// The rule under test. Tests of the checker put broken ones here.
    package typealias Join = @Sendable (inout ObjectState, Operation, Stamp) -> Void

    package static let product: Join = { state, operation, stamp in state.join(operation, stamp: stamp) }

    package mutating func join(_ actions: [Stamped], by join: Join) {
        for action in actions {
            let name = action.operation.target
            let index = objects.firstIndex { !World.precedes($0.name, name) } ?? objects.count
            if index == objects.count || objects[index].name != name {
                objects.insert(Object(name: name, state: ObjectState()), at: index)
            }
            join(&objects[index].state, action.operation, action.stamp)
        }
    }

    private static func precedes(_ left: ObjectReference, _ right: ObjectReference) -> Bool {
        left.className == right.className ? left.key < right.key : left.className < right.className
    }
}

/// An operation on its way.
package struct Stamped: Equatable, Sendable {
    package var operation: Operation
    package var stamp: Stamp

    package init(_ operation: Operation, _ stamp: Stamp) {
        self.operation = operation
        self.stamp = stamp
    }
}
