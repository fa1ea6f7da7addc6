import CausewayModel
import Foundation

/// The types that properties mostly have: what is done to every property of many objects is compiled for each of them,
/// and chosen by a jump instead of a call through run-time generics.
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
    /// Any class: a reference takes the same place and the same reference counting whatever class it is of.
    case link
    /// An embedded object that shows as a value of a type of the app's: of any layout.
    case mapped
    /// A list, a set or a map, whatever its elements: each is one reference, too.
    case list
    /// A collection that the class declares with `let`: bound to the row as soon as its object is.
    case boxedList
    /// A value of any type, or a link.
    case mixed
    /// A string whose edits merge.
    case text
    /// Enumerations, the narrower integers, types of the app's that are stored as scalars.
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
