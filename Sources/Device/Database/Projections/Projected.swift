/// Declares a property of a projection, by the path that leads to its value from the object behind.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.firstName) var firstName
///     @Projected(\Person.address?.city) var homeCity
/// }
/// ```
///
/// Writing the property writes the object's, in a write transaction as always. A path that cannot be written, such as one
/// through an optional link, gives a property that can only be read: writing it stops the program.
@propertyWrapper
public struct Projected<Root: ObjectBase & RealmCollectionValue, Value> {
    let projectedKeyPath: KeyPath<Root, Value>

    /// Projects what a key path of the object leads to.
    ///
    /// ```swift
    /// class DogProjection: Projection<Dog> { @Projected(\Dog.favoriteToy?.name) var toyName }
    /// ```
    public init(_ projectedKeyPath: KeyPath<Root, Value>) {
        self.projectedKeyPath = projectedKeyPath
    }

    /// Reads or writes the property of the object behind the projection it belongs to.
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

    /// Never used: the property needs the projection around it.
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
