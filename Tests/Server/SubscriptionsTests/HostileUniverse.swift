import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions

/// A server whose clients know the encoding and respect nothing else: schemas of any shape, and operations that name
/// whatever there is, in any order, with values that mostly fit and sometimes do not.
///
/// Nothing is said of what comes of it, but that the server goes on, and that its file is sound.
struct HostileUniverse {
    private var numbers: SeededNumbers
    private let record: StoreEmbedded
    private var schema = Schema([])
    private var sequences: [ClientID: UInt64] = [:]
    private var entries: [ClientID: UInt64] = [:]
    private var time: UInt64 = 1_000_000
    private(set) var taken = 0
    private(set) var refused = 0

    private static let clients = [ClientID(1), ClientID(2)]
    private static let objectClasses = ["Top", "Other"]
    private static let embeddedClasses = ["Part", "Piece"]
    private static let oneWayClasses = ["Event"]
    /// Two names that Unicode takes for one: a schema that has both is refused.
    private static let twins = ["Caf\u{E9}", "Cafe\u{301}"]
    /// Pairs that are one text to Unicode, look-alikes, nothing at all, the longest, and one that is too long for a key.
    private static let texts = [
        "", "a", "\u{FF41}", "caf\u{E9}", "cafe\u{301}", "\u{FB01}", "fi", String(repeating: "k", count: 400),
        String(repeating: "k", count: 5_000),
    ]

