package import CausewayModel

/// An object, named so that every device and the server mean the same one.
package struct ObjectReference: Sendable {
    package var className: String
    package var key: PrimaryKey

    package init(_ className: String, _ key: PrimaryKey) {
        self.className = className
        self.key = key
    }
}

extension ObjectReference: Hashable {
    /// Compares the bytes, as with all names.
    package static func == (left: ObjectReference, right: ObjectReference) -> Bool {
        left.key == right.key && left.className.isSame(as: right.className)
    }

    package func hash(into hasher: inout Hasher) {
        className.hashBytes(into: &hasher)
        hasher.combine(key)
    }
}

/// A value for one property of an object.
package struct FieldValue: Hashable, Sendable {
    package var property: String
    /// Never `Value.object`: links travel by primary key.
    package var value: Value
    /// A default never beats a value that somebody set.
    package var isDefault: Bool

    package init(_ property: String, _ value: Value, isDefault: Bool = false) {
        self.property = property
        self.value = value
        self.isDefault = isDefault
    }
}

/// One intention of a writer, as data. `Merge/RULES.md` says what every pair of them means together.
package enum Operation: Hashable, Sendable {
    /// Brings an object to life with its first values. `life` is the causal length it reaches: odd.
    case create(ObjectReference, life: UInt32, fields: [FieldValue])
    /// Ends an object. `life` is the causal length it reaches: even.
    case delete(ObjectReference, life: UInt32)
    case set(ObjectReference, FieldValue)
    case list(ObjectReference, property: String, ListOperation)
    /// Changes one entry of a set or a map.
    case keyed(ObjectReference, property: String, KeyedOperation)
    /// Adds to a counter.
    case add(ObjectReference, property: String, Addition)
    case text(ObjectReference, property: String, TextOperation)
}

extension Operation {
    /// No object is made and deleted so often: a larger life comes from damage or malice and is refused when read.
    package static let lifeMax: UInt32 = 1 << 30

    /// Whether it is a create or a delete.
    package var isAboutLife: Bool {
        switch self {
        case .create, .delete: true
        case .set, .list, .keyed, .add, .text: false
        }
    }

    package var target: ObjectReference {
        switch self {
        case .create(let target, _, _), .delete(let target, _), .set(let target, _), .list(let target, _, _): target
        case .keyed(let target, _, _), .text(let target, _, _): target
        case .add(let target, _, _): target
        }
    }
}

/// One intention about a list. Origins name the neighbours that the writer saw, removed ones included.
package enum ListOperation: Hashable, Sendable {
    case insert(ElementID, left: ElementID?, right: ElementID?, value: Value)
    case delete(ElementID)
    /// Gives the element a new position, named `position`, between two neighbours.
    case move(ElementID, position: ElementID, left: ElementID?, right: ElementID?)
    case set(ElementID, value: Value)
    /// Removes exactly the elements its writer saw.
    case clear([ElementID])
}

/// One intention about a set or a map: a set is a map whose keys are its elements and whose values are null.
///
/// To clear is to remove each key that the writer saw, so there is no operation for it.
package enum KeyedOperation: Hashable, Sendable {
    /// Links are named by primary key, as in fields. In a set the value is null.
    case put(key: Value, value: Value)
    case remove(key: Value)

    package var key: Value {
        switch self {
        case .put(let key, _), .remove(let key): key
        }
    }
}
