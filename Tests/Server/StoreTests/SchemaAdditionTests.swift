import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("What devices add to a schema")
struct SchemaAdditionTests {
    private static let id = Property(name: "_id", type: .int, isPrimaryKey: true)
    private static let day: UInt64 = 86_400_000

    private static func cat(_ names: String...) -> ClassSchema {
        ClassSchema(name: "Cat", properties: [id] + names.map { Property(name: $0, type: .string) })
    }

    private static func classes(_ count: Int, _ name: String) -> Schema {
        Schema((0..<count).map { ClassSchema(name: "\(name)\($0)", properties: [id]) })
    }

    private func record(_ bounds: SchemaBounds, _ name: String = #function) throws -> Record {
        try Record(name, options: StoreEmbedded.Options(schemaBounds: bounds))
    }

    private func objection(_ record: Record, _ schema: Schema, by user: String?) throws -> String? {
        do throws(StoreFailure) {
            try record.backend.extendSchema(schema, by: user.map { Declarer(user: $0, time: record.time) })
            return nil
        } catch {
            #expect(error.code == .schemaMismatch)
            return error.message
        }
    }

    @Test("a key is no text and no counter: an edit of one would part it from the tree of keys")
    func keys() throws {
        let record = try record(SchemaBounds())
        let text = Property(name: "_id", type: .string, isPrimaryKey: true, isText: true)
        let counter = Property(name: "_id", type: .int, isPrimaryKey: true, isCounter: true)
        for key in [text, counter] {
            let refused = try #require(
                try objection(record, Schema([ClassSchema(name: "T", properties: [key])]), by: "eve"))
            #expect(refused.contains("“T._id” is a "), "\(refused)")
        }
        let title = Property(name: "title", type: .string, isText: true)
        #expect(
            try objection(record, Schema([ClassSchema(name: "T", properties: [Self.id, title])]), by: "eve") == nil)
    }

    @Test("one user's devices add so many classes and no more, and another's go on")
    func classesOfUser() throws {
        let record = try record(SchemaBounds(classesOfUser: 3))
        let before = try record.store.snapshot().schema
        let tooMany = try #require(try objection(record, Self.classes(4, "A"), by: "eve"))
        #expect(tooMany.contains("would add 4 classes") && tooMany.contains("limits.schemaClassesOfUser"))
        #expect(tooMany.contains("sync-server schema"))
        #expect(try record.store.snapshot().schema == before)
        #expect(try objection(record, Self.classes(2, "A"), by: "eve") == nil)
        #expect(try objection(record, Self.classes(2, "B"), by: "eve") != nil)
        #expect(try objection(record, Self.classes(1, "B"), by: "eve") == nil)
        // What is there costs nothing, whoever declares it.
        #expect(try objection(record, Self.classes(2, "A"), by: "eve") == nil)
        #expect(try objection(record, Self.classes(3, "C"), by: "ann") == nil)
    }

    @Test("one user's devices add so many properties, in whichever classes, and dropping gives the room back")
    func propertiesOfUser() throws {
        let record = try record(SchemaBounds(propertiesOfUser: 3))
        #expect(try objection(record, Schema([Self.cat("a", "b", "c")]), by: "eve") != nil)
        #expect(try objection(record, Schema([Self.cat("a", "b")]), by: "eve") == nil)
        let refused = try #require(try objection(record, Schema([Self.cat("a", "b", "c")]), by: "eve"))
        #expect(refused.contains("what this user has added has 3 of at most 3"), "\(refused)")
        #expect(refused.contains("limits.schemaPropertiesOfUser"), "\(refused)")
        try record.store.drop("Cat", property: "a")
        #expect(try objection(record, Schema([Self.cat("b", "c")]), by: "eve") == nil)
        try record.store.drop("Cat")
        #expect(try objection(record, Schema([Self.cat("x", "y")]), by: "eve") == nil)
    }

    @Test("a user's share shrinks with what is left: a few users do not fill the schema, one alone has the whole share")
    func shares() throws {
        let record = try record(SchemaBounds(classes: 105, properties: 1_000, classesOfUser: 35))
        // Five classes are in it, and nobody's: a third of what is left is 33 and a third.
        func most(_ user: String) throws -> Int {
            for count in stride(from: 40, to: 0, by: -1) {
                if try objection(record, Self.classes(count, user), by: user) == nil { return count }
            }
            return 0
        }
        let added = try ["a", "b", "c", "d"].map(most)
        #expect(added == [34, 22, 15, 10])
        #expect(try most("e") == 7)
        // Whoever has the share of an earlier day keeps it, and adds none.
        let refused = try #require(try objection(record, Self.classes(35, "a"), by: "a"))
        #expect(refused.contains("has 34 of at most 16"), "\(refused)")
        // Of a bound that one user may fill there is no share, and the last place is somebody's.
        #expect(SchemaBounds.share(250, of: 100, besides: 99) == 250)
        #expect((0...99).allSatisfy { SchemaBounds.share(25, of: 100, besides: $0) >= 1 })
        #expect(SchemaBounds.share(25, of: 100, besides: 100) == 0)
        #expect(SchemaBounds.share(0, of: 100, besides: 0) == 0)
    }

    @Test("a database has so many classes and properties, whoever adds them")
    func ofDatabase() throws {
        let record = try record(SchemaBounds(classes: 7, properties: 30))
        // Five classes with 16 properties are in it.
        #expect(try objection(record, Self.classes(3, "A"), by: "eve")?.contains("limits.schemaClasses.") == true)
        #expect(try objection(record, Self.classes(1, "A"), by: "eve") == nil)
        let many = Schema([
            ClassSchema(name: "B", properties: [Self.id] + (0..<14).map { Property(name: "p\($0)", type: .int) })
        ])
        #expect(try objection(record, many, by: nil)?.contains("limits.schemaProperties.") == true)
        #expect(try objection(record, Self.classes(2, "A"), by: "ann") == nil)
    }

    @Test("every class and property says who added it, and on which day a device declared it last")
    func elements() throws {
        let record = try Record()
        func declare(_ schema: Schema, _ user: String, at time: UInt64) throws {
            try record.backend.extendSchema(schema, by: Declarer(user: user, time: time))
        }
        try declare(Schema([Self.cat("a")]), "ann", at: 10 * Self.day)
        try declare(Schema([Self.cat("a", "b")]), "bob", at: 12 * Self.day)
        // Not a day later: nothing is written.
        try declare(Schema([Self.cat("a")]), "eve", at: 12 * Self.day + 5)
        try record.backend.requireSchema(Schema([Self.cat("b")]), by: Declarer(user: "eve", time: 14 * Self.day))
        #expect(throws: StoreFailure.self) {
            try record.backend.requireSchema(
                Schema([Self.cat("a", "c")]), by: Declarer(user: "eve", time: 20 * Self.day))
        }
        let cat = try record.elements().filter { $0.className == "Cat" }
        #expect(cat.map(\.property) == [nil, "_id", "a", "b"])
        #expect(cat.map(\.addedBy) == ["ann", "ann", "ann", "bob"])
        #expect(cat.map(\.added) == [10, 10, 10, 12].map { $0 * Self.day })
        #expect(cat.map(\.declared) == [14, 14, 12, 14].map { $0 * Self.day })
        #expect(cat.map(\.words).prefix(2) == ["a class of objects", "int, the primary key"])
        // What the program itself put there, or an earlier build.
        let dog = try record.elements().first { $0.className == "Dog" }
        #expect(dog?.addedBy == nil && dog?.added == 0 && dog?.declared == 0)
    }

    @Test("a name that begins like another one's class is not taken for a property of it")
    func names() throws {
        let record = try Record()
        let schema = Schema([
            ClassSchema(name: "A", properties: [Self.id, Property(name: "BC", type: .int)]),
            ClassSchema(name: "AB", properties: [Self.id, Property(name: "C", type: .int)]),
        ])
        try record.backend.extendSchema(schema, by: Declarer(user: "ann", time: 1))
        try record.store.drop("A")
        let left = try record.elements().filter { $0.className == "AB" }
        #expect(left.map(\.addedBy) == ["ann", "ann", "ann"])
    }
}
