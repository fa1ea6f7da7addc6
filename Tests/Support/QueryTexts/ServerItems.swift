import CausewayIdentity
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayQuery
import CausewayQueryGrammar
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions

/// The objects in the database of a server.
struct ServerItems {
    let record: StoreEmbedded
    private let snapshot: any StoreSnapshot
    private let classNumber: Int
    private let rows: [ObjectKey: Int]

    static let schema = Schema([
        ClassSchema(
            name: PlainObject.className,
            properties: [Property(name: PlainObject.primaryKey, type: .int, isPrimaryKey: true)]
                + PlainObject.singles.map { property(of: $0, .none) }
                + PlainObject.listProperties.map { property(of: $0, .list) }
                + PlainObject.mapProperties.map { property(of: $0, .map) })
    ])

    private static func property(of property: PlainObject.Property, _ collection: CollectionKind) -> Property {
        let type: PropertyType =
            switch property.type {
            case .int: .int
            case .double: .double
            case .float: .float
            case .decimal: .decimal128
            case .text: .string
            case .bytes: .data
            case .date: .date
            case .objectId: .objectId
            case .uuid: .uuid
            case .bool: .bool
            case .mixed: .mixed
            case .object: .object
            }
        return Property(
            name: property.name, type: type, collection: collection, isOptional: property.isOptional,
            target: type == .object ? PlainObject.className : nil)
    }

    init(_ objects: [PlainObject]) throws {
        record = try StoreEmbedded.open(
            folder: "texts-\(UInt64.random(in: 0 ... .max))",
            options: StoreEmbedded.Options(historyVersionsMax: 10, mapSizeBytes: 1 << 26, inMemory: true), epochSeed: 3)
        try record.extendSchema(Self.schema)
        let client = ClientID(1)
        _ = try record.register(client, user: "user")
        var operations = Upload(client: client)
        for (row, object) in objects.enumerated() { operations.create(row, object) }
        for (row, object) in objects.enumerated() { operations.fill(row, object) }
        let changeset = Changeset(
            client: client, sequence: 1, stamp: Stamp(time: 1_000 << 16, client: client), base: record.version,
            operations: operations.made)
        let outcome = try record.commit(
            [UploadBatch(client: client, user: "user", permissions: nil, changesets: [changeset])], receivedAt: 1_000)[
                0]
        if let failure = outcome.failure { throw failure }
        snapshot = try record.snapshot()
        guard let number = snapshot.classNumber(PlainObject.className) else { throw Missing() }
        classNumber = number
        var rows: [ObjectKey: Int] = [:]
        for key in try snapshot.keys(number, matching: .constant(true)) {
            if case .int(let row) = snapshot.value(of: 0, in: Row(number, key)) { rows[key] = Int(row) }
        }
        self.rows = rows
    }

    private struct Missing: Error {}

    // MARK: - Asking

    /// The rows that a subscription with this text selects.
    ///
    /// - Throws: where the server refuses the subscription.
    func subscribed(_ text: String) throws -> [Int] {
        let queries = try StandingQueries(
            [QueryText(className: PlainObject.className, predicate: text)], in: snapshot)
        return try found(queries[classNumber] ?? .constant(false))
    }

    /// The rows that a rule with this text lets a caller write.
    func permitted(_ text: String) throws -> [Int] {
        let caller = Caller(user: "user", claims: [:], expires: 0)
        let rule = AccessRules.Rule.when(try RuleTemplate(text).predicate(for: caller))
        let rules = AccessRules(byClass: [PlainObject.className: AccessRules.OfClass(write: rule)])
        let bound = Permissions(rules).bound(in: Self.schema)
        return try found(bound[PlainObject.className]?.write ?? .constant(false))
    }

    private func found(_ predicate: BoundPredicate) throws -> [Int] {
        let keys = try snapshot.keys(classNumber, matching: predicate)
        // A session asks for single rows, too.
        for (key, _) in rows where try snapshot.matches(Row(classNumber, key), predicate) != keys.contains(key) {
            throw QueryTexts.Difference(description: "a row by itself is judged otherwise than the class")
        }
        return keys.compactMap { rows[$0] }.sorted()
    }
}

/// What a device uploads to make the objects.
private struct Upload {
    let client: ClientID
    private(set) var made: [Operation] = []
    private var elements: UInt64 = 0

    init(client: ClientID) { self.client = client }

    private static func reference(_ row: Int) -> ObjectReference {
        ObjectReference(PlainObject.className, .int(Int64(row)))
    }

    mutating func create(_ row: Int, _ object: PlainObject) {
        let fields = PlainObject.singles.filter { $0.type != .object && $0.type != .mixed }
            .map { FieldValue($0.name, (object.values[$0.name] ?? .null).stored) }
        made.append(.create(Self.reference(row), life: 1, fields: fields))
    }

    mutating func fill(_ row: Int, _ object: PlainObject) {
        let target = Self.reference(row)
        for property in PlainObject.singles {
            guard let value = object.values[property.name], value != .null else { continue }
            if property.type == .object { made.append(.set(target, FieldValue(property.name, value.stored))) }
            if property.type == .mixed { made.append(.set(target, FieldValue(property.name, value.storedMixed))) }
        }
        for property in PlainObject.listProperties {
            var last: ElementID?
            for value in object.lists[property.name] ?? [] {
                elements += 1
                let id = ElementID(client: client, counter: elements)
                made.append(
                    .list(
                        target, property: property.name, .insert(id, left: last, right: nil, value: value.stored)))
                last = id
            }
        }
        for (name, entries) in object.maps {
            for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
                made.append(.keyed(target, property: name, .put(key: .string(key), value: value.stored)))
            }
        }
    }
}

extension PlainValue {
    var stored: Value {
        switch self {
        case .null, .written: .null
        case .bool(let value): .bool(value)
        case .number(let number, .int): .int(Int64(number.integer ?? 0))
        case .number(let number, .float): .float(Float(number.double))
        case .number(let number, .decimal): .decimal(DecimalNumber(number.text) ?? .notANumber)
        case .number(let number, _): .double(number.double)
        case .text(let text): .string(text)
        case .bytes(let bytes): .bytes(bytes)
        case .date(let seconds, let nanoseconds):
            .timestamp(Timestamp(seconds: Int64(seconds), nanoseconds: Int32(nanoseconds)))
        case .objectId(let bytes):
            .objectId(ObjectIdentifier12(hexadecimal: Self.hexadecimal(bytes)) ?? ObjectIdentifier12(high: 0, low: 0))
        case .uuid(let bytes):
            .uuid(
                UUID16(
                    high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
                    low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }))
        case .object(let row): .link(.int(Int64(row)))
        }
    }

    fileprivate var storedMixed: Value {
        if case .object(let row) = self {
            .anyLink(ClassedLink(PlainObject.className, .int(Int64(row))))
        } else {
            stored
        }
    }
}
