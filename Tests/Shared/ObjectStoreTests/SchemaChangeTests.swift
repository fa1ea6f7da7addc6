import CausewayModel
import CausewayQuery
import CausewayStorage
import Testing

@testable import CausewayObjectStore

/// One transaction stays open while another changes the classes of the file.
@Suite("Classes that change under an open transaction")
struct SchemaChangeTests {
    private static let id = Property(name: "id", type: .int, isPrimaryKey: true)

    private static func dogs(_ properties: Property...) -> Schema {
        Schema([ClassSchema(name: "Dog", properties: [id] + properties)])
    }

    private func prepare(_ name: String, _ schema: Schema, rows: Int64 = 3) throws -> ObjectStore {
        let store = try openInMemory(name)
        let transaction = try store.write()
        try transaction.extendSchema(schema)
        let dogs = try transaction.existing("Dog")
        for number in 0..<rows {
            let key = try dogs.create(.int(number))
            for column in dogs.schema.properties.indices.dropFirst() where dogs.schema.properties[column].type == .int {
                dogs.set(key, column, .int(number * 10 + Int64(column)))
            }
        }
        try transaction.commit()
        transaction.end()
        return store
    }

    private func migrate(_ store: ObjectStore, to schema: Schema) throws {
        let transaction = try store.write()
        let before = try transaction.frozenCopy()
        try transaction.restructure(to: schema, before: before)
        try transaction.finishRestructuring(to: schema)
        try transaction.commit()
        before.end()
        transaction.end()
    }

    @Test("a property that another transaction gives another type is never read or written as the new one")
    func changedType() throws {
        let store = try prepare("changed type", Self.dogs(Property(name: "age", type: .int)))
        let open = try store.read()
        let dogs = try open.existing("Dog")
        let version = open.version
        try migrate(store, to: Self.dogs(Property(name: "age", type: .string)))

        for attempt in 0..<2 {
            do {
                if attempt == 0 { try open.advance() } else { try open.beginWriting() }
                Issue.record("a transaction went on with a property of another type")
            } catch {
                #expect(error.code == .schemaChanged)
                #expect(error.message.contains("'Dog.age' has been changed from int to string"))
            }
            #expect(open.version == version && !open.isWritable)
            #expect(dogs.value(ObjectKey(1), 1) == .int(11))
            let frozen = try open.frozenCopy()
            #expect(try frozen.existing("Dog").value(ObjectKey(1), 1) == .int(11))
            frozen.end()
        }
        // The turn to write was given back.
        let other = try store.write()
        try other.existing("Dog").set(ObjectKey(1), 1, .string("eleven"))
        try other.commit()
        #expect(try store.verify().problems == [])
    }

    @Test("a property that goes takes no other one's place in an index, a column or the backlinks")
    func removedProperty() throws {
        let before = Self.dogs(
            Property(name: "a", type: .int), Property(name: "b", type: .int),
            Property(name: "friend", type: .object, isOptional: true, target: "Dog"))
        let after = Self.dogs(
            Property(name: "b", type: .int, isIndexed: true),
            Property(name: "friend", type: .object, isOptional: true, target: "Dog"),
            Property(name: "c", type: .int))
        let store = try prepare("removed property", before, rows: 2000)
        let open = try store.read()
        let dogs = try open.existing("Dog")
        try migrate(store, to: after)
        #expect(code { try open.beginWriting() } == .schemaChanged)
        #expect(dogs.value(ObjectKey(7), 1) == .int(71) && dogs.value(ObjectKey(7), 2) == .int(72))
        #expect(try store.verify().problems == [])
    }

