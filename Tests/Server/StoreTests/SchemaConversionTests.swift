import CausewayConversion
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("What the operator gives another type")
struct SchemaConversionTests {
    private static let seeds = SeedList.drawn(for: "converted-schemas", count: 4)

    private let ann = Record.ann
    private let bob = Record.bob

    private func values(_ property: String, of className: String, in record: Record) throws -> [Int64: Value] {
        var values: [Int64: Value] = [:]
        for number in Int64(0)..<10 {
            if let object = try record.object(className, .int(number)) { values[number] = object[property] }
        }
        return values
    }

    /// What devices of an app would declare that has the property as an optional one of a type.
    private func declaration(_ name: String, _ type: PropertyType, isOptional: Bool = true) -> Schema {
        Schema([
            ClassSchema(
                name: "Dog",
                properties: [
                    Property(name: "_id", type: .int, isPrimaryKey: true),
                    Property(name: name, type: type, isOptional: isOptional),
                ])
        ])
    }

    // MARK: - What changes and what stays

    @Test(
        "the values are converted; all else stands as it stood, and takes what comes",
        arguments: [
            PropertyConversion("Dog", "age", to: .string), PropertyConversion("Dog", "name", to: .mixed),
            PropertyConversion("Dog", "name", to: .string, isOptional: true),
            PropertyConversion("Dog", "age", to: .double, isOptional: false, misfits: .value(.double(-1))),
            PropertyConversion("Home", "city", to: .int, misfits: .value(.int(7))),
            PropertyConversion("Room", "size", to: .string),
        ], seeds)
    func conversion(wanted: PropertyConversion, seed: UInt64) throws {
        let path = "\(wanted.className).\(wanted.property)"
        let record = try Record.full(seed)
        let mapping = try wanted.mapping(in: try record.store.snapshot().schema)
        let expected = try record.contents(without: path)
        let before = try values(wanted.property, of: wanted.className, in: record)
        let report = try record.store.convert(wanted)
        #expect(report.isConverted)
        #expect(try record.contents(without: path) == expected, "\(path), seed \(seed)")
        #expect(try record.problems() == [], "\(path), seed \(seed)")
        let after = try values(wanted.property, of: wanted.className, in: record)
        for (number, value) in before {
            switch mapping.outcome(of: value) {
            case .fits(let new), .replaced(let new, _): #expect(after[number] == new, "\(path) of \(number), \(seed)")
            case .refused: Issue.record("\(path) of \(number) was converted, seed \(seed)")
            }
        }
        #expect(after.count == before.count)
        #expect(try record.store.snapshot().schema[wanted.className]?.properties.last == mapping.property)
        try record.writeDrawn(40, seed: seed &+ 100)
        #expect(try record.problems() == [], "\(path), seed \(seed)")
        let reopened = try record.reopen()
        #expect(try reopened.snapshot().schema == (try record.store.snapshot().schema))
    }

    @Test("many objects that share their stamps are converted, and a counter behind the property goes on")
    func manyObjects() throws {
        let record = try Record()
        try record.addCounter("likes", to: "Dog")
        let count: Int64 = 3_000
        let made = (0..<count).map { create(dog($0), ("age", .int($0)), ("likes", .int(2))) }
        try record.commit(ann, record.changeset(ann, made))
        try record.write(bob, .add(dog(5), property: "likes", Addition(3)))
        let base = record.store.version.rawValue
        let report = try record.store.convert(PropertyConversion("Dog", "age", to: .string))
        #expect(report.isConverted && report.objects == Int(count) && report.misfits == [:])
        #expect(report.from == "optional int" && report.to == "optional string")
        #expect(try record.dog(2_999)?["age"] == .string("2999"))
        try record.write(bob, .add(dog(5), property: "likes", Addition(10)))
        try record.write(ann, base: base, .add(dog(6), property: "likes", Addition(1)))
        #expect(try record.dog(5)?["likes"] == .int(15) && record.dog(6)?["likes"] == .int(3))
        try record.write(bob, set(dog(7), "age", .string("seven")), .delete(dog(8), life: 2))
        #expect(try record.dog(7)?["age"] == .string("seven") && record.dog(8) == nil)
        #expect(try record.problems() == [])
    }

