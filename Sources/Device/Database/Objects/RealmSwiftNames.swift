// RealmSwift's second names of its classes, which apps write where another module has an `Object` too.

/// `Object`, by the name that no other module has.
///
/// ```swift
/// class Dog: RealmSwiftObject { @Persisted var name = "" }
/// ```
public typealias RealmSwiftObject = Object

/// `EmbeddedObject`, by the name that no other module has.
///
/// ```swift
/// class Place: RealmSwiftEmbeddedObject { @Persisted var city = "" }
/// ```
public typealias RealmSwiftEmbeddedObject = EmbeddedObject

/// `AsymmetricObject`, by the name that no other module has.
///
/// ```swift
/// class Reading: RealmSwiftAsymmetricObject { @Persisted(primaryKey: true) var id: ObjectId }
/// ```
public typealias RealmSwiftAsymmetricObject = AsymmetricObject

/// What a loop over a collection goes through, by RealmSwift's name.
///
/// ```swift
/// var iterator: RLMIterator<Dog> = dogs.makeIterator()
/// let first = iterator.next()
/// ```
public typealias RLMIterator = RealmCollectionIterator
