package import CausewayModel
import CausewayObjectStore
package import CausewayStore

extension StoreEmbedded {
    @discardableResult
    package func extendSchema(_ declared: Schema, by declarer: Declarer?) throws(StoreFailure) -> SchemaAdditions {
        try Self.check(declared)
        if try lacksNothing(of: declared) {
            try note(declared, by: declarer)
            return SchemaAdditions()
        }
        return try write(Self.repeatable) { transaction, _ throws(StoreFailure) in
            try extending(declared, by: declarer, in: transaction)
        }
    }

    /// Whether the schema has everything that another one declares.
    func lacksNothing(of declared: Schema) throws(StoreFailure) -> Bool {
        try committedSchema().additions(by: declared.withNestedCollections).isEmpty
    }

    /// Adds in a write transaction what is new. Notes that the rest was declared, if it is time to.
    func extending(
        _ declared: Schema, by declarer: Declarer?, in transaction: Transaction
    ) throws(StoreFailure) -> (outcome: SchemaAdditions, commits: Bool) {
        try Self.check(declared)
        // Devices do not declare these classes: they follow from mixed properties.
        let wanted = declared.withNestedCollections
        let before = transaction.schema
        let missing = try before.additions(by: wanted)
        let elements = DeclaredTree(in: transaction)
        guard !missing.isEmpty else {
            return (SchemaAdditions(), try elements.noteIfStale(declared, over: before, by: declarer))
        }
        try options.schemaBounds.check(declared, over: before, by: declarer, elements)
        do throws(StoreError) {
            try transaction.extendSchema(wanted)
        } catch {
            throw StoreFailure(error)
        }
        RecordCatalog.number(transaction.schema, in: transaction)
        if let declarer { try elements.note(declared, over: before, by: declarer) }
        return (missing.additions, true)
    }

    package func requireSchema(_ wanted: Schema, by declarer: Declarer?) throws(StoreFailure) {
        try Self.check(wanted, isPartOf: committedSchema())
        try note(wanted, by: declarer)
    }

    /// Notes in a write transaction that a schema was declared, if it is time to.
    ///
    /// - Returns: whether it was.
    func requiring(
        _ wanted: Schema, by declarer: Declarer?, in transaction: Transaction
    ) throws(StoreFailure) -> Bool {
        try Self.check(wanted, isPartOf: transaction.schema)
        return try DeclaredTree(in: transaction).noteIfStale(wanted, over: transaction.schema, by: declarer)
    }

    private static func check(_ wanted: Schema, isPartOf schema: Schema) throws(StoreFailure) {
        try check(wanted)
        // An index that only the device declares costs it nothing here: queries are answered without.
        let missing = try schema.additions(by: wanted).additions.names
        guard missing.isEmpty else {
            let named = missing.prefix(differencesMax).joined(separator: "; ")
            throw StoreFailure(
                .schemaMismatch,
                "The device's schema has what the server's has not, and this user may not add it: "
                    + "\(named). Ask the operator to allow it with permissions.schema.extend, or connect once as "
                    + "somebody who may.")
        }
    }

    func committedSchema() throws(StoreFailure) -> Schema {
        do {
            let reading = try store.read()
            defer { reading.end() }
            return reading.schema
        } catch {
            throw StoreFailure(error)
        }
    }

    /// Checks what a schema from outside must satisfy to be served at all.
    private static func check(_ schema: Schema) throws(StoreFailure) {
        var problems: [String] = []
        if schema.classes.count > classesMax {
            problems.append("it has \(schema.classes.count) classes; \(classesMax) are allowed")
        }
        var names: Set<String> = []
        var kinds: ExactDictionary<ClassKind> = [:]
        for classSchema in schema.classes.prefix(classesMax) { kinds[classSchema.name] = classSchema.kind }
        for classSchema in schema.classes.prefix(classesMax) {
            let name = classSchema.name
            if !names.insert(name).inserted { problems.append("the class “\(name)” appears twice") }
            if NestedCollection(className: name) != nil {
                problems.append("the class name “\(name)” is the server's own")
            }
            if name.isEmpty || name.utf8.count > 57 {
                problems.append("the class name “\(name.prefix(80))” is not 1 to 57 bytes long")
            }
            if classSchema.properties.count > propertiesMax {
                problems.append("“\(name)” has more than \(propertiesMax) properties")
            }
            var properties: Set<String> = []
            for property in classSchema.properties.prefix(propertiesMax) {
                let path = "“\(name).\(property.name.prefix(80))”"
                if !properties.insert(property.name).inserted { problems.append("\(path) appears twice") }
                if property.name.isEmpty || property.name.utf8.count > 63 {
                    problems.append("the name of \(path) is not 1 to 63 bytes long")
                }
                // In rules and queries a dollar sign begins what is no property: claims, arguments, variables.
                if property.name.utf8.first == UInt8(ascii: "$") {
                    problems.append("the name of \(path) begins with a dollar sign")
                }
                if property.isCounter, !property.isOne(.int) {
                    problems.append("\(path) is a counter, which is one integer that is always there")
                }
                if property.isText, !property.isOne(.string) {
                    problems.append("\(path) is a text, which is one string that is always there, and no key")
                }
                if property.type == .object {
                    guard let kind = property.target.flatMap({ kinds[$0] }) else {
                        problems.append("\(path) links to a class that the schema does not have")
                        continue
                    }
                    if kind == .asymmetric { problems.append("\(path) links to a one-way class") }
                } else if property.target != nil {
                    problems.append("\(path) is not a link but names a class")
                }
            }
            let keys = classSchema.properties.filter(\.isPrimaryKey)
            switch classSchema.kind {
            case .embedded where !keys.isEmpty:
                problems.append("the embedded class “\(name)” has a primary key")
            case .object where keys.count != 1, .asymmetric where keys.count != 1:
                problems.append("“\(name)” has \(keys.count) primary keys; a synced class has exactly one")
            default:
                break
            }
            for key in keys
            where key.collection != .none || ![.int, .string, .objectId, .uuid].contains(key.type) {
                problems.append("the primary key of “\(name)” is not an integer, a string, an ObjectId or a UUID")
            }
        }
        guard problems.isEmpty else {
            throw StoreFailure(
                .schemaMismatch,
                "The schema cannot be synced: \(problems.prefix(differencesMax).joined(separator: "; ")). Correct the "
                    + "classes and connect again.")
        }
    }

