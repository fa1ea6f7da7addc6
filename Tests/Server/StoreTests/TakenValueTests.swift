import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// The check of what comes from outside and the tables that store it each have an opinion of what fits a property.
@Suite("Values that the server takes", .everyBackend)
struct TakenValueTests {
    /// Every type in every collection, declared as optional and as required.
    private static let properties: [Property] = PropertyType.allCases.flatMap { type in
        [CollectionKind.none, .list, .set, .map].flatMap { collection in
            [false, true].map { isOptional in
                Property(
                    name: "\(type)_\(collection)_\(isOptional ? "optional" : "required")", type: type,
                    collection: collection, isOptional: isOptional, target: type == .object ? "Any" : nil)
            }
        }
    }

    private static let values: [Value] = [
        .null, .bool(true), .int(7), .float(1.5), .double(.nan), .string("text"), .bytes([1, 2]),
        .timestamp(Timestamp(seconds: 1, nanoseconds: 2)), .objectId(ObjectIdentifier12(high: 1, low: 2)),
        .uuid(UUID16(high: 1, low: 2)), .decimal(DecimalNumber(high: 0x3040_0000_0000_0000, low: 5)), .link(.int(1)),
        .link(.null),
        .link(.string("of another type")), .anyLink(ClassedLink("Any", .int(1))),
        .anyLink(ClassedLink("Nowhere", .int(1))),
    ]

    @Test("whatever the check lets through is stored, of every type, in every collection, optional or not")
    func matrix() throws {
        let record = try Record()
        try record.backend.extendSchema(
            Schema([
                ClassSchema(
                    name: "Any",
                    properties: [Property(name: "_id", type: .int, isPrimaryKey: true)] + Self.properties)
            ]))
        let target = ObjectReference("Any", .int(1))
        try record.write(Record.ann, create(target))
        var taken = 0
        var counter: UInt64 = 0
        for property in Self.properties {
            for value in Self.values {
                counter += 1
                let operation: Operation =
                    switch property.collection {
                    case .none: set(target, property.name, value)
                    case .list:
                        .list(
                            target, property: property.name,
                            .insert(
                                ElementID(client: Record.ann, counter: counter), left: nil, right: nil, value: value))
                    case .set: .keyed(target, property: property.name, .put(key: value, value: .null))
                    case .map: .keyed(target, property: property.name, .put(key: .string("\(counter)"), value: value))
                    }
                let objection = try record.objection(Record.ann, operation)
                if objection == nil { taken += 1 }
                let isLinkThatMayBeNull = property.type == .object && [.none, .map].contains(property.collection)
                if value == .null, property.isOptional && property.type != .object || isLinkThatMayBeNull {
                    #expect(objection == nil, "null in \(property.name)")
                }
            }
        }
        // Each type has a value of its own, in each of four collections, declared in two ways.
        #expect(taken >= PropertyType.allCases.count * 8)
        #expect(try record.problems() == [])
    }
}
