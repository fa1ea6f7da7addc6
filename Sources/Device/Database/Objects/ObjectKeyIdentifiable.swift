import CausewayModel
import CausewayObjectStore

/// An object with a stable `id`, for lists on screen and other code that uses `Identifiable`.
///
/// ```swift
/// class Dog: Object, ObjectKeyIdentifiable { @Persisted var name = "" }
/// ```
///
/// If a class declares a property named `id`, that property is used instead.
public protocol ObjectKeyIdentifiable: Identifiable {}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    /// A number that identifies the object.
    ///
    /// All accessors of a managed object have the same number, and no other object of the file has it. An unmanaged
    /// object has a number of its own. Adding the object to a Realm changes the number.
    ///
    /// ```swift
    /// class Toy: Object, ObjectKeyIdentifiable { @Persisted var name = "" }
    /// let ids = realm.objects(Toy.self).map(\.id)    // what lists on screen tell rows apart by
    /// ```
    public var id: UInt64 { rowIdentity }
}

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
    /// The identity of the object behind the projection.
    public var id: UInt64 { rootObject.rowIdentity }
}

extension ObjectBase {
    fileprivate var rowIdentity: UInt64 {
        guard let access = _access else {
            return UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
        }
        // The table's number takes the high 16 bits, which no row number reaches.
        return UInt64(access.table.number) << 48 ^ UInt64(bitPattern: _key.rawValue)
    }
}