    fileprivate static let classesMax = 1000
    fileprivate static let propertiesMax = 1000
    /// How many differences a message names.
    fileprivate static let differencesMax = 50
}

/// What one schema has and another lacks.
private struct MissingElements {
    var additions = SchemaAdditions()
    var hasIndexes = false

    var isEmpty: Bool { additions.count == 0 && !hasIndexes }

    mutating func add(_ name: String, count: Int = 1) {
        additions.names.append(name)
        additions.count += count
    }
}

/// Names in their order, each found without a search.
private struct Names {
    private var places: ExactDictionary<Int> = [:]
    /// By texts that Unicode takes for equal.
    private var spellings: [String: String] = [:]

    init(_ names: [String]) {
        for (place, name) in names.enumerated() {
            places[name] = place
            spellings[name] = name
        }
    }

    subscript(name: String) -> Int? { places[name] }

    /// Whether one of them is the same text to Unicode, but has other bytes.
    func hasSpellingUnlike(_ name: String) -> Bool { spellings[name].map { !$0.isSame(as: name) } ?? false }
}

extension Schema {
    /// What the other schema would add to this one.
    ///
    /// - Throws: `schemaMismatch` with every difference that no addition can settle.
    fileprivate func additions(by wanted: Schema) throws(StoreFailure) -> MissingElements {
        var missing = MissingElements()
        var differences: [String] = []
        var added: [String: Int] = [:]
        // A hello chooses the names that are looked for, so each of them is found without going over the others.
        let here = Names(classes.map(\.name))
        for classSchema in wanted.classes {
            guard let present = here[classSchema.name].map({ classes[$0] }) else {
                missing.add("the class “\(classSchema.name)”", count: 1 + classSchema.properties.count)
                if here.hasSpellingUnlike(classSchema.name) {
                    differences.append("“\(classSchema.name)” is written here with other Unicode characters")
                }
                continue
            }
            if present.kind != classSchema.kind {
                differences.append(
                    "“\(present.name)” is \(classSchema.kind.words) on the device and \(present.kind.words) here")
            }
            let propertiesHere = Names(present.properties.map(\.name))
            for property in classSchema.properties {
                var path: String { "“\(present.name).\(property.name)”" }
                guard let known = propertiesHere[property.name].map({ present.properties[$0] }) else {
                    missing.add(path)
                    if propertiesHere.hasSpellingUnlike(property.name) {
                        differences.append("\(path) is written here with other Unicode characters")
                    }
                    added[present.name, default: 0] += 1
                    if property.isPrimaryKey { differences.append("\(path) is no primary key here") }
                    continue
                }
                if known == property { continue }
                if known.words != property.words {
                    differences.append("\(path) is \(property.words) on the device and \(known.words) here")
                } else if property.isIndexed && !known.isIndexed {
                    missing.hasIndexes = true
                }
            }
            if let key = present.primaryKeyIndex, classSchema.primaryKeyIndex == nil, classSchema.kind == present.kind {
                differences.append(
                    "“\(present.name)” has no primary key on the device and “\(present.properties[key].name)” here")
            }
        }
        for (name, count) in added.sorted(by: { $0.key.precedes($1.key) }) {
            guard let present = self[name], present.properties.count + count > StoreEmbedded.propertiesMax else {
                continue
            }
            differences.append("“\(name)” would have more than \(StoreEmbedded.propertiesMax) properties")
        }
        guard differences.isEmpty else {
            let named = differences.prefix(StoreEmbedded.differencesMax).joined(separator: "; ")
            throw StoreFailure(
                .schemaMismatch,
                "The device's schema contradicts the server's: \(named). "
                    + "Classes and properties can be added, not changed: use a new name for what changed. The operator can "
                    + "give a property another type (sync-server admin schema convert); an app from before that has to "
                    + "be updated. Where the server has what it should not have, its operator takes that back with "
                    + "sync-server schema drop.")
        }
        return missing
    }
}

extension Property {
    /// Whether it is one value of a type, which is always there and no key.
    fileprivate func isOne(_ type: PropertyType) -> Bool {
        self.type == type && collection == .none && !isOptional && !isPrimaryKey
    }
}
