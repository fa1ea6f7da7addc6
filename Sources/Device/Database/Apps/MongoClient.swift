// The remote MongoDB of App Services is not a part of our server. The types are here so that apps which have such calls
// compile; each call throws an error that says so, or calls back with it.

extension User {
    /// A client for a MongoDB behind the server. Our server has none: every call throws `AppError.mongoDBError`.
    ///
    /// ```swift
    /// let dogs = user.mongoClient("mongodb-atlas").database(named: "pets").collection(withName: "Dog")
    /// ```
    ///
    /// Read the same data through a synced Realm instead.
    public func mongoClient(_ serviceName: String) -> MongoClient {
        MongoClient(name: serviceName)
    }
}

/// A MongoDB service, which our server does not provide.
///
/// ```swift
/// let client: MongoClient = user.mongoClient("mongodb-atlas")
/// let dogs = client.database(named: "pets").collection(withName: "Dog")
/// ```
public struct MongoClient: Hashable, Sendable {
    /// The name of the service.
    public let name: String

    /// A database of the service.
    ///
    /// ```swift
    /// let pets = user.mongoClient("mongodb-atlas").database(named: "pets")
    /// ```
    public func database(named name: String) -> MongoDatabase {
        MongoDatabase(name: name)
    }
}

/// A database of a MongoDB service, which our server does not provide.
///
/// ```swift
/// let pets: MongoDatabase = user.mongoClient("mongodb-atlas").database(named: "pets")
/// print(pets.collection(withName: "Dog").name)
/// ```
public struct MongoDatabase: Hashable, Sendable {
    /// The name of the database.
    public let name: String

    /// A collection of the database.
    ///
    /// ```swift
    /// let dogs = user.mongoClient("mongodb-atlas").database(named: "pets").collection(withName: "Dog")
    /// ```
    public func collection(withName name: String) -> MongoCollection {
        MongoCollection(name: name, databaseName: self.name)
    }
}