    @Test("an index finds the new values, and goes where the new type has none")
    func index() throws {
        let record = try Record()
        let tag = Property(name: "tag", type: .int, isOptional: true, isIndexed: true)
        try record.backend.extendSchema(
            Schema([ClassSchema(name: "Cat", properties: [Property(name: "_id", type: .int, isPrimaryKey: true), tag])])
        )
        try record.commit(
            ann,
            record.changeset(ann, (0..<500).map { create(ObjectReference("Cat", .int($0)), ("tag", .int($0 % 100))) }))
        func found(_ text: String) throws -> Int {
            let snapshot = try record.store.snapshot()
            let number = try #require(snapshot.classNumber("Cat"))
            return try snapshot.keys(number, matching: Predicate.parse(text).bound(to: "Cat", in: snapshot.schema))
                .count
        }
        for (type, text, isIndexed) in [
            (.string, "tag == '7'", true), (.int, "tag == 7", true), (.double, "tag == 7.0", false),
        ] as [(PropertyType, String, Bool)] {
            #expect(try record.store.convert(PropertyConversion("Cat", "tag", to: type)).isConverted)
            #expect(try found(text) == 5, "\(type)")
            #expect(try record.store.snapshot().schema["Cat"]?.properties.last?.isIndexed == isIndexed, "\(type)")
            #expect(try record.problems() == [], "\(type)")
        }
    }

    @Test("a conversion is no write: an older edit still loses against the value, and a later one wins")
    func stamps() throws {
        let record = try Record()
        try record.write(ann, at: 100, create(dog(1), ("age", .int(1)), ("name", .string("a"))))
        try record.write(ann, at: 500, set(dog(1), "age", .int(5)), set(dog(1), "name", .string("b")))
        _ = try record.store.convert(PropertyConversion("Dog", "age", to: .string))
        try record.write(bob, at: 400, set(dog(1), "age", .string("4")), set(dog(1), "name", .string("c")))
        #expect(try record.dog(1)?["age"] == .string("5") && record.dog(1)?["name"] == .string("b"))
        try record.write(bob, at: 600, set(dog(1), "age", .string("6")), set(dog(1), "name", .string("d")))
        #expect(try record.dog(1)?["age"] == .string("6") && record.dog(1)?["name"] == .string("d"))
    }

    // MARK: - Values that do not fit

    @Test("a preview counts what does not fit, by the reason, and changes nothing; refuse converts all or nothing")
    func refuse() throws {
        let record = try Record()
        for (number, name) in ["1", "x", "", "4"].enumerated() {
            try record.write(ann, create(dog(Int64(number)), ("name", .string(name))))
        }
        let (contents, commits) = (try record.contents(), try record.commits)
        let wanted = PropertyConversion("Dog", "name", to: .int)
        let preview = try record.store.preview(wanted)
        #expect(preview.objects == 4 && preview.misfits == [.text: 2] && preview.misfitCount == 2)
        #expect(!preview.isConverted && preview.from == "string" && preview.to == "int")
        #expect(try record.store.convert(wanted) == preview)
        #expect(try record.contents() == contents && record.commits == commits)
        try record.write(bob, set(dog(1), "name", .string("2")), set(dog(2), "name", .string("3")))
        #expect(try record.store.convert(wanted).isConverted)
        #expect(try values("name", of: "Dog", in: record) == [0: .int(1), 1: .int(2), 2: .int(3), 3: .int(4)])
    }

    @Test("they become null or the declared default")
    func replaced() throws {
        for (misfits, expected) in [(.null, .null), (.value(.int(-1)), .int(-1))]
            as [(PropertyMapping.MisfitRule, Value)]
        {
            let record = try Record("\(#function) \(expected)")
            try record.write(ann, create(dog(1), ("name", .string("x"))), create(dog(2), ("name", .string("2"))))
            let wanted = PropertyConversion("Dog", "name", to: .int, isOptional: true, misfits: misfits)
            let report = try record.store.convert(wanted)
            #expect(report.isConverted && report.misfits == [.text: 1])
            #expect(try values("name", of: "Dog", in: record) == [1: expected, 2: .int(2)])
            #expect(try record.problems() == [])
        }
    }

    @Test("the first mixed property of a database can hold collections, and they go when it is converted back")
    func nested() throws {
        let record = try Record()
        try record.write(ann, create(dog(1), ("name", .string("1"))), create(dog(2), ("name", .string("2"))))
        #expect(try record.store.convert(PropertyConversion("Dog", "name", to: .mixed)).isConverted)
        let list = ObjectReference("#List", .container(ElementID(client: ann, counter: 77)))
        try record.write(
            ann, create(list), set(dog(1), "name", .anyLink(ClassedLink("#List", list.key))),
            set(dog(2), "name", .anyLink(ClassedLink("Dog", .int(1)))),
            .list(
                list, property: "elements",
                .insert(ElementID(client: ann, counter: 78), left: nil, right: nil, value: .string("x"))))
        #expect(try record.refusals(ann) == [] && record.store.count(of: "#List") == 1)
        #expect(try record.problems() == [])
        let back = PropertyConversion("Dog", "name", to: .string, misfits: .null)
        #expect(try record.store.convert(back).misfits == [.type: 2])
        #expect(try record.store.count(of: "#List") == 0)
        #expect(try values("name", of: "Dog", in: record) == [1: .null, 2: .null])
        #expect(try record.problems() == [])
    }