    @Test("new properties, indexes and classes change nothing for who is there, and are followed by what they write")
    func additions() throws {
        let before = Self.dogs(Property(name: "a", type: .int), Property(name: "b", type: .int))
        // In another order than the file's.
        let after = Schema([
            ClassSchema(
                name: "Dog",
                properties: [
                    Property(name: "c", type: .string), Property(name: "b", type: .int, isIndexed: true), Self.id,
                    Property(name: "a", type: .int),
                ]),
            ClassSchema(
                name: "Owner",
                properties: [
                    Property(name: "dog", type: .object, isOptional: true, target: "Dog"),
                    Property(name: "dogs", type: .object, collection: .list, target: "Dog"),
                    Property(name: "any", type: .mixed, isOptional: true),
                ]),
        ])
        let store = try prepare("additions", before, rows: 2000)
        let open = try store.read()
        let dogs = try open.existing("Dog")
        try migrate(store, to: after)
        let other = try store.write()
        let owners = try other.existing("Owner")
        let owner = try owners.create(
            nil, row: [.object(ObjectKey(1)), .null, .anyObject(ClassedKey(dogs.number, ObjectKey(0)))])
        owners.listAppend(owner, 1, .object(ObjectKey(1)))
        try other.commit()

        try open.beginWriting()
        #expect(dogs.schema.properties.map(\.name) == ["id", "a", "b", "c"])
        dogs.set(ObjectKey(0), 2, .int(-77))
        dogs.set(ObjectKey(0), 1, .int(88))
        _ = try dogs.create(.int(9000), row: [.null, .int(1), .int(-77), .string("new")])
        // Its links are those of a class that this transaction did not know.
        dogs.delete(ObjectKey(1))
        try open.commit()
        #expect(try store.verify().problems == [])
        let fresh = try store.read()
        #expect(try fresh.existing("Owner").value(owner, 0) == .null)
        #expect(try fresh.existing("Owner").listCount(owner, 1) == 0)
        let place = try #require(fresh.schema["Dog"]?.index(of: "b"))
        let predicate = BoundPredicate.comparison(
            .init(
                quantifier: .implied,
                path: BoundPath(steps: [
                    .init(className: "Dog", property: place, type: .int, collection: .none, target: nil)
                ]), comparator: .equal, options: [], operand: .value(.int(-77))))
        #expect(fresh.explain("Dog", matching: predicate).contains("index"))
        #expect(try fresh.keys("Dog", matching: predicate) == [ObjectKey(0), ObjectKey(2000)])
    }

    @Test("a class that nobody here has asked for may change as it likes")
    func classesOfOthers() throws {
        let cats = { (type: PropertyType) in
            Schema(
                Self.dogs(Property(name: "age", type: .int)).classes + [
                    ClassSchema(
                        name: "Cat",
                        properties: [
                            Property(name: "name", type: type),
                            Property(name: "enemy", type: .object, isOptional: true, target: "Dog"),
                        ])
                ])
        }
        let store = try prepare("classes of others", cats(.string))
        let open = try store.read()
        let dogs = try open.existing("Dog")
        try open.beginWriting()
        // Looks at the links of cats.
        dogs.delete(ObjectKey(0))
        try open.commit()
        try migrate(store, to: cats(.int))
        try open.beginWriting()
        dogs.delete(ObjectKey(1))
        try open.commit()
        let other = try store.write()
        try other.existing("Dog").delete(ObjectKey(2))
        other.removeClass("Cat")
        try other.commit()
        #expect(try open.advance())
        #expect(dogs.count == 0)
        #expect(try store.verify().problems == [])
    }

    private static func owners(_ dog: ClassSchema) -> Schema {
        Schema([
            dog,
            ClassSchema(
                name: "Owner",
                properties: [
                    Property(name: "dog", type: .object, isOptional: true, target: "Dog"),
                    Property(name: "dogs", type: .object, collection: .list, target: "Dog"),
                ]),
        ])
    }

    @Test(
        "a query keeps the columns of the classes that its paths lead through, though nobody has asked for them",
        arguments: [
            "dog.age == 20", "dog.age + 1 == 21", "ANY dogs.age == 20", "SUBQUERY(dogs, $d, $d.age == 20).@count == 1",
            "dog.age == dog.weight", "ANY dog.@links.Dog.friend.age == 20",
        ])
    func linkedClasses(text: String) throws {
        let friend = Property(name: "friend", type: .object, isOptional: true, target: "Dog")
        let (age, weight) = (Property(name: "age", type: .int), Property(name: "weight", type: .int))
        func dog(_ properties: Property...) -> Schema {
            Self.owners(ClassSchema(name: "Dog", properties: [Self.id] + properties))
        }
        let store = try prepare("linked classes \(text)", dog(friend, age, weight))
        let writing = try store.write()
        let (dogs, owners) = (try writing.existing("Dog"), try writing.existing("Owner"))
        for key in dogs.allKeys {
            for column in [2, 3] { dogs.set(key, column, .int(key.rawValue * 10)) }
            dogs.set(key, 1, .object(key))
            let owner = try owners.create(nil, row: [.object(key), .null])
            owners.listAppend(owner, 1, .object(key))
        }
        try writing.commit()
        writing.end()

        let open = try store.read()
        let predicate = try open.bound(try Predicate.parse(text), to: "Owner")
        let expected = try open.keys("Owner", matching: predicate)
        #expect(text.hasSuffix("weight") ? expected.count == 3 : expected == [ObjectKey(2)])
        // What is behind the columns may come, what is at their places may not go.
        try migrate(store, to: dog(friend, age, weight, Property(name: "name", type: .string)))
        #expect(try open.advance())
        #expect(try open.keys("Owner", matching: predicate) == expected)
        try migrate(store, to: dog(friend, Property(name: "name", type: .string)))
        for _ in 0..<2 {
            #expect(code { try open.advance() } == .schemaChanged)
            #expect(code { try open.beginWriting() } == .schemaChanged)
            #expect(try open.keys("Owner", matching: predicate) == expected)
        }
        #expect(try store.verify().problems == [])
    }

