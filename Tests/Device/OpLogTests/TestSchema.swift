import CausewayModel
import CausewayOperations

/// The classes of these tests: links, lists, embedded objects with lists of their own, one-way readings.
let testSchema = Schema([
    ClassSchema(
        name: "Note",
        properties: [
            Property(name: "id", type: .int, isPrimaryKey: true),
            Property(name: "title", type: .string, isOptional: true),
            Property(name: "count", type: .int),
            Property(name: "done", type: .bool),
            Property(name: "home", type: .object, isOptional: true, target: "Address"),
            Property(name: "author", type: .object, isOptional: true, target: "Person"),
            Property(name: "tags", type: .string, collection: .list),
            Property(name: "friends", type: .object, collection: .list, target: "Person"),
            Property(name: "labels", type: .string, collection: .set),
            Property(name: "crew", type: .object, collection: .set, target: "Person"),
            Property(name: "scores", type: .int, collection: .map),
            Property(name: "helpers", type: .object, collection: .map, isOptional: true, target: "Person"),
            Property(name: "likes", type: .int, isCounter: true),
            Property(name: "body", type: .string, isText: true),
        ]),
    ClassSchema(
        name: "Person",
        properties: [
            Property(name: "name", type: .string, isPrimaryKey: true), Property(name: "age", type: .int),
        ]),
    ClassSchema(
        name: "Address", kind: .embedded,
        properties: [
            Property(name: "city", type: .string), Property(name: "lines", type: .string, collection: .list),
            Property(name: "hint", type: .string, isText: true),
        ]),
    ClassSchema(
        name: "Reading", kind: .asymmetric,
        properties: [
            Property(name: "id", type: .int, isPrimaryKey: true), Property(name: "value", type: .double),
            Property(name: "place", type: .object, isOptional: true, target: "Address"),
        ]),
])

/// Columns of the classes, by name.
enum Column {
    static let title = 1
    static let count = 2
    static let done = 3
    static let home = 4
    static let author = 5
    static let tags = 6
    static let friends = 7
    static let labels = 8
    static let crew = 9
    static let scores = 10
    static let helpers = 11
    static let likes = 12
    static let body = 13
    static let age = 1
    static let city = 0
    static let lines = 1
    static let hint = 2
}

func note(_ id: Int64) -> ObjectReference { ObjectReference("Note", .int(id)) }
func person(_ name: String) -> ObjectReference { ObjectReference("Person", .string(name)) }

/// The values of a note.
func row(_ id: Int64, _ title: String = "t", count: Int64 = 0) -> [Value] {
    [.int(id), .string(title), .int(count), .bool(false)] + Array(repeating: .null, count: 8) + [.int(0), .string("")]
}
