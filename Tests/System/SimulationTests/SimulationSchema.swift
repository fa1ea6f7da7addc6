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
    ])

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
    static let shopKeys = ["p", "q", "r"].map { PrimaryKey.string($0) }
    static let words = ["a", "b", "c", "d"]
}
