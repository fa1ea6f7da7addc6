import Synchronization

// What calls of a `MongoCollection` are given and would answer with.

/// What a find of a ``MongoCollection`` should return.
///
/// ```swift
/// let options = FindOptions(limit: 10, projection: ["name": 1], sort: ["name": 1])
/// ```
public final class FindOptions: Sendable {
    private let values: Mutex<(limit: Int, projection: Document?, sort: Document?)>

    /// How many documents at most; 0 for all.
    public var limit: Int {
        get { values.withLock { $0.limit } }
        set { values.withLock { $0.limit = newValue } }
    }

    /// Which fields; nil for all.
    public var projection: Document? {
        get { values.withLock { $0.projection } }
        set { values.withLock { $0.projection = newValue } }
    }

    /// In which order; nil for any.
    public var sort: Document? {
        get { values.withLock { $0.sort } }
        set { values.withLock { $0.sort = newValue } }
    }

    /// All documents with all fields, in any order.
    public convenience init() {
        self.init(limit: nil, projection: nil, sort: nil)
    }

    /// A limit, the fields and an order, each of which may be nil.
    public init(limit: Int?, projection: Document?, sort: Document?) {
        values = Mutex((limit ?? 0, projection, sort))
    }

    /// The same without labels.
    public convenience init(_ limit: Int?, _ projection: Document?, _ sort: Document?) {
        self.init(limit: limit, projection: projection, sort: sort)
    }
}

/// How a call of a ``MongoCollection`` that changes one document should find, change and return it.
///
/// ```swift
/// let options = FindOneAndModifyOptions(projection: nil, sort: ["age": -1], shouldReturnNewDocument: true)
/// ```
public final class FindOneAndModifyOptions: Sendable {
    private let values: Mutex<Values>

    private struct Values {
        var projection: Document?
        var sort: Document?
        var upsert: Bool
        var shouldReturnNewDocument: Bool
    }

    /// Which fields; nil for all.
    public var projection: Document? {
        get { values.withLock { $0.projection } }
        set { values.withLock { $0.projection = newValue } }
    }

    /// In which order to look for the document; nil for any.
    public var sort: Document? {
        get { values.withLock { $0.sort } }
        set { values.withLock { $0.sort = newValue } }
    }

    /// Whether to make a document where none is found.
    ///
    /// ```swift
    /// let options = FindOneAndModifyOptions()
    /// options.upsert = true
    /// ```
    public var upsert: Bool {
        get { values.withLock { $0.upsert } }
        set { values.withLock { $0.upsert = newValue } }
    }

    /// Whether to return the document as it is after the change, and not before.
    public var shouldReturnNewDocument: Bool {
        get { values.withLock { $0.shouldReturnNewDocument } }
        set { values.withLock { $0.shouldReturnNewDocument = newValue } }
    }

    /// All fields of any document that is found, as it was before the change.
    public convenience init() {
        self.init(projection: nil, sort: nil)
    }

    /// Fields and order, which may be nil, and what to do.
    public init(
        projection: Document?, sort: Document?, upsert: Bool = false, shouldReturnNewDocument: Bool = false
    ) {
        values = Mutex(
            Values(
                projection: projection, sort: sort, upsert: upsert, shouldReturnNewDocument: shouldReturnNewDocument))
    }

    /// The same without labels.
    public convenience init(
        _ projection: Document?, _ sort: Document?, _ upsert: Bool = false, _ shouldReturnNewDocument: Bool = false
    ) {
        self.init(
            projection: projection, sort: sort, upsert: upsert, shouldReturnNewDocument: shouldReturnNewDocument)
    }
}

/// What an update of a ``MongoCollection`` would answer with.
///
/// ```swift
/// if let result = try? await collection.updateOneDocument(filter: [:], update: ["$inc": ["age": 1]], upsert: true) {
///     print(result.matchedCount, result.modifiedCount, result.documentId ?? "none", result.objectId as Any)
/// }
/// ```
public struct UpdateResult: Sendable {
    /// How many documents the filter matched.
    public let matchedCount: UInt
    /// How many of them were changed.
    public let modifiedCount: UInt
    /// The id of the document that was made because none matched.
    public let documentId: AnyBSON?

    /// The same, where it is an ObjectId.
    public var objectId: ObjectId? { documentId?.objectIdValue }
}

/// Called with the id of a new document.
///
/// ```swift
/// let block: MongoInsertBlock = { result in log("\(result)") }
/// collection.insertOne(["name": "Rex"], block)
/// ```
public typealias MongoInsertBlock = @Sendable (Result<AnyBSON, any Error>) -> Void
/// Called with the ids of new documents.
///
/// ```swift
/// let block: MongoInsertManyBlock = { result in log("\(result)") }
/// collection.insertMany([["name": "Rex"]], block)
/// ```
public typealias MongoInsertManyBlock = @Sendable (Result<[AnyBSON], any Error>) -> Void
/// Called with the documents that were found.
///
/// ```swift
/// let block: MongoFindBlock = { result in log("\(result)") }
/// collection.find(filter: [:], block)
/// ```
public typealias MongoFindBlock = @Sendable (Result<[Document], any Error>) -> Void
/// Called with the document that was found, or nil.
///
/// ```swift
/// let block: MongoFindOneBlock = { result in log("\(result)") }
/// collection.findOneDocument(filter: [:], block)
/// ```
public typealias MongoFindOneBlock = @Sendable (Result<Document?, any Error>) -> Void
/// Called with a number of documents.
///
/// ```swift
/// let block: MongoCountBlock = { result in log("\(result)") }
/// collection.count(filter: [:], block)
/// ```
public typealias MongoCountBlock = @Sendable (Result<Int, any Error>) -> Void
/// Called with what an update did.
///
/// ```swift
/// let block: MongoUpdateBlock = { result in log("\(result)") }
/// collection.updateOneDocument(filter: [:], update: ["$inc": ["age": 1]], block)
/// ```
public typealias MongoUpdateBlock = @Sendable (Result<UpdateResult, any Error>) -> Void
