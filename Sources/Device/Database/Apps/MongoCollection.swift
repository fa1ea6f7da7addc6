/// A collection of a MongoDB service, which our server does not provide: every call throws `AppError.mongoDBError`, or
/// calls back with it.
///
/// ```swift
/// do {
///     print(collection.databaseName, try await collection.find(filter: ["name": "Rex"]))
/// } catch let error as AppError where error.code == .mongoDBError {
///     show(realm.objects(Dog.self).where { $0.name == "Rex" })
/// }
/// ```
public struct MongoCollection: Hashable, Sendable {
    /// The name of the collection.
    public let name: String
    /// The name of its database.
    public let databaseName: String

    func absent(_ call: String) -> AppError {
        AppError(
            .mongoDBError,
            "'\(call)' on '\(databaseName).\(name)' is not provided by the server: it has no MongoDB behind it. Read "
                + "and write the objects through a synced Realm.")
    }

    private func refuse<Value: Sendable>(
        _ call: String, _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let error = absent(call)
        deliver(to: completion) { throw error }
    }
}

// MARK: - Reading

extension MongoCollection {
    /// The documents that a filter matches.
    ///
    /// ```swift
    /// let old = try? await collection.find(filter: ["age": 10])    // nil: it throws
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func find(filter: Document = [:], options: FindOptions = FindOptions()) async throws -> [Document] {
        throw absent("find")
    }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.find(filter: ["age": 10]) { result in log("\(result)") }
    /// ```
    public func find(filter: Document, options: FindOptions = FindOptions(), _ completion: @escaping MongoFindBlock) {
        refuse("find", completion)
    }

    /// One document that a filter matches.
    ///
    /// ```swift
    /// let rex = try? await collection.findOneDocument(filter: ["name": "Rex"])    // nil: it throws
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func findOneDocument(filter: Document = [:], options: FindOptions = FindOptions()) async throws -> Document?
    {
        throw absent("findOneDocument")
    }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.findOneDocument(filter: ["name": "Rex"]) { result in log("\(result)") }
    /// ```
    public func findOneDocument(
        filter: Document, options: FindOptions = FindOptions(), _ completion: @escaping MongoFindOneBlock
    ) {
        refuse("findOneDocument", completion)
    }

    /// How many documents a filter matches.
    ///
    /// ```swift
    /// let many = try? await collection.count(filter: ["age": 10], limit: 100)    // nil: it throws
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func count(filter: Document = [:], limit: Int? = nil) async throws -> Int { throw absent("count") }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.count(filter: ["age": 10]) { result in log("\(result)") }
    /// ```
    public func count(filter: Document, limit: Int? = nil, _ completion: @escaping MongoCountBlock) {
        refuse("count", completion)
    }

    /// What a pipeline of stages makes of the documents.
    ///
    /// ```swift
    /// let groups = try? await collection.aggregate(pipeline: [["$group": ["_id": "$age"]]])    // nil: it throws
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func aggregate(pipeline: [Document]) async throws -> [Document] { throw absent("aggregate") }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.aggregate(pipeline: [["$limit": 1]]) { result in log("\(result)") }
    /// ```
    public func aggregate(pipeline: [Document], _ completion: @escaping MongoFindBlock) {
        refuse("aggregate", completion)
    }
}

// MARK: - Writing

extension MongoCollection {
    /// Inserts a document, for its id.
    ///
    /// ```swift
    /// let id = try? await collection.insertOne(["name": "Rex"])    // nil: it throws
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func insertOne(_ value: Document) async throws -> AnyBSON { throw absent("insertOne") }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.insertOne(["name": "Rex"]) { result in log("\(result)") }
    /// ```
    public func insertOne(_ value: Document, _ completion: @escaping MongoInsertBlock) {
        refuse("insertOne", completion)
    }

    /// Inserts documents, for their ids.
    ///
    /// ```swift
    /// let ids = try? await collection.insertMany([["name": "Rex"], ["name": "Bello"]])    // nil: it throws
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func insertMany(_ values: [Document]) async throws -> [AnyBSON] { throw absent("insertMany") }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.insertMany([["name": "Rex"]]) { result in log("\(result)") }
    /// ```
    public func insertMany(_ values: [Document], _ completion: @escaping MongoInsertManyBlock) {
        refuse("insertMany", completion)
    }

