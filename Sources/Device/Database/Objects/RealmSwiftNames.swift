// RealmSwift's alternative class names. Apps use them where another module also declares an `Object`.

/// `Object`, under a name that no other module uses.
///
/// ```swift
/// class Dog: RealmSwiftObject { @Persisted var name = "" }
/// ```
public typealias RealmSwiftObject = Object

/// `EmbeddedObject`, under a name that no other module uses.
///
/// ```swift
/// class Place: RealmSwiftEmbeddedObject { @Persisted var city = "" }
/// ```
public typealias RealmSwiftEmbeddedObject = EmbeddedObject

/// `AsymmetricObject`, under a name that no other module uses.
///
/// ```swift
/// class Reading: RealmSwiftAsymmetricObject { @Persisted(primaryKey: true) var id: ObjectId }
/// ```
public typealias RealmSwiftAsymmetricObject = AsymmetricObject

/// The iterator of a collection, under RealmSwift's name.
///
/// ```swift
/// var iterator: RLMIterator<Dog> = dogs.makeIterator()
/// let first = iterator.next()
/// ```
public typealias RLMIterator = RealmCollectionIterator
