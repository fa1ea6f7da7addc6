import CausewayModel
import Foundation

/// The offset of a property's wrapper in every object of its class, with the most frequent operations on it.
///
/// `PersistedWrapper` reaches a wrapper of any type through run-time generics, at a microsecond a call. Making an
/// accessor and adding an object touch every property, so the most frequent property types have functions here that
/// are compiled for the type.
struct WrapperPlace: Sendable {
    let offset: Int
    /// Makes the wrapper read and write a column.
    let bind: @Sendable (UnsafeMutableRawPointer, _ column: Int) -> Void
    /// Reads the value of an unmanaged object. Nil for links and collections, which are promoted instead.
    let scalar: (@Sendable (UnsafeMutableRawPointer) -> Value)?
    /// Whether an unmanaged object's link or collection has nothing to promote.
    let isUntouched: @Sendable (UnsafeMutableRawPointer) -> Bool
    /// Sets a scalar of an unmanaged object to a value of exactly its type. False for other values, which may still be
    /// convertible.
    let take: @Sendable (UnsafeMutableRawPointer, Any) -> Bool

    /// The target class of a link. Nil for embedded objects, collections and scalars.
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

    /// The binding of an inverse relation.
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

    /// The same with `take`, for types whose values the store returns unchanged. They are set without conversion.
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
            // References to all classes have the same layout and reference counting, and so have lists, sets and maps
            // of all elements. For these only `bind` and `isUntouched` are called.
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
