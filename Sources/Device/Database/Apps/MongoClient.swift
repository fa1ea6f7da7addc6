// This server has no remote MongoDB, as App Services had. The names exist so that the compiler can say what to use
// instead.

extension User {
    /// A client for a MongoDB behind the server. There is none.
    @available(*, unavailable, message: "The server has no MongoDB. Read and write the same objects in a synced Realm.")
    public func mongoClient(_ serviceName: String) -> MongoClient { MongoClient() }
}

/// A MongoDB service. There is none.
@available(*, unavailable, message: "The server has no MongoDB. Read and write the same objects in a synced Realm.")
public struct MongoClient: Sendable {
    /// A database of the service.
    public func database(named name: String) -> MongoDatabase { MongoDatabase() }
}

/// A database of a MongoDB service. There is none.
@available(*, unavailable, message: "The server has no MongoDB. Read and write the same objects in a synced Realm.")
public struct MongoDatabase: Sendable {
    /// A collection of the database.
    public func collection(withName name: String) -> MongoCollection { MongoCollection() }
}

/// A collection of a MongoDB database. There is none.
@available(*, unavailable, message: "The server has no MongoDB. Query objects of a synced Realm, and observe them.")
public struct MongoCollection: Sendable {}