    init(seed: UInt64, folder: String) throws {
        numbers = SeededNumbers(seed: seed)
        record = try StoreEmbedded.open(
            folder: folder,
            options: StoreEmbedded.Options(
                historyVersionsMax: UInt64.random(in: 2...20, using: &numbers), mapSizeBytes: 1 << 26, inMemory: true),
            epochSeed: 3)
        for client in Self.clients { _ = try record.register(client, user: "user") }
        extendSchema()
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            time += 10
            switch below(12) {
            case 0: extendSchema()
            case 1, 2: ingest()
            case 3: look()
            default: upload()
            }
        }
    }

    // MARK: - Drawing

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &numbers) }

    private mutating func one(in every: Int) -> Bool { below(every) == 0 }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    // MARK: - Schemas

    private mutating func extendSchema() {
        let keyed = Self.objectClasses.map { (name: $0, kind: ClassKind.object) }
        let parts = Self.embeddedClasses.map { (name: $0, kind: ClassKind.embedded) }
        let oneWay = Self.oneWayClasses.map { (name: $0, kind: ClassKind.asymmetric) }
        var twins = Self.twins.filter { schema[$0] != nil }
        if one(in: 6) { twins.append(pick(Self.twins)) }
        let named = Set(twins.map { ExactString($0) }).sorted().map { (name: $0.string, kind: ClassKind.object) }
        let classes = (keyed + parts + oneWay + named).map { name, kind in
            var properties = schema[name]?.properties ?? []
            if properties.isEmpty, kind != .embedded {
                properties.append(
                    Property(name: "_id", type: pick([.int, .string, .objectId, .uuid]), isPrimaryKey: true))
            }
            for _ in 0..<below(4) + (properties.count < 2 ? 2 : 0) {
                let twin = pick(Self.twins)
                let isNew = !properties.contains { $0.name.isSame(as: twin) }
                properties.append(property(isNew && one(in: 15) ? twin : "p\(properties.count)"))
            }
            return ClassSchema(name: name, kind: kind, properties: properties)
        }
        let wanted = Schema(classes)
        // What cannot be synced is refused as a whole.
        if (try? record.extendSchema(wanted)) != nil { schema = wanted }
    }

    private mutating func property(_ name: String) -> Property {
        if one(in: 8) { return Property(name: name, type: .int, isCounter: true) }
        if one(in: 8) { return Property(name: name, type: .string, isText: true) }
        let type = one(in: 3) ? .object : one(in: 4) ? .mixed : pick(PropertyType.allCases)
        let target = type == .object ? pick(Self.objectClasses + Self.embeddedClasses + Self.embeddedClasses) : nil
        return Property(
            name: name, type: type, collection: pick([.none, .none, .list, .set, .map]), isOptional: one(in: 2),
            isIndexed: one(in: 6), target: target)
    }

    // MARK: - Operations

    private mutating func element() -> ElementID {
        ElementID(client: pick(Self.clients), counter: UInt64(1 + below(8)))
    }

    private mutating func key() -> PrimaryKey {
        switch below(8) {
        case 0: .int(Int64(below(3)))
        case 1: .string(pick(Self.texts))
        case 2: .objectId(ObjectIdentifier12(high: UInt64(below(2)), low: 0))
        case 3: .uuid(UUID16(high: 0, low: UInt64(below(2))))
        case 4: .null
        default: .container(element())
        }
    }

    /// A key that a class may have.
    private mutating func key(of className: String) -> PrimaryKey {
        guard !one(in: 20), let known = schema[className] else { return key() }
        guard let primaryKey = known.properties.first(where: \.isPrimaryKey) else { return .container(element()) }
        return switch primaryKey.type {
        case .int: .int(Int64(below(3)))
        case .string: .string(pick(Self.texts))
        case .objectId: .objectId(ObjectIdentifier12(high: UInt64(below(2)), low: 0))
        default: .uuid(UUID16(high: 0, low: UInt64(below(2))))
        }
    }

    private mutating func value() -> Value {
        switch below(15) {
        case 0: .null
        case 1: .bool(one(in: 2))
        case 2: .int(pick([0, 1, .min, .max]))
        case 3: .float(float())
        case 4: .double(double())
        case 5: .string(pick(Self.texts + [String(repeating: "long ", count: 2_000)]))
        case 6: .bytes(Array(repeating: 7, count: pick([0, 1, 5_000])))
        case 7:
            .timestamp(Timestamp(seconds: pick([0, .min, .max]), nanoseconds: pick([0, 999_999_999, -999_999_999])))
        case 8: .objectId(ObjectIdentifier12(high: 0, low: 1))
        case 9: .uuid(UUID16(high: 0, low: 1))
        case 10: .decimal(DecimalNumber(high: UInt64.random(in: 0 ... .max, using: &numbers), low: 5))
        case 11: .link(key())
        case 12: .anyLink(ClassedLink(pick(Self.objectClasses + Self.embeddedClasses + ["Nowhere"]), key()))
        case 13: .anyLink(ClassedLink(NestedCollection.list.className, .container(element())))
        default: .anyLink(ClassedLink(NestedCollection.map.className, .container(element())))
        }
    }

    /// Among them are NaNs with any sign and payload.
    private mutating func double() -> Double {
        one(in: 3) ? Double(bitPattern: 0x7FF0_0000_0000_0001 | numbers.next()) : pick([0, -0.0, .nan, -.infinity])
    }

    private mutating func float() -> Float {
        one(in: 3)
            ? Float(bitPattern: 0x7F80_0001 | UInt32(truncatingIfNeeded: numbers.next()))
            : pick([0, -0.0, .nan, .infinity])
    }

    /// One that mostly fits a property.
    private mutating func value(of property: Property) -> Value {
        if one(in: 12) { return value() }
        if one(in: 5) { return .null }
        switch property.type {
        case .object: return .link(key(of: property.target ?? ""))
        case .mixed: return value()
        case .bool: return .bool(one(in: 2))
        case .int: return .int(pick([0, 1, .min, .max]))
        case .string: return .string(pick(Self.texts))
        case .double: return .double(double())
        default:
            for _ in 0..<40 {
                let value = value()
                switch (property.type, value) {
                case (.float, .float), (.data, .bytes), (.date, .timestamp), (.objectId, .objectId), (.uuid, .uuid),
                    (.decimal128, .decimal):
                    return value
                default: continue
                }
            }
            return .null
        }
    }

    private mutating func target(_ names: [String]) -> ObjectReference {
        let name = one(in: 20) ? pick(["Nowhere"] + Self.twins) : pick(names)
        return ObjectReference(name, key(of: name))
    }

    private mutating func life(odd: Bool) -> UInt32 {
        let life = one(in: 15) ? UInt32(pick([1_023, 1_025, 1 << 29])) : UInt32(2 * below(3) + 1)
        return odd ? life | 1 : (life | 1) + 1
    }

    private mutating func maybe(_ id: ElementID) -> ElementID? { one(in: 2) ? id : nil }

    private mutating func operation(_ names: [String]) -> Operation {
        let target = target(names)
        let properties = (schema[target.className]?.properties ?? []).filter { !$0.isPrimaryKey || one(in: 30) }
        guard !properties.isEmpty, !one(in: 3) else {
            if one(in: 4) { return .delete(target, life: life(odd: false)) }
            var fields: [FieldValue] = []
            for property in properties where one(in: 2) && (property.collection == .none || one(in: 30)) {
                fields.append(FieldValue(property.name, value(of: property), isDefault: one(in: 6)))
            }
            return .create(target, life: life(odd: true), fields: fields)
        }
        let property = pick(properties)
        return operation(on: property, of: target, as: one(in: 20) ? below(5) : nil)
    }

    private mutating func operation(on property: Property, of target: ObjectReference, as kind: Int?) -> Operation {
        // As if it had been said of the other twin.
        let isTwin = Self.twins.contains { $0.isSame(as: property.name) }
        let name = isTwin && one(in: 4) ? pick(Self.twins) : property.name
        let fitting =
            property.isCounter
            ? below(2) : property.isText ? 4 : property.collection == .none ? 0 : property.collection == .list ? 2 : 3
        switch kind ?? fitting {
        case 0: return .set(target, FieldValue(name, value(of: property)))
        case 1: return .add(target, property: name, Addition(pick([1, -1, .max])))
        case 2:
            let value = value(of: property)
            switch below(6) {
            case 0: return .list(target, property: name, .delete(element()))
            case 1:
                let (id, position) = (element(), element())
                return .list(
                    target, property: name,
                    .move(id, position: position, left: maybe(element()), right: maybe(element())))
            case 2: return .list(target, property: name, .set(element(), value: value))
            case 3: return .list(target, property: name, .clear([element(), element()]))
            default:
                let id = element()
                return .list(
                    target, property: name,
                    .insert(id, left: maybe(element()), right: maybe(element()), value: value))
            }
        case 3:
            let isMap = property.collection == .map
            let key = isMap && !one(in: 20) ? Value.string(pick(Self.texts + ["b", "a.b", "$c"])) : value(of: property)
            if one(in: 4) { return .keyed(target, property: name, .remove(key: key)) }
            return .keyed(target, property: name, .put(key: key, value: isMap ? value(of: property) : .null))
        default:
            if one(in: 3) { return .text(target, property: name, .delete(element(), count: 1 + below(5))) }
            let id = element()
            let text = pick(["a", "caf\u{E9}", "e\u{301}x", "\u{1F468}\u{200D}\u{1F469}"])
            return .text(
                target, property: name,
                .insert(id, left: maybe(element()), right: maybe(element()), text: text))
        }
    }

    // MARK: - Requests

    /// As it comes out of a message: nothing that cannot be written gets here.
    private func travelled(_ changeset: Changeset) -> Changeset? {
        try? Changeset.decode(Changeset.encode([changeset]), weightMax: 1 << 20, operationsMax: 10_000).first
    }

    private mutating func upload() {
        var batches: [UploadBatch] = []
        for _ in 0..<1 + below(2) {
            let client = pick(Self.clients)
            var changesets: [Changeset] = []
            for _ in 0..<1 + below(2) {
                let sequence = (sequences[client] ?? 0) + UInt64(changesets.count) + 1
                let newest = record.version.rawValue
                var changeset = Changeset(
                    client: client, sequence: sequence,
                    stamp: Stamp(time: (one(in: 10) ? UInt64(below(9)) : time) << 16, client: client),
                    base: ServerVersion(one(in: 3) ? UInt64(below(Int(newest) + 2)) : newest),
                    operations: (0..<1 + below(6)).map { _ in
                        operation(Self.objectClasses + Self.embeddedClasses + [NestedCollection.list.className])
                    })
                if one(in: 6) {
                    let version = ServerVersion(UInt64(below(4)))
                    changeset.lastSeen = [
                        Changeset.LastSeen(version, of: one(in: 2) ? 7 : nil, [target(["Top", "Part"])])
                    ]
                }
                guard let travelled = travelled(changeset) else { continue }
                changesets.append(travelled)
            }
            batches.append(
                UploadBatch(client: client, user: "user", permissions: permissions(), changesets: changesets))
        }
        guard let outcomes = try? record.commit(batches, receivedAt: time) else { return }
        for (batch, outcome) in zip(batches, outcomes) {
            sequences[batch.client] = max(sequences[batch.client] ?? 0, outcome.committed)
            if outcome.failure == nil { taken += 1 } else { refused += 1 }
        }
    }

    private mutating func ingest() {
        let client = pick(Self.clients)
        let first = (entries[client] ?? 0) + 1
        var batch: [[Operation]] = []
        for _ in 0..<1 + below(3) {
            var entry: [Operation] = []
            for _ in 0..<1 + below(4) {
                let made = operation(Self.oneWayClasses + Self.embeddedClasses)
                entry.append(made)
                // What an object holds stands behind its create.
                guard case .create(let target, _, _) = made else { continue }
                for property in schema[target.className]?.properties ?? []
                where (property.collection != .none || property.isText) && one(in: 2) {
                    for _ in 0..<1 + below(3) { entry.append(operation(on: property, of: target, as: nil)) }
                }
            }
            let changeset = Changeset(client: client, sequence: 1, stamp: .zero, base: .zero, operations: entry)
            if let operations = travelled(changeset)?.operations { batch.append(operations) }
        }
        do throws(StoreFailure) {
            entries[client] = try record.ingest(
                OneWayBatch(
                    client: client, user: "user", permissions: permissions(), first: first, entries: batch),
                receivedAt: time)
            taken += 1
        } catch {
            refused += 1
        }
    }

    private mutating func permissions() -> Permissions? {
        guard one(in: 3), let known = schema["Top"] else { return nil }
        let texts = known.properties.map(\.name).flatMap { ["\($0) == NULL", "ANY \($0) == 1", "\($0).@count < 3"] }
        func rule() -> AccessRules.Rule {
            if one(in: 2) { return .always }
            return (try? Predicate.parse(pick(texts))).map { .when($0) } ?? .never
        }
        return Permissions(
            AccessRules(byClass: [
                "Top": AccessRules.OfClass(read: rule(), create: rule(), write: rule(), delete: rule())
            ]))
    }

    /// A device asks for everything, from anywhere.
    private mutating func look() {
        let queries = Self.objectClasses.map { QueryText(className: $0, predicate: "TRUEPREDICATE") }
        let from = UInt64(below(Int(record.version.rawValue) + 1))
        let rules = permissions()
        guard let snapshot = try? record.snapshot(),
            let difference = try? ViewDifference(
                snapshot, from: ServerVersion(from), held: one(in: 2) ? [] : queries, wanted: queries,
                heldUnder: one(in: 2) ? nil : rules, under: rules, for: pick(Self.clients), acknowledged: 0)
        else { return }
        let bytes = pick([1, 200, 1 << 20])
        while let part = try? difference.next(bytesMax: bytes), !part.isLast {}
    }
}
