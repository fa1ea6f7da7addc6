import CausewayJSON
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStore
import CausewaySubscriptions

/// What some writes become: operations as a device would make them that has seen the snapshot.
///
/// It only decides. What it reads of the snapshot is what the writes name.
struct ChangePlan {
    let snapshot: any StoreSnapshot
    let schema: Schema
    let permissions: Permissions?
    let client: CallClient
    private(set) var operations: [Operation] = []
    /// For each operation the write that it comes from.
    private(set) var origins: [Int] = []
    private(set) var expectations: [CallTerms.Expectation] = []
    /// What is told of each write.
    private(set) var results: [Result] = []
    private var named: Set<ObjectReference> = []
    /// The write that is being added.
    private(set) var current = 0
    var texts = TextComparisons()

    /// How many operations one request may become: as many as an upload of a device may have.
    static let operationsMax = 100_000

    struct Result: Hashable, Sendable {
        var className: String
        var key: PrimaryKey
        var isCreated: Bool
    }

    init(_ snapshot: any StoreSnapshot, under permissions: Permissions?, as client: CallClient) {
        self.snapshot = snapshot
        schema = snapshot.schema
        self.permissions = permissions
        self.client = client
    }

    /// Adds what a write asks for.
    mutating func add(_ write: Write) throws(APIError) {
        current = results.count
        let (classNumber, classSchema) = try snapshot.apiClass(write.className)
        let key = try key(of: write, classSchema)
        let object = ObjectReference(classSchema.name, key)
        guard named.insert(object).inserted else {
            throw APIError(
                .requestInvalid,
                "Two operations of the transaction name the same object of “\(classSchema.name)”. Join them into one.")
        }
        let place = Place(
            object, classSchema, try visibleRow(classNumber, key),
            isHidden: snapshot.row(ObjectName(classNumber, key)) != nil)
        try check(write, place)
        var isCreated = false
        switch (write.kind, place.row) {
        case (.create, nil), (.put, nil):
            isCreated = true
            try create(place, write.content)
        case (.create, _?):
            throw APIError(
                .objectExists,
                "“\(classSchema.name)” has an object with this primary key. Change it with PATCH or PUT.")
        case (.put, let row?): try replace(place, row, write.content)
        case (.patch, let row?): try patch(place, row, write.content)
        case (.delete, let row?): try delete(place, row)
        case (.patch, nil), (.delete, nil): throw .objectUnknown(classSchema.name)
        }
        results.append(Result(className: classSchema.name, key: key, isCreated: isCreated))
    }

    /// The object of a write, and where it is.
    struct Place {
        var object: ObjectReference
        var schema: ClassSchema
        /// Nil where there is none that the caller may read.
        var row: Row?
        /// There is one that the caller may not read.
        var isHidden: Bool

        init(_ object: ObjectReference, _ schema: ClassSchema, _ row: Row?, isHidden: Bool) {
            self.object = object
            self.schema = schema
            self.row = row
            self.isHidden = row == nil && isHidden
        }
    }

    mutating func append(_ operation: Operation) throws(APIError) {
        guard operations.count < Self.operationsMax else {
            throw APIError(
                .requestInvalid,
                "The request asks for more than \(Self.operationsMax) changes of values. Split it.")
        }
        operations.append(operation)
        origins.append(current)
    }

    // MARK: - Which object

