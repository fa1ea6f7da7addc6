import CausewayModel
import CausewayObjectStore
import CausewayQuery
import Testing

@Suite("Schema")
struct SchemaTests {
    @Test("classes, properties and indexes are added to a file that has objects")
    func extending() throws {
        let store = try openInMemory("extending")
        let transaction = try store.write()
        let first = Schema([
            ClassSchema(
                name: "Dog",
                properties: [
                    Property(name: "id", type: .int, isPrimaryKey: true), Property(name: "name", type: .string),
                ])
        ])
        try transaction.extendSchema(first)
        let dogs = try transaction.existing("Dog")
        for number in Int64(0)..<1500 {
            _ = try dogs.create(.int(number), row: [.null, .string("dog \(number % 10)")])
        }
        try transaction.commit()

        let second = Schema([
            ClassSchema(
                name: "Dog",
                properties: [
                    Property(name: "age", type: .int), Property(name: "name", type: .string, isIndexed: true),
                    Property(name: "owner", type: .object, isOptional: true, target: "Person"),
                    Property(name: "note", type: .string, isOptional: true),
                ]), ClassSchema(name: "Person", properties: [Property(name: "name", type: .string)]),
        ])
        try transaction.beginWriting()
        try transaction.extendSchema(second)
        #expect(transaction.table("Dog") === dogs)
        #expect(dogs.schema.properties.map(\.name) == ["id", "name", "age", "owner", "note"])
        #expect(dogs.value(ObjectKey(1400), 2) == .int(0))
        #expect(dogs.value(ObjectKey(1400), 4) == .null)
        dogs.set(ObjectKey(3), 2, .int(7))
        dogs.set(ObjectKey(3), 4, .string("good"))
        let person = try transaction.existing("Person").create(nil)
        dogs.set(ObjectKey(3), 3, .object(person))
        transaction.abort()
        #expect(dogs.schema.properties.count == 2)
        #expect(transaction.table("Person") == nil)

        try transaction.beginWriting()
        try transaction.extendSchema(second)
        dogs.set(ObjectKey(1003), 2, .int(7))
        _ = try dogs.create(.int(5000), row: [.null, .string("dog 3"), .int(1), .null, .null])
        try transaction.commit()
        #expect(dogs.value(ObjectKey(1003), 2) == .int(7))
        #expect(dogs.value(ObjectKey(1004), 2) == .int(0))
        let predicate = BoundPredicate.comparison(
            .init(
                quantifier: .implied,
                path: BoundPath(steps: [
                    .init(className: "Dog", property: 1, type: .string, collection: .none, target: nil)
                ]), comparator: .equal, options: [], operand: .value(.string("dog 3"))))
        #expect(transaction.explain("Dog", matching: predicate).contains("index"))
        #expect(try transaction.count("Dog", matching: predicate) == 151)
        #expect(try store.read().schema == transaction.schema)
    }

    @Test(
        "objects that are there before an indexed property are found by what they have in it", arguments: [false, true])
    func newIndexedProperty(isMigration: Bool) throws {
        let store = try openInMemory("new indexed property \(isMigration)")
        let transaction = try store.write()
        let old = ClassSchema(name: "Dog", properties: [Property(name: "id", type: .int, isPrimaryKey: true)])
        var new = old
        new.properties.append(Property(name: "age", type: .int, isIndexed: true))
        new.properties.append(Property(name: "name", type: .string, isOptional: true, isIndexed: true))
        try transaction.extendSchema(Schema([old]))
        for number in Int64(0)..<2000 { _ = try transaction.existing("Dog").create(.int(number)) }
        try transaction.commit()
        try transaction.beginWriting()
        let before = try transaction.frozenCopy()
        if isMigration {
            try transaction.restructure(to: Schema([new]), before: before)
            try transaction.finishRestructuring(to: Schema([new]))
        } else {
            try transaction.extendSchema(Schema([new]))
        }
        try transaction.existing("Dog").set(ObjectKey(7), 1, .int(5))
        try transaction.commit()
        before.end()
        for (text, count) in [("age == 0", 1999), ("age == 5", 1), ("age < 1", 1999), ("name == nil", 2000)] {
            let predicate = try Predicate.parse(text).bound(to: "Dog", in: transaction.schema)
            #expect(try transaction.count("Dog", matching: predicate) == count, "\(text)")
        }
        let problems = try store.verify().problems
        #expect(problems == [])
    }

    @Test("a schema that contradicts the stored one lists every difference and changes nothing")
    func conflicts() throws {
        let store = try openInMemory("conflicts")
        let transaction = try store.write()
        try transaction.extendSchema(
            Schema([
                ClassSchema(
                    name: "Dog",
                    properties: [
                        Property(name: "id", type: .int, isPrimaryKey: true), Property(name: "name", type: .string),
                        Property(name: "tags", type: .string, collection: .list),
                    ])
            ]))
        let version = try transaction.commit()
        try transaction.beginWriting()
        let wanted = Schema([
            ClassSchema(
                name: "Dog",
                properties: [
                    Property(name: "id", type: .string, isPrimaryKey: true),
                    Property(name: "name", type: .string, isOptional: true), Property(name: "tags", type: .string),
                    Property(name: "owner", type: .object, isOptional: true, target: "Nobody"),
                ])
        ])
        do {
            try transaction.extendSchema(wanted)
            Issue.record("a conflict was not seen")
        } catch {
            #expect(error.code == .schemaConflict)
            for name in ["Dog.id", "Dog.name", "Dog.tags", "Nobody"] { #expect(error.message.contains(name)) }
        }
        #expect(try transaction.commit() == version)
        #expect(transaction.schema["Dog"]?.properties.count == 3)
    }
}
