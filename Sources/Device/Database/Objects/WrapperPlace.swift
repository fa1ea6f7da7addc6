import CausewayModel
import Foundation

/// Where a property's wrapper lies in every object of its class, and what is done to it there most often.
///
/// `PersistedWrapper` reaches a wrapper of any type through run-time generics, at a microsecond a call. Making an
/// accessor and adding an object touch every property, so the types that properties mostly have get functions of
/// their own here, compiled for the type.
struct WrapperPlace: Sendable {
    let offset: Int
    /// Makes the wrapper read and write a column.
    let bind: @Sendable (UnsafeMutableRawPointer, _ column: Int) -> Void
    /// The value an unmanaged object holds; nil for links and collections, which are promoted.
    let scalar: (@Sendable (UnsafeMutableRawPointer) -> Value)?
    /// Whether an unmanaged object's link or collection has nothing to promote.
    let isUntouched: @Sendable (UnsafeMutableRawPointer) -> Bool

    init(_ property: ObjectModel.Property) {
        offset = property.offset
        let functions = Self.functions(property)
        bind = functions.bind
        isUntouched = functions.isUntouched
        scalar = property.isScalar ? functions.scalar : nil
    }

    private struct Functions {
        var bind: @Sendable (UnsafeMutableRawPointer, Int) -> Void
        var scalar: @Sendable (UnsafeMutableRawPointer) -> Value
        var isUntouched: @Sendable (UnsafeMutableRawPointer) -> Bool
    }

    /// For an inverse relation, which has nothing to add.
    static func binder(ofInverseAt offset: Int) -> (offset: Int, bind: @Sendable (UnsafeMutableRawPointer, Int) -> Void)
    {
        // The layout of `LinkingObjects` does not depend on its elements' class.
        (offset, { Persisted<LinkingObjects<Object>>.bind($0, $1) })
    }

    @inline(__always)
    private static func compiled<V: _Persistable>(for type: V.Type) -> Functions {
        Functions(
            bind: { Persisted<V>.bind($0, $1) },
            scalar: { Persisted<V>.scalar($0) },
            isUntouched: { Persisted<V>.isUntouched($0) })
    }

    private static func functions(_ property: ObjectModel.Property) -> Functions {
        let wrapper = property.wrapper
        if property.shape.type == .object {
            // A reference takes the same place and the same reference counting whatever class it is of. So does a
            // list, whatever its elements. Only `bind` and `isUntouched` are used of these.
            return property.shape.collection == .list
                ? compiled(for: List<Int>.self) : compiled(for: Object?.self)
        }
        if property.shape.collection == .list { return compiled(for: List<Int>.self) }
        return switch wrapper {
        case is Persisted<Int>.Type: compiled(for: Int.self)
        case is Persisted<Int?>.Type: compiled(for: Int?.self)
        case is Persisted<Bool>.Type: compiled(for: Bool.self)
        case is Persisted<Bool?>.Type: compiled(for: Bool?.self)
        case is Persisted<Double>.Type: compiled(for: Double.self)
        case is Persisted<Double?>.Type: compiled(for: Double?.self)
        case is Persisted<Float>.Type: compiled(for: Float.self)
        case is Persisted<Float?>.Type: compiled(for: Float?.self)
        case is Persisted<String>.Type: compiled(for: String.self)
        case is Persisted<String?>.Type: compiled(for: String?.self)
        case is Persisted<Date>.Type: compiled(for: Date.self)
        case is Persisted<Date?>.Type: compiled(for: Date?.self)
        case is Persisted<Data>.Type: compiled(for: Data.self)
        case is Persisted<Data?>.Type: compiled(for: Data?.self)
        case is Persisted<ObjectId>.Type: compiled(for: ObjectId.self)
        case is Persisted<ObjectId?>.Type: compiled(for: ObjectId?.self)
        case is Persisted<UUID>.Type: compiled(for: UUID.self)
        case is Persisted<UUID?>.Type: compiled(for: UUID?.self)
        default:
            Functions(
                bind: { wrapper.bind($0, $1) }, scalar: { wrapper.scalar($0) },
                isUntouched: { wrapper.isUntouched($0) })
        }
    }
}
