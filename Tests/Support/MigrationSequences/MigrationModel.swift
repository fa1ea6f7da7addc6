import CausewayModel
import CausewayObjectStore
import CausewaySeeds

/// What a file holds after any number of migrations and writes, in plain dictionaries.
struct MigrationModel: Sendable {
    struct Field: Sendable {
        var property: Property
        /// Another one for every column that a property has had.
        var identity: Int
    }

    struct Class: Sendable {
        var identity: Int
        /// The first is the primary key.
        var fields: [Field]
        var rows: [ObjectKey: [String: Value]] = [:]
        /// Elements of lists.
        var lists: [ObjectKey: [String: [Value]]] = [:]

        var schema: [Property] { fields.map(\.property) }

        func field(named name: String) -> Field? { fields.first { $0.property.name == name } }
    }

    var classes: [String: Class] = [:]
    private var nextIdentity = 0

    init() {}

    private mutating func takeIdentity() -> Int {
        nextIdentity += 1
        return nextIdentity
    }

    var schema: Schema {
        Schema(classes.sorted { $0.key < $1.key }.map { ClassSchema(name: $0, properties: $1.schema) })
    }

    static let primaryKey = Property(name: "id", type: .int, isPrimaryKey: true)

    mutating func addClass(_ name: String) {
        classes[name] = Class(
            identity: takeIdentity(), fields: [Field(property: Self.primaryKey, identity: takeIdentity())])
    }

    /// Whether whoever has an older state open, and knows the columns of these classes, may go on with this one.
    func continues(_ older: MigrationModel, for names: Set<String>) -> Bool {
        names.allSatisfy { name in
            guard let old = older.classes[name] else { return true }
            guard let new = classes[name], new.identity == old.identity else { return false }
            let identities = Set(new.fields.map(\.identity))
            return old.fields.allSatisfy { identities.contains($0.identity) }
        }
    }

    // MARK: - Migrating

    static func zero(_ property: Property) -> Value {
        if property.isOptional || property.type == .object { return .null }
        switch property.type {
        case .string: return .string("")
        case .double: return .double(0)
        default: return .int(0)
        }
    }

    /// Gives a class these properties, as a migration does.
    mutating func restructure(_ name: String, _ wanted: [Property]) {
        guard var changed = classes[name] else { return }
        let old = changed
        changed.fields = wanted.map { property in
            if let known = old.field(named: property.name), Self.isStored(known.property, like: property) {
                var property = property
                // Indexes stay.
                property.isIndexed = property.isIndexed || known.property.isIndexed
                property.isFullTextIndexed = property.isFullTextIndexed || known.property.isFullTextIndexed
                return Field(property: property, identity: known.identity)
            }
            return Field(property: property, identity: takeIdentity())
        }
        for key in old.rows.keys {
            var (row, lists): ([String: Value], [String: [Value]]) = ([:], [:])
            for property in wanted {
                let known = old.field(named: property.name)?.property
                let isKept =
                    known.map {
                        $0.type == property.type && $0.target == property.target
                            && $0.collection == property.collection
                    } ?? false
                if property.collection == .list {
                    lists[property.name] = isKept ? old.lists[key]?[property.name] ?? [] : []
                } else {
                    let value = isKept ? old.rows[key]?[property.name] ?? .null : .null
                    row[property.name] = value.isNull ? Self.zero(property) : value
                }
            }
            (changed.rows[key], changed.lists[key]) = (row, lists)
        }
        classes[name] = changed
    }

    private static func isStored(_ one: Property, like other: Property) -> Bool {
        one.type == other.type && one.collection == other.collection && one.target == other.target
            && (one.isOptional == other.isOptional || one.type == .object)
    }

    /// What a migration makes of a class's properties: added, removed, of another type or target, required or not, with
    /// an index, in another order.
    func drawnProperties(_ name: String, _ numbers: inout SeededNumbers) -> [Property] {
        guard let known = classes[name] else { return [] }
        var result = Array(known.schema.dropFirst())
        for _ in 0..<numbers.number(1...2) {
            let place = result.isEmpty ? nil : numbers.below(result.count)
            switch (numbers.below(8), place) {
            case (0, let place?): result.remove(at: place)
            case (1, let place?): result[place] = drawnProperty(result[place].name, &numbers)
            case (2, let place?) where result[place].collection == .none && result[place].type != .object:
                result[place].isOptional.toggle()
            case (3, let place?) where result[place].collection == .none && result[place].type == .int:
                result[place].isIndexed = true
            case (4, let place?) where result[place].collection == .none && result[place].type == .string:
                result[place].isFullTextIndexed = true
            case (5, let place?) where result[place].type == .object:
                result[place].target = numbers.one(of: classes.keys.sorted())
            case (6, _): result.shuffle(using: &numbers)
            default:
                let name = "p\(numbers.below(9))"
                if !result.contains(where: { $0.name == name }) { result.append(drawnProperty(name, &numbers)) }
            }
        }
        return [Self.primaryKey] + result
    }

    private func drawnProperty(_ name: String, _ numbers: inout SeededNumbers) -> Property {
        let target = numbers.one(of: classes.keys.sorted())
        switch numbers.below(7) {
        case 0: return Property(name: name, type: .object, isOptional: true, target: target)
        case 1: return Property(name: name, type: .object, collection: .list, target: target)
        case 2: return Property(name: name, type: .int, collection: .list)
        case 3: return Property(name: name, type: .double, isOptional: numbers.once(in: 2))
        case 4: return Property(name: name, type: .string, isFullTextIndexed: numbers.once(in: 2))
        case 5: return Property(name: name, type: .string, isOptional: true, isIndexed: numbers.once(in: 2))
        default: return Property(name: name, type: .int, isIndexed: numbers.once(in: 2))
        }
    }

    // MARK: - Writing

    mutating func delete(_ name: String, _ key: ObjectKey) {
        classes[name]?.rows[key] = nil
        classes[name]?.lists[key] = nil
        for (origin, content) in classes {
            for field in content.fields where field.property.target == name {
                let property = field.property.name
                for row in content.rows.keys {
                    if field.property.collection == .list {
                        classes[origin]?.lists[row]?[property]?.removeAll { $0 == .object(key) }
                    } else if content.rows[row]?[property] == .object(key) {
                        classes[origin]?.rows[row]?[property] = .null
                    }
                }
            }
        }
    }

    /// One text to Unicode, and two by their bytes.
    static let oneAccent = "red \u{E9}"
    private static let twoScalars = "red e\u{301}"
    private static let words = ["red dog", "blue dog", "", oneAccent, oneAccent, twoScalars, "red \u{FB01}", "red fi"]
    private static let doubles = [0, -0.0, 1.5, 99, .infinity, .nan, Double(nan: 3, signaling: false)]

    /// A value that a property, or its elements, take.
    func drawnValue(_ property: Property, _ numbers: inout SeededNumbers) -> Value {
        if property.collection == .none, property.isOptional, numbers.once(in: 3) { return .null }
        switch property.type {
        case .object:
            let keys = property.target.flatMap { classes[$0]?.rows.keys.sorted() } ?? []
            return keys.isEmpty ? .null : .object(numbers.one(of: keys))
        case .string: return .string(numbers.one(of: Self.words))
        case .double: return .double(numbers.one(of: Self.doubles))
        default: return .int(Int64(numbers.below(6)))
        }
    }
}