    private mutating func key(of write: Write, _ classSchema: ClassSchema) throws(APIError) -> PrimaryKey {
        guard let column = classSchema.primaryKeyIndex else {
            throw APIError(
                .classUnknown, "“\(classSchema.name)” has no primary key, so that no request can name its objects.")
        }
        let property = classSchema.properties[column]
        let written = write.content.first { $0.name.string.isSame(as: property.name) }?.value
        let inContent = try written.map { json throws(APIError) in try key(json, property, classSchema) }
        var named = inContent
        switch write.key {
        case .path(let text)?:
            guard let key = ValueReader.key(pathText: text, property) else {
                throw .keyInvalid(classSchema.name, property)
            }
            named = key
        case .json(let json)?: named = try key(json, property, classSchema)
        case nil: break
        }
        if let named, let inContent, named != inContent {
            throw APIError(
                .valueInvalid,
                "The object names another primary key than the request. A primary key never changes.")
        }
        if let named { return named }
        switch property.type {
        case .objectId:
            return .objectId(
                ObjectIdentifier12(high: UInt64.random(in: 0...UInt64.max), low: UInt32.random(in: 0...UInt32.max)))
        case .uuid:
            // Version 4 of RFC 9562.
            let (high, low) = (UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max))
            return .uuid(UUID16(high: high & ~0xF000 | 0x4000, low: low & ~(3 << 62) | 2 << 62))
        default:
            throw APIError(
                .valueInvalid,
                "“\(classSchema.name).\(property.name)” is missing, the primary key. The server makes one only for "
                    + "ObjectIds and UUIDs.")
        }
    }

    private func key(_ json: JSON, _ property: Property, _ classSchema: ClassSchema) throws(APIError) -> PrimaryKey {
        do {
            return try ValueReader.key(json, property)
        } catch {
            throw .value(of: property, classSchema.name, json, expected: error.expected)
        }
    }

    private func visibleRow(_ classNumber: Int, _ key: PrimaryKey) throws(APIError) -> Row? {
        guard let row = snapshot.row(ObjectName(classNumber, key)) else { return nil }
        return try isVisible(row) ? row : nil
    }

    private func isVisible(_ row: Row) throws(APIError) -> Bool {
        do throws(StoreFailure) {
            return try snapshot.mayRead(row, under: permissions)
        } catch {
            throw APIError(error)
        }
    }

    // MARK: - What is expected of it

    private mutating func check(_ write: Write, _ place: Place) throws(APIError) {
        guard let expected = write.expected else {
            // Of an object that the caller may not read nothing is said: permissions decide, as for a device.
            if !place.isHidden { expectations.append(.life(place.object, try life(place.row))) }
            return
        }
        guard let row = place.row else { throw .preconditionFailed }
        expectations.append(.life(place.object, try life(row)))
        if expected == "*" { return }
        guard try ObjectTag.text(of: row, in: snapshot, under: permissions) == expected else {
            throw .preconditionFailed
        }
        expectations.append(.untouched(place.object))
    }

    private func life(_ row: Row?) throws(APIError) -> UInt32 {
        guard let row else { return 0 }
        do throws(StoreFailure) {
            return try snapshot.life(of: row)
        } catch {
            throw APIError(error)
        }
    }

    private mutating func delete(_ place: Place, _ row: Row) throws(APIError) {
        try append(.delete(place.object, life: try life(row) + 1))
    }
}

extension StoreSnapshot {
    /// Whether an object is one that the caller may read.
    func mayRead(_ row: Row, under permissions: Permissions?) throws(StoreFailure) -> Bool {
        guard let rules = permissions?.bound(in: schema)[className(row.classNumber)] else { return true }
        return try matches(row, rules.read)
    }
}

extension APIError {
    static func objectUnknown(_ className: String) -> APIError {
        APIError(
            .objectUnknown, "“\(className)” has no object with this primary key that this user may read.")
    }

    static func keyInvalid(_ className: String, _ property: Property) -> APIError {
        APIError(
            .requestInvalid,
            "The path names no primary key of “\(className)”: \(property.name) is of the type \(property.type).")
    }

    static var preconditionFailed: APIError {
        APIError(
            .preconditionFailed,
            "The object is not as If-Match says: it was changed or deleted. Read it again, and decide anew.")
    }

    /// A value that does not fit its property.
    static func value(of property: Property, _ className: String, _ json: JSON, expected: String) -> APIError {
        APIError(
            .valueInvalid,
            "“\(className).\(property.name)” is given \(json.kind) that it cannot hold. Expected is \(expected).")
    }
}