    // MARK: - Devices and their writes

    @Test("who declares the old type is refused with the remedy, and who declares the new one is not")
    func hello() throws {
        let record = try Record()
        let declarer = Declarer(user: "ann", time: 100_000_000_000)
        try record.backend.extendSchema(declaration("age", .int), by: declarer)
        func declared() throws -> UInt64? {
            try record.elements().first { $0.className == "Dog" && $0.property == "age" }?.declared
        }
        #expect(try declared() == declarer.time)
        _ = try record.store.convert(PropertyConversion("Dog", "age", to: .string))
        #expect(try declared() == 0)
        let schema = try record.store.snapshot().schema
        for mayExtend in [true, false] {
            let failure = #expect(throws: StoreFailure.self) {
                let old = declaration("age", .int)
                if mayExtend {
                    try record.backend.extendSchema(old, by: declarer)
                } else {
                    try record.backend.requireSchema(old, by: declarer)
                }
            }
            #expect(failure?.code == .schemaMismatch)
            #expect(failure?.message.contains("“Dog.age” is optional int on the device") == true)
            #expect(failure?.message.contains("optional string here") == true)
        }
        #expect(try declared() == 0)
        #expect(try record.store.snapshot().schema == schema)
        try record.backend.requireSchema(declaration("age", .string), by: declarer)
        #expect(try declared() == declarer.time)
    }

    @Test("a write of the old type is refused like any that does not fit, and the rest of its changeset is applied")
    func oldWrites() throws {
        let record = try Record()
        try record.write(ann, create(dog(1), ("age", .int(1))))
        let base = record.store.version.rawValue
        _ = try record.store.convert(PropertyConversion("Dog", "age", to: .string))
        let old = record.changeset(
            ann, base: base,
            [set(dog(1), "age", .int(2)), create(dog(2), ("age", .int(2))), set(dog(1), "name", .string("x"))])
        #expect(try record.commit(ann, old).failure == nil)
        #expect(try record.refusals(ann).map(\.failure.code) == [.operationInvalid, .operationInvalid])
        #expect(try record.dog(1)?["age"] == .string("1") && record.dog(1)?["name"] == .string("x"))
        #expect(try record.dog(2) == nil)
        #expect(try record.problems() == [])
    }

    @Test("who stood before is compared: no history leads on from there")
    func history() throws {
        let record = try Record.full(1)
        let version = record.store.version
        _ = try record.store.convert(PropertyConversion("Dog", "age", to: .string))
        let snapshot = try record.store.snapshot()
        #expect(snapshot.historyStart > version && snapshot.version == record.store.version)
        try record.write(ann, create(dog(77), ("age", .string("new"))))
        #expect(try record.store.snapshot().history(after: snapshot.version, for: bob).births.count == 1)
    }

    @Test("what cannot be converted is refused, and nothing changes")
    func refused() throws {
        let record = try Record.full(2)
        try record.addCounter("likes", to: "Dog")
        let (contents, commits) = (try record.contents(), try record.commits)
        for (name, property, type, word) in [
            ("Dog", "_id", .string, "primary key"), ("Dog", "friend", .string, "link"),
            ("Dog", "toys", .int, "collection"),
            ("Dog", "home", .mixed, "embedded"), ("Dog", "likes", .double, "counter"),
            ("Box", "labels", .int, "collection"),
            ("Box", "body", .mixed, "edits merge"), ("Reading", "value", .string, "one-way"),
            ("Dog", "age", .uuid, "no rule"),
            ("Dog", "age", .int, "already"), ("Cat", "age", .int, "no class"), ("#List", "elements", .int, "no class"),
        ] as [(String, String, PropertyType, String)] {
            let wanted = PropertyConversion(name, property, to: type)
            for attempt in [record.store.preview, record.store.convert] {
                let failure = #expect(throws: StoreFailure.self) { try attempt(wanted) }
                #expect(
                    failure?.code == .schemaMismatch && failure?.message.contains(word) == true, "\(name).\(property)")
            }
        }
        #expect(try record.contents() == contents && record.commits == commits)
    }
}