    /// Updates one document that a filter matches; with `upsert` it is made where there is none.
    ///
    /// ```swift
    /// let result = try? await collection.updateOneDocument(filter: [:], update: ["$inc": ["age": 1]])    // nil: it throws
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func updateOneDocument(filter: Document, update: Document, upsert: Bool = false) async throws -> UpdateResult
    {
        throw absent("updateOneDocument")
    }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.updateOneDocument(filter: [:], update: ["$inc": ["age": 1]], upsert: true) { result in log("\(result)") }
    /// ```
    public func updateOneDocument(
        filter: Document, update: Document, upsert: Bool = false, _ completion: @escaping MongoUpdateBlock
    ) {
        refuse("updateOneDocument", completion)
    }

    /// Updates the documents that a filter matches; with `upsert` one is made where there is none.
    ///
    /// ```swift
    /// let result = try? await collection.updateManyDocuments(filter: [:], update: ["$inc": ["age": 1]])    // nil: it throws
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func updateManyDocuments(filter: Document, update: Document, upsert: Bool = false) async throws
        -> UpdateResult
    {
        throw absent("updateManyDocuments")
    }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.updateManyDocuments(filter: [:], update: ["$inc": ["age": 1]], upsert: true) { result in log("\(result)") }
    /// ```
    public func updateManyDocuments(
        filter: Document, update: Document, upsert: Bool = false, _ completion: @escaping MongoUpdateBlock
    ) {
        refuse("updateManyDocuments", completion)
    }

    /// Deletes one document that a filter matches.
    ///
    /// ```swift
    /// let deleted = try? await collection.deleteOneDocument(filter: ["age": 10])    // nil: it throws
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func deleteOneDocument(filter: Document) async throws -> Int { throw absent("deleteOneDocument") }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.deleteOneDocument(filter: ["age": 10]) { result in log("\(result)") }
    /// ```
    public func deleteOneDocument(filter: Document, _ completion: @escaping MongoCountBlock) {
        refuse("deleteOneDocument", completion)
    }

    /// Deletes the documents that a filter matches.
    ///
    /// ```swift
    /// let deleted = try? await collection.deleteManyDocuments(filter: ["age": 10])    // nil: it throws
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func deleteManyDocuments(filter: Document) async throws -> Int { throw absent("deleteManyDocuments") }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.deleteManyDocuments(filter: ["age": 10]) { result in log("\(result)") }
    /// ```
    public func deleteManyDocuments(filter: Document, _ completion: @escaping MongoCountBlock) {
        refuse("deleteManyDocuments", completion)
    }
}

// MARK: - Changing and returning one document

extension MongoCollection {
    /// Updates one document that a filter matches, and returns it.
    ///
    /// ```swift
    /// let rex = try? await collection.findOneAndUpdate(filter: ["name": "Rex"], update: ["$inc": ["age": 1]])
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func findOneAndUpdate(
        filter: Document, update: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions()
    ) async throws -> Document? {
        throw absent("findOneAndUpdate")
    }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.findOneAndUpdate(filter: [:], update: ["$inc": ["age": 1]]) { result in log("\(result)") }
    /// ```
    public func findOneAndUpdate(
        filter: Document, update: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
        _ completion: @escaping MongoFindOneBlock
    ) {
        refuse("findOneAndUpdate", completion)
    }

    /// Replaces one document that a filter matches, and returns it.
    ///
    /// ```swift
    /// let rex = try? await collection.findOneAndReplace(filter: ["name": "Rex"], replacement: ["name": "Bello"])
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func findOneAndReplace(
        filter: Document, replacement: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions()
    ) async throws -> Document? {
        throw absent("findOneAndReplace")
    }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.findOneAndReplace(filter: [:], replacement: ["age": 1]) { result in log("\(result)") }
    /// ```
    public func findOneAndReplace(
        filter: Document, replacement: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
        _ completion: @escaping MongoFindOneBlock
    ) {
        refuse("findOneAndReplace", completion)
    }

    /// Deletes one document that a filter matches, and returns it.
    ///
    /// ```swift
    /// let rex = try? await collection.findOneAndDelete(filter: ["name": "Rex"])
    /// ```
    ///
    /// - Throws: `AppError.mongoDBError`, always.
    public func findOneAndDelete(
        filter: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions()
    ) async throws -> Document? {
        throw absent("findOneAndDelete")
    }

    /// The same with a callback, which gets `AppError.mongoDBError` always.
    ///
    /// ```swift
    /// collection.findOneAndDelete(filter: ["name": "Rex"]) { result in log("\(result)") }
    /// ```
    public func findOneAndDelete(
        filter: Document, options: FindOneAndModifyOptions = FindOneAndModifyOptions(),
        _ completion: @escaping MongoFindOneBlock
    ) {
        refuse("findOneAndDelete", completion)
    }
}
