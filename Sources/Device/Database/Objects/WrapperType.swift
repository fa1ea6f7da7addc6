import CausewayModel
import Foundation

/// The most frequent types of properties. Operations on every property of many objects are compiled for each of them,
/// and a `switch` selects the code instead of a call through run-time generics.
enum WrapperType: UInt8 {
    case int, optionalInt
    case bool, optionalBool
    case double, optionalDouble
    case float, optionalFloat
    case string, optionalString
    case date, optionalDate
    case data, optionalData
    case objectId, optionalObjectId
    case uuid, optionalUUID
    /// A link to any class: references to all classes have the same layout and reference counting.
    case link
    /// An embedded object that the app reads as a value of its own type, which has any layout.
    case mapped
    /// A list, a set or a map of any elements: each is one reference, too.
    case list
    /// A collection that the class declares with `let`. It is bound to the row together with its object.
    case boxedList
    /// A value of any type, or a link.
    case mixed
    /// A string whose edits merge.
    case text
    /// Enumerations, integers narrower than `Int`, and app types that are stored as scalars.
    case other

    init(_ property: ObjectModel.Property) {
        if property.shape.collection != .none {
            self = property.wrapper.isBox ? .boxedList : .list
        } else if property.shape.isMapped {
            self = .mapped
        } else if property.shape.type == .object {
            self = .link
        } else if property.shape.type == .mixed {
            self = .mixed
        } else if property.shape.isText {
            self = .text
        } else {
            self.init(scalar: property.wrapper)
        }
    }

    private init(scalar wrapper: any PersistedWrapper.Type) {
        self =
            switch wrapper {
            case is Persisted<Int>.Type: .int
            case is Persisted<Int?>.Type: .optionalInt
            case is Persisted<Bool>.Type: .bool
            case is Persisted<Bool?>.Type: .optionalBool
            case is Persisted<Double>.Type: .double
            case is Persisted<Double?>.Type: .optionalDouble
            case is Persisted<Float>.Type: .float
            case is Persisted<Float?>.Type: .optionalFloat
            case is Persisted<String>.Type: .string
            case is Persisted<String?>.Type: .optionalString
            case is Persisted<Date>.Type: .date
            case is Persisted<Date?>.Type: .optionalDate
            case is Persisted<Data>.Type: .data
            case is Persisted<Data?>.Type: .optionalData
            case is Persisted<ObjectId>.Type: .objectId
            case is Persisted<ObjectId?>.Type: .optionalObjectId
            case is Persisted<UUID>.Type: .uuid
            case is Persisted<UUID?>.Type: .optionalUUID
            default: .other
            }
    }
}
