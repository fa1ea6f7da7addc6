/// Declares a property of a projection by the key path to its value in the object.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.firstName) var firstName
///     @Projected(\Person.address?.city) var homeCity
/// }
/// ```
///
/// Writing the property writes that of the object, in a write transaction as always. If the path cannot be written, as
/// one through an optional link, the property is read-only: writing it stops the program.
@propertyWrapper
public struct Projected<Root: ObjectBase & RealmCollectionValue, Value> {
    let projectedKeyPath: KeyPath<Root, Value>

    /// Projects the value at a key path of the object.
    ///
    /// ```swift
    /// class DogProjection: Projection<Dog> { @Projected(\Dog.favoriteToy?.name) var toyName }
    /// ```
    public init(_ projectedKeyPath: KeyPath<Root, Value>) {
        self.projectedKeyPath = projectedKeyPath
    }

    /// Reads or writes the property of the object that the enclosing projection shows.
    public static subscript<EnclosingSelf: Projection<Root>>(
        _enclosingInstance projection: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        get { projection.rootObject[keyPath: projection[keyPath: storageKeyPath].projectedKeyPath] }
        set {
            let path = projection[keyPath: storageKeyPath].projectedKeyPath
            guard let path = path as? ReferenceWritableKeyPath<Root, Value> else {
                misuse("The projected property cannot be written: its key path \(path) can only be read.")
            }
            projection.rootObject[keyPath: path] = newValue
        }
    }

    /// Never used: the property needs its enclosing projection.
    @available(*, unavailable, message: "@Projected can only be used as a property on a Projection")
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }
}

/// `Projected` without its types: what discovery finds in a projection.
protocol ProjectedWrapper {
    var erasedKeyPath: AnyKeyPath { get }
}

extension Projected: ProjectedWrapper {
    var erasedKeyPath: AnyKeyPath { projectedKeyPath }
}