    @Test("an order through a link keeps the columns of the class it leads to")
    func linkedOrder() throws {
        let age = Property(name: "age", type: .int)
        let store = try prepare(
            "linked order", Self.owners(ClassSchema(name: "Dog", properties: [Self.id, age])))
        let writing = try store.write()
        for key in try writing.existing("Dog").allKeys {
            _ = try writing.existing("Owner").create(nil, row: [.object(key), .null])
        }
        try writing.commit()
        writing.end()
        let open = try store.read()
        let order = [try open.bound(SortKey(keyPath: "dog.age", ascending: false), to: "Owner")]
        try migrate(store, to: Self.owners(ClassSchema(name: "Dog", properties: [Self.id])))
        #expect(code { try open.advance() } == .schemaChanged)
        let keys = try open.existing("Owner").allKeys
        #expect(open.sorted(keys, "Owner", by: order) == keys.reversed())
    }

    @Test("a class that somebody will ask for is held before, and stays what it was")
    func heldClasses() throws {
        let store = try prepare("held classes", Self.dogs(Property(name: "age", type: .int)))
        let open = try store.read()
        open.hold("Dog")
        open.hold("Cat")
        try migrate(store, to: Self.dogs(Property(name: "age", type: .string)))
        #expect(code { try open.advance() } == .schemaChanged)
        #expect(try open.existing("Dog").value(ObjectKey(1), 1) == .int(11))
        #expect(try store.verify().problems == [])
    }

    @Test("a class that was removed, or got another primary key, is an error for who has it open")
    func removedClass() throws {
        let store = try prepare("removed class", Self.dogs(Property(name: "age", type: .int)))
        let (one, two) = (try store.read(), try store.read())
        _ = try one.existing("Dog")
        let other = Schema([
            ClassSchema(
                name: "Dog",
                properties: [Property(name: "id", type: .int), Property(name: "age", type: .int, isPrimaryKey: true)])
        ])
        try migrate(store, to: other)
        #expect(code { try one.advance() } == .schemaChanged)
        // It has no table yet.
        #expect(try two.advance())
        #expect(try two.existing("Dog").key(for: .int(11)) == ObjectKey(1))
        let remover = try store.write()
        remover.removeClass("Dog")
        try remover.commit()
        #expect(code { try two.beginWriting() } == .schemaChanged)
        #expect(try two.existing("Dog").count == 3)
        #expect(try store.verify().problems == [])
    }

    @Test("a migration leaves nothing of the columns that it removes, and writes none of their emptied leaves")
    func nothingLeft() throws {
        let links = [
            Property(name: "owner", type: .object, isOptional: true, target: "Dog"),
            Property(name: "tags", type: .string, collection: .list),
            Property(name: "any", type: .mixed, isOptional: true),
        ]
        let store = try openInMemory("nothing left")
        let writing = try store.write()
        try writing.extendSchema(Schema([ClassSchema(name: "Dog", properties: [Self.id] + links)]))
        let dogs = try writing.existing("Dog")
        for number in 0..<Int64(3 * slotsPerLeaf) {
            let key = try dogs.create(.int(number))
            dogs.set(key, 1, .object(ObjectKey(0)))
            dogs.listReplace(key, 2, [.string("\(number)")])
            dogs.set(key, 3, .int(number))
        }
        try writing.commit()
        let gone = [dogs.columns[1].id, dogs.columns[3].id]
        func leaves(_ transaction: Transaction) -> Int {
            gone.reduce(0) { count, column in
                count + (0..<3).count { transaction.reader.leaf(column: column, number: UInt32($0)) != nil }
            }
        }
        #expect(leaves(writing) == 6)
        writing.end()
        try migrate(store, to: Self.dogs())
        let reading = try store.read()
        #expect(leaves(reading) == 0)
        #expect(try reading.existing("Dog").count == 3 * slotsPerLeaf)
        #expect(try store.verify().problems == [])
        reading.end()
    }

    @Test("a migration that is undone leaves the tables of its transaction as they were")
    func undone() throws {
        let store = try prepare("undone", Self.dogs(Property(name: "age", type: .int)))
        let transaction = try store.write()
        let before = try transaction.frozenCopy()
        try transaction.restructure(to: Self.dogs(Property(name: "age", type: .string)), before: before)
        #expect(try transaction.existing("Dog").value(ObjectKey(1), 1) == .string(""))
        transaction.abort()
        #expect(try transaction.existing("Dog").value(ObjectKey(1), 1) == .int(11))
        try transaction.beginWriting()
        try transaction.existing("Dog").set(ObjectKey(1), 1, .int(5))
        try transaction.commit()
        #expect(try store.verify().problems == [])
    }
}
