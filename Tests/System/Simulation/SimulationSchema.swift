import CausewayModel
import CausewayWire

/// A small world with everything that merges: values, links, texts, lists, sets and maps of values and of links, embedded
/// objects at two depths, alone, in lists and in maps, mixed values with collections inside of collections.
enum SimulationSchema {
    static let schema = Schema([
        ClassSchema(
            name: "Item",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "name", type: .string),
                Property(name: "count", type: .int, isIndexed: true),
                Property(name: "flag", type: .bool),
                Property(name: "note", type: .string, isOptional: true),
                Property(name: "weight", type: .double),
                Property(name: "link", type: .object, isOptional: true, target: "Item"),
                Property(name: "shop", type: .object, isOptional: true, target: "Shop"),
                Property(name: "tags", type: .string, collection: .list),
                Property(name: "friends", type: .object, collection: .list, target: "Item"),
                Property(name: "address", type: .object, isOptional: true, target: "Address"),
                Property(name: "parts", type: .object, collection: .list, target: "Part"),
                Property(name: "labels", type: .string, collection: .set),
                Property(name: "peers", type: .object, collection: .set, target: "Item"),
                Property(name: "scores", type: .int, collection: .map),
                Property(name: "helpers", type: .object, collection: .map, isOptional: true, target: "Item"),
                Property(name: "sites", type: .object, collection: .map, isOptional: true, target: "Address"),
                Property(name: "likes", type: .int, isIndexed: true, isCounter: true),
                Property(name: "body", type: .string, isText: true),
                Property(name: "it", type: .mixed, isOptional: true),
                Property(name: "anys", type: .mixed, collection: .list, isOptional: true),
                Property(name: "byName", type: .mixed, collection: .map, isOptional: true),
            ]),
        ClassSchema(
            name: "Shop",
            properties: [
                Property(name: "_id", type: .string, isPrimaryKey: true),
                Property(name: "title", type: .string, isOptional: true),
                Property(name: "best", type: .object, isOptional: true, target: "Item"),
                Property(name: "address", type: .object, isOptional: true, target: "Address"),
            ]),
        ClassSchema(
            name: "Address", kind: .embedded,
            properties: [
                Property(name: "city", type: .string),
                Property(name: "number", type: .int, isCounter: true),
                Property(name: "spot", type: .object, isOptional: true, target: "Spot"),
                Property(name: "extra", type: .mixed, isOptional: true),
            ]),
        ClassSchema(
            name: "Spot", kind: .embedded,
            properties: [
                Property(name: "x", type: .int),
                Property(name: "names", type: .string, collection: .list),
                Property(name: "story", type: .string, isText: true),
            ]),
        ClassSchema(
            name: "Part", kind: .embedded,
            properties: [
                Property(name: "n", type: .int),
                Property(name: "item", type: .object, isOptional: true, target: "Item"),
            ]),
        // What the checks count: nothing of these is ever deleted or set twice.
        ClassSchema(
            name: "Ledger",
            properties: [
                Property(name: "_id", type: .string, isPrimaryKey: true),
                Property(name: "n", type: .int),
            ]),
        ClassSchema(
            name: "Tally",
            properties: [
                Property(name: "_id", type: .string, isPrimaryKey: true),
                Property(name: "sum", type: .int, isCounter: true),
            ]),
        ClassSchema(
            name: "Reading", kind: .asymmetric,
            properties: [
                Property(name: "_id", type: .string, isPrimaryKey: true),
                Property(name: "n", type: .int),
            ]),
    ])

    /// With numbers that may be equal and not written alike: one by one, and in sets, of which one stands as it was written.
    /// Apps with extreme words have them; those of the seeds that have failed do not, so that these stay what they were.
    static let schemaWithNumbers = Schema(
        schema.classes.map { declared in
            guard declared.name == "Item" else { return declared }
            return ClassSchema(
                name: declared.name, kind: declared.kind,
                properties: declared.properties + [
                    Property(name: "price", type: .decimal128),
                    Property(name: "sizes", type: .double, collection: .set),
                    Property(name: "amounts", type: .decimal128, collection: .set),
                    Property(name: "numbers", type: .mixed, collection: .set, isOptional: true),
                ])
        })

    static let newerSchema = newer(than: schema)
    static let newerSchemaWithNumbers = newer(than: schemaWithNumbers)

    /// What a later version of the app declares: more properties of classes that are there, and a class.
    private static func newer(than schema: Schema) -> Schema {
        Schema(
            schema.classes.map { declared in
                var properties = declared.properties
                switch declared.name {
                case "Item":
                    properties += [
                        Property(name: "stars", type: .int),
                        Property(name: "motto", type: .string, isOptional: true),
                    ]
                case "Shop": properties.append(Property(name: "floor", type: .int, isIndexed: true))
                default: break
                }
                return ClassSchema(name: declared.name, kind: declared.kind, properties: properties)
            } + [
                ClassSchema(
                    name: "Badge",
                    properties: [
                        Property(name: "_id", type: .string, isPrimaryKey: true),
                        Property(name: "text", type: .string),
                        Property(name: "item", type: .object, isOptional: true, target: "Item"),
                    ])
            ])
    }

    /// Queries of apps that have numbers: they compare by value.
    static let numberQueries = [
        StandingQuery(className: "Item", predicate: "price == 1"),
        StandingQuery(className: "Item", predicate: "price < 1"),
        StandingQuery(className: "Item", predicate: "ANY sizes == 0"),
        StandingQuery(className: "Item", predicate: "ANY amounts == 1 OR sizes.@count > 1"),
        StandingQuery(className: "Item", predicate: "amounts.@count > 1 OR numbers.@count > 2"),
    ]

    /// Queries that only a device of the newer schema asks.
    static let newerQueries = [
        StandingQuery(className: "Item", predicate: "stars > 2"),
        StandingQuery(className: "Item", predicate: "motto == 'a' OR stars == 1"),
        StandingQuery(className: "Shop", predicate: "floor < 3"),
        StandingQuery(className: "Badge", predicate: "TRUEPREDICATE"),
        StandingQuery(className: "Badge", predicate: "text != 'b'"),
    ]

    static let countedQueries = [
        StandingQuery(className: "Ledger", predicate: "TRUEPREDICATE"),
        StandingQuery(className: "Ledger", predicate: "n > 2"),
        StandingQuery(className: "Tally", predicate: "TRUEPREDICATE"),
        StandingQuery(className: "Tally", predicate: "_id == 't1'"),
    ]

    /// One that no server answers: it would have to look at every object that links to a changed one.
    static let refusedQuery = StandingQuery(className: "Shop", predicate: "best.name == 'a'")

    static let tallies = ["t1", "t2"]

    static let queries = [
        StandingQuery(className: "Item", predicate: "TRUEPREDICATE"),
        StandingQuery(className: "Item", predicate: "count < 3"),
        StandingQuery(className: "Item", predicate: "likes > 3"),
        StandingQuery(className: "Item", predicate: "count >= 3 AND flag == true"),
        StandingQuery(className: "Item", predicate: "name == 'a' OR name == 'b'"),
        StandingQuery(className: "Item", predicate: "NOT name BEGINSWITH 'c'"),
        StandingQuery(className: "Item", predicate: "note == nil"),
        StandingQuery(className: "Item", predicate: "weight > 1.5"),
        StandingQuery(className: "Item", predicate: "address.city == 'a'"),
        StandingQuery(className: "Item", predicate: "address == nil"),
        StandingQuery(className: "Item", predicate: "address.spot.x > 2"),
        StandingQuery(className: "Item", predicate: "ANY tags == 'b'"),
        StandingQuery(className: "Item", predicate: "tags.@count > 1"),
        StandingQuery(className: "Item", predicate: "link != nil"),
        StandingQuery(className: "Item", predicate: "ANY parts.n > 2"),
        StandingQuery(className: "Item", predicate: "ANY labels == 'b'"),
        StandingQuery(className: "Item", predicate: "scores['a'] > 2"),
        StandingQuery(className: "Item", predicate: "scores.@keys == 'c' OR ANY sites.city == 'a'"),
        StandingQuery(className: "Item", predicate: "body CONTAINS 'a'"),
        StandingQuery(className: "Item", predicate: "it[0] == 'a' OR it['a'] > 2"),
        StandingQuery(className: "Item", predicate: "ANY it[*] == 'b' OR it.@count > 1"),
        StandingQuery(className: "Item", predicate: "ANY anys[*][*] > 1"),
        StandingQuery(className: "Item", predicate: "byName['b']['c'] == nil AND ANY byName[*].@count > 0"),
        StandingQuery(className: "Item", predicate: "address.extra[0] != nil"),
        StandingQuery(className: "Shop", predicate: "TRUEPREDICATE"),
        StandingQuery(className: "Shop", predicate: "title == 'a'"),
        StandingQuery(className: "Shop", predicate: "address.city != 'b'"),
    ]

    /// Few keys, so that devices meet.
    static let itemKeys = (1...6).map { PrimaryKey.int($0) }
    static let shopKeys = ["p", "q", "r", "K", "\u{212A}"].map { PrimaryKey.string($0) }
    /// Among them are pairs that are one text to Unicode and two by their bytes, and an empty one.
    static let words = ["a", "b", "c", "d", "", "\u{E9}", "e\u{301}", "K", "\u{212A}", ";", "\u{37E}"]
}
