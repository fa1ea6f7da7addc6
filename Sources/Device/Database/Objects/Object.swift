import CausewayModel

/// The class to inherit from to store objects.
///
/// ```swift
/// class Dog: Object {
///     @Persisted(primaryKey: true) var id: ObjectId
///     @Persisted var name = ""
///     @Persisted var age: Int
/// }
/// let realm = try Realm()
/// try realm.write { realm.add(Dog(value: ["name": "Rex", "age": 10])) }
/// ```
///
/// An object starts unmanaged and behaves like any Swift object. Once it is added to a Realm it is live: every read
/// sees the newest data, and every write needs a write transaction.
open class Object: ObjectBase, _PersistableObject {
    /// Creates an unmanaged object whose properties hold their defaults.
    public override init() {
        super.init()
    }

    /// Creates an unmanaged object from a dictionary, an array in the order of the properties, or another object.
    ///
    /// ```swift
    /// let dog = Dog(value: ["name": "Rex", "favoriteToy": ["name": "Tennis ball"]])
    /// ```
    ///
    /// An unknown key, or a value of the wrong type, stops the program with RealmSwift's message.
    public convenience init(value: Any) {
        self.init()
        Draft().fill(self, from: value)
    }

    /// The name of the primary key property, for classes that do not use `@Persisted(primaryKey: true)`.
    ///
    /// ```swift
    /// class Dog: Object {
    ///     @Persisted var name = ""
    ///     override class func primaryKey() -> String? { "name" }
    /// }
    /// ```
    open class func primaryKey() -> String? { nil }

    override class var _declaredPrimaryKey: String? { primaryKey() }
}

/// The class to inherit from for objects that live inside one parent object and are deleted with it.
///
/// ```swift
/// class Address: EmbeddedObject {
///     @Persisted var street: String?
///     @Persisted var city: String?
/// }
/// class Person: Object { @Persisted var address: Address? }
/// ```
///
/// An embedded object has no primary key and cannot be queried by itself. Queries reach it through its parent.
open class EmbeddedObject: ObjectBase, _PersistableObject {
    /// Creates an unmanaged object whose properties hold their defaults.
    public override init() {
        super.init()
    }

    /// Creates an unmanaged embedded object from a dictionary, an array or another object.
    ///
    /// ```swift
    /// let address = Address(value: ["street": "Main Street 1", "city": "Chicago"])
    /// ```
    public convenience init(value: Any) {
        self.init()
        Draft().fill(self, from: value)
    }

    override class var _kind: ClassKind { .embedded }
}

/// The class to inherit from for data that is written once, sent to the server, and never read on the device.
///
/// ```swift
/// class WeatherSensor: AsymmetricObject {
///     @Persisted(primaryKey: true) var _id: ObjectId
///     @Persisted var temperature: Float
/// }
/// try realm.write { realm.create(WeatherSensor.self, value: ["temperature": 21.5]) }
/// ```
///
/// Only `Realm.create` accepts asymmetric objects, and only in a synced Realm.
open class AsymmetricObject: ObjectBase {
    /// Creates an unmanaged object whose properties hold their defaults.
    public override init() {
        super.init()
    }

    /// Creates an unmanaged asymmetric object from a dictionary, an array or another object.
    public convenience init(value: Any) {
        self.init()
        Draft().fill(self, from: value)
    }

    /// The name of the primary key property, for classes that do not use `@Persisted(primaryKey: true)`.
    open class func primaryKey() -> String? { nil }

    override class var _kind: ClassKind { .asymmetric }
    override class var _declaredPrimaryKey: String? { primaryKey() }
}
