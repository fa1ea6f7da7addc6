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
    /// Gives an unmanaged object's scalar a value of just its type; false for other values, which may be convertible.
    let take: @Sendable (UnsafeMutableRawPointer, Any) -> Bool

    /// The class that a link to an object with a life of its own leads to.
    let linkTarget: ObjectBase.Type?

    init(_ property: ObjectModel.Property) {
        offset = property.offset
        let functions = Self.functions(property)
        bind = functions.bind
        isUntouched = functions.isUntouched
        scalar = property.isScalar ? functions.scalar : nil
        take = property.isScalar ? functions.take : Functions.takeNothing
        let isLink = property.shape.type == .object && property.shape.collection == .none
        linkTarget = isLink ? property.shape.target.flatMap { $0._kind == .object ? $0 : nil } : nil
    }

    private struct Functions {
        var bind: @Sendable (UnsafeMutableRawPointer, Int) -> Void
        var scalar: @Sendable (UnsafeMutableRawPointer) -> Value
        var isUntouched: @Sendable (UnsafeMutableRawPointer) -> Bool
        var take: @Sendable (UnsafeMutableRawPointer, Any) -> Bool = takeNothing

        static let takeNothing: @Sendable (UnsafeMutableRawPointer, Any) -> Bool = { _, _ in false }
    }

    /// For an inverse relation, which has nothing to add.
    static func binder(
        of inverse: ObjectModel.Inverse
    ) -> (offset: Int, bind: @Sendable (UnsafeMutableRawPointer, Int) -> Void) {
        if inverse.wrapper.isBox { return (inverse.offset, inverse.wrapper.binder(at: inverse.offset)) }
        // The layout of `LinkingObjects` does not depend on its elements' class.
        return (inverse.offset, { Persisted<LinkingObjects<Object>>.bind($0, $1) })
    }

    @inline(__always)
    private static func compiled<V: _Persistable>(for type: V.Type) -> Functions {
        Functions(
            bind: { Persisted<V>.bind($0, $1) },
            scalar: { Persisted<V>.scalar($0) },
            isUntouched: { Persisted<V>.isUntouched($0) })
    }

    /// The same, for types whose values come back from the store as they were: setting one needs no way through it.
    @inline(__always)
    private static func taking<V: _Persistable>(_ type: V.Type) -> Functions {
        var functions = compiled(for: type)
        functions.take = { Persisted<V>.take($0, $1) { (given: V) in given } }
        return functions
    }

    @inline(__always)
    private static func taking<V: _OptionalPersistable>(_ type: V?.Type) -> Functions {
        var functions = compiled(for: type)
        functions.take = { Persisted<V?>.take($0, $1) { (given: V) in given } }
        return functions
    }

    private static func functions(_ property: ObjectModel.Property) -> Functions {
        let wrapper = property.wrapper
        if wrapper.isBox {
            return Functions(
                bind: wrapper.binder(at: property.offset), scalar: { wrapper.scalar($0) },
                isUntouched: { wrapper.isUntouched($0) })
        }
        if property.shape.type == .object, !property.shape.isMapped {
            // A reference takes the same place and the same reference counting whatever class it is of. So does a
            // list, a set or a map, whatever its elements. Only `bind` and `isUntouched` are used of these.
            return property.shape.collection != .none
                ? compiled(for: List<Int>.self) : compiled(for: Object?.self)
        }
        if property.shape.collection != .none { return compiled(for: List<Int>.self) }
        return switch wrapper {
        case is Persisted<Int>.Type: taking(Int.self)
        case is Persisted<Int?>.Type: taking(Int?.self)
        case is Persisted<Bool>.Type: taking(Bool.self)
        case is Persisted<Bool?>.Type: taking(Bool?.self)
        case is Persisted<Double>.Type: taking(Double.self)
        case is Persisted<Double?>.Type: taking(Double?.self)
        case is Persisted<Float>.Type: taking(Float.self)
        case is Persisted<Float?>.Type: taking(Float?.self)
        case is Persisted<String>.Type: taking(String.self)
        case is Persisted<String?>.Type: taking(String?.self)
        case is Persisted<Date>.Type: compiled(for: Date.self)
        case is Persisted<Date?>.Type: compiled(for: Date?.self)
        case is Persisted<Data>.Type: compiled(for: Data.self)
        case is Persisted<Data?>.Type: compiled(for: Data?.self)
        case is Persisted<ObjectId>.Type: taking(ObjectId.self)
        case is Persisted<ObjectId?>.Type: taking(ObjectId?.self)
        case is Persisted<UUID>.Type: taking(UUID.self)
        case is Persisted<UUID?>.Type: taking(UUID?.self)
        case is Persisted<Text>.Type: compiled(for: Text.self)
        default:
            Functions(
                bind: wrapper.binder(at: property.offset), scalar: { wrapper.scalar($0) },
                isUntouched: { wrapper.isUntouched($0) })
        }
    }
}
