import CausewayModel
import CausewayObjectStore

/// An object with an identity of its own, for lists on a screen and whatever else tells things apart by `id`.
///
/// ```swift
/// class Dog: Object, ObjectKeyIdentifiable { @Persisted var name = "" }
/// ```
///
/// A class that declares a property named `id` is identified by that one.
public protocol ObjectKeyIdentifiable: Identifiable {}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    /// A number that every accessor of a managed object has and no other object of the file; of an unmanaged object one
    /// that it has for itself. Adding an object to a Realm gives it another one.
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
        // Tables are few: their numbers stand where no row number reaches.
        return UInt64(access.table.number) << 48 ^ UInt64(bitPattern: _key.rawValue)
    }
}
