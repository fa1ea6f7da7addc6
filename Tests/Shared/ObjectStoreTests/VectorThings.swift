import CausewayMerge
import CausewayModel
import CausewayQuery
import CausewayStorage
import Testing

@testable import CausewayObjectStore

/// What the vectors from format 2 on hold: every type, every collection, links of all kinds, indexes, deleted objects and
/// ghosts. Everything follows from the number of an object, so that it can be said again for ever.
struct VectorThings {
    static let count = 300

    static let schema = Schema([
        ClassSchema(
            name: "Thing",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true),
                Property(name: "name", type: .string, isOptional: true, isIndexed: true),
                Property(name: "note", type: .string, isOptional: true, isFullTextIndexed: true),
                Property(name: "flag", type: .bool, isIndexed: true),
                Property(name: "ratio", type: .float),
                Property(name: "size", type: .double, isOptional: true),
                Property(name: "data", type: .data),
                Property(name: "date", type: .date, isIndexed: true),
                Property(name: "oid", type: .objectId, isOptional: true, isIndexed: true),
                Property(name: "uuid", type: .uuid),
                Property(name: "price", type: .decimal128, isOptional: true),
                Property(name: "any", type: .mixed, isIndexed: true),
                Property(name: "other", type: .object, isOptional: true, target: "Thing"),
                Property(name: "part", type: .object, isOptional: true, target: "Part"),
                Property(name: "tags", type: .string, collection: .set),
                Property(name: "marks", type: .mixed, collection: .set),
                Property(name: "rivals", type: .object, collection: .set, target: "Thing"),
                Property(name: "scores", type: .double, collection: .map),
                Property(name: "allies", type: .object, collection: .map, isOptional: true, target: "Thing"),
                Property(name: "numbers", type: .int, collection: .list),
                Property(name: "anys", type: .mixed, collection: .list),
                Property(name: "prices", type: .decimal128, collection: .list),
            ]),
        ClassSchema(name: "Part", kind: .embedded, properties: [Property(name: "place", type: .string)]),
    ])

    static func id(_ number: Int) -> Int64 { Int64(number) * 3 - 50 }

    /// Things that nothing links to; two of three of them are ghosts in the end.
    static func isDeleted(_ number: Int) -> Bool { number % 7 == 3 && number > 20 }

    /// One that stays.
    static func linked(_ number: Int) -> Int { number % 40 * 7 }

    static let words = ["red", "Blaue", "größer", "CAFÉ", "x-ray", "日本"]

    static func value(_ number: Int, _ column: Int) -> Value {
        switch column {
        case 0: .int(id(number))
        case 1:
            number % 11 == 0
                ? .null : .string(number == 5 ? String(repeating: "long", count: 60) : "name \(number % 13)")
        case 2:
            number % 13 == 0 ? .null : .string("\(words[number % 6]), \(words[number % 5]) number \(number % 30)!")
        case 3: .bool(number % 3 == 0)
        case 4: .float(Float(number) / 8)
        case 5: number % 9 == 0 ? .null : .double(Double(number) / 4)
        case 6: .bytes([UInt8(number % 256), 0, 255])
        case 7: .timestamp(Timestamp(seconds: Int64(number % 20) * 1000, nanoseconds: 5))
        case 8: number % 8 == 0 ? .null : .objectId(ObjectIdentifier12(high: UInt64(number % 12), low: 7))
        case 9: .uuid(UUID16(high: UInt64(number) << 40, low: 9))
        case 10: number % 10 == 0 ? .null : .decimal(DecimalNumber("\(number % 25).50") ?? .zero)
        case 11: any(number)
        case 12: number % 4 == 0 ? .null : .link(.int(id(linked(number))))
        default: .null
        }
    }

    static func any(_ number: Int) -> Value {
        switch number % 10 {
        case 0: .null
        case 1: .bool(number % 20 == 1)
        case 2: .int(Int64(number % 6))
        case 3: .double(Double(number % 6))
        case 4: .string("any \(number % 3)")
        case 5: .decimal(DecimalNumber("\(number % 6).0") ?? .zero)
        case 6: .anyLink(ClassedLink("Thing", .int(id(linked(number)))))
        // Nobody has created these.
        case 7: .anyLink(ClassedLink("Thing", .int(100_000 + Int64(number % 3))))
        case 8: .bytes(Array("any \(number % 3)".utf8))
        default: .timestamp(Timestamp(seconds: Int64(number % 4), nanoseconds: 0))
        }
    }

    static func elements(_ number: Int, _ column: Int) -> [Value] {
        switch column {
        case 14: ["a\(number % 3)", "b", "c\(number % 5)"].map { .string($0) }
        case 15: [.int(Int64(number % 4)), .decimal(DecimalNumber("0.5") ?? .zero), .string("x")]
        case 16: number % 2 == 0 ? [] : [.link(.int(id(linked(number))))]
        case 17: (0..<number % 4).map { .double(Double($0) + 0.5) }
        case 18: number % 5 == 0 ? [.link(.int(id(linked(number)))), .null] : []
        // Short ones, and some in many chunks.
        case 19: (0..<(number % 100 == 10 ? 3000 : number % 5)).map { .int(Int64($0 * number)) }
        case 20: [any(number), .string("é"), .null]
        case 21: number % 6 == 0 ? [.decimal(DecimalNumber("1.10") ?? .zero), .decimal(.infinity)] : []
        default: []
        }
    }

    static func keys(_ number: Int, _ column: Int) -> [String] {
        elements(number, column).indices.map { "key \($0)" }
    }

    // MARK: - Writing

    static func write(to transaction: Transaction) throws {
        try transaction.extendSchema(schema)
        let things = try transaction.existing("Thing")
        let parts = try transaction.existing("Part")
        for number in 0..<count {
            var row = (0..<22).map { isLink(value(number, $0)) ? .null : value(number, $0) }
            if number % 10 == 2 {
                let id = PrimaryKey.container(ElementID(client: ClientID(77), counter: UInt64(number)))
                row[13] = .object(try parts.create(id, row: [.string("place \(number)")]))
            }
            _ = try things.create(.int(id(number)), row: row)
        }
        for number in 0..<count {
            let key = ObjectKey(Int64(number))
            for column in 11...12 where isLink(value(number, column)) { things.set(key, column, value(number, column)) }
            for column in 14..<22 {
                let elements = elements(number, column)
                switch schema["Thing"]?.properties[column].collection {
                case .set: for element in elements { things.setInsert(key, column, element) }
                case .map: things.mapReplace(key, column, Array(zip(keys(number, column), elements)).map { ($0, $1) })
                default: things.listReplace(key, column, elements)
                }
            }
        }
        for number in 0..<count where isDeleted(number) { things.delete(ObjectKey(Int64(number)), leavingGhost: true) }
    }

    /// What format 5 is for: values of 3, 4,096, 4,097 and 10,000 bytes.
    static let texts = [3, 4096, 4097, 10_000].map { String(String(repeating: "long", count: 2_500).prefix($0)) }

    static func writeTexts(to transaction: Transaction) throws {
        try transaction.extendSchema(
            Schema([ClassSchema(name: "Note", properties: [Property(name: "text", type: .string)])]))
        let notes = try transaction.existing("Note")
        for text in texts { notes.set(try notes.create(nil), 0, .string(text)) }
    }

    static func expectTexts(_ transaction: Transaction) throws {
        let notes = try transaction.existing("Note")
        #expect(notes.allKeys.map { notes.value($0, 0) } == texts.map { .string($0) })
        #expect(transaction.reader.count(tree: FixedTree.longValues, from: [], upTo: nil) == 2)
    }

    /// A text that is long, and edited in its middle.
    static let edited = String(texts[3].prefix(5_000)) + "größer" + String(texts[3].dropFirst(5_000))

    static func writeEdited(to transaction: Transaction) throws {
        try transaction.extendSchema(
            Schema([
                ClassSchema(name: "Essay", properties: [Property(name: "body", type: .string, isText: true)])
            ]))
        let essays = try transaction.existing("Essay")
        let key = try essays.create(nil)
        essays.edit(key, text: 0, .insert(texts[3], at: 0))
        essays.edit(key, text: 0, .insert("größer", at: 5_000))
    }

    static func expectEdited(_ transaction: Transaction) throws {
        let essays = try transaction.existing("Essay")
        #expect(essays.allKeys.map { essays.value($0, 0) } == [.string(edited)])
        #expect(essays.text(ObjectKey(0), 0, in: 4_998..<5_008) == "nggrößerlo")
        // The head and four chunks.
        #expect(transaction.reader.count(tree: FixedTree.longValues, from: [], upTo: nil) == 2 + 5)
    }

    private static func isLink(_ value: Value) -> Bool {
        switch value {
        case .link, .anyLink: true
        default: false
        }
    }

    // MARK: - Reading

    static func expect(_ transaction: Transaction) throws {
        let things = try transaction.existing("Thing")
        let alive = (0..<count).filter { !isDeleted($0) }
        #expect(things.allKeys == alive.map { ObjectKey(Int64($0)) })
        for number in alive {
            let key = ObjectKey(Int64(number))
            #expect(things.key(for: .int(id(number))) == key)
            for column in 0..<13 {
                let found = transaction.travelling(things.value(key, column))
                #expect(linkless(found, things) == value(number, column), "\(number), \(column)")
            }
            for column in 14..<22 {
                var expected = elements(number, column)
                if column < 17 { expected.sort(by: Value.canonicallyPrecedes) }
                let found = things.listValues(key, column).map { linkless(transaction.travelling($0), things) }
                #expect(found == expected, "\(number), \(column)")
                if column == 17 || column == 18 { #expect(things.mapKeys(key, column) == keys(number, column)) }
            }
            let part = things.value(key, 13)
            #expect(part.isNull == (number % 10 != 2))
            if case .object(let part) = part {
                #expect(try transaction.existing("Part").value(part, 0) == .string("place \(number)"))
            }
        }
        for id in Int64(100_000)..<100_003 {
            let ghost = try #require(things.keyOrGhost(for: .int(id)))
            #expect(!things.exists(ghost))
        }
        try expectQueries(transaction, alive)
    }

    private static func linkless(_ value: Value, _ things: Table) -> Value {
        guard case .object(let key) = value, let primaryKey = things.primaryKey(of: key) else { return value }
        return .link(primaryKey)
    }

    /// As queries compare: by what a number says, however it is written.
    private static func isNumber(_ value: Value, _ number: Int64) -> Bool {
        switch value {
        case .int(let value): value == number
        case .double(let value): value == Double(number)
        case .decimal(let value): value == DecimalNumber(number)
        default: false
        }
    }

    private static func expectQueries(_ transaction: Transaction, _ alive: [Int]) throws {
        func expect(_ text: String, _ isExpected: (Int) -> Bool) throws {
            let predicate = try Predicate.parse(text).bound(to: "Thing", in: transaction.schema)
            let expected = alive.filter(isExpected).map { ObjectKey(Int64($0)) }
            #expect(try transaction.keys("Thing", matching: predicate) == expected, "\(text)")
            #expect(try transaction.count("Thing", matching: predicate) == expected.count, "\(text)")
        }
        try expect("name == 'name 4'") { value($0, 1) == .string("name 4") }
        try expect("name == nil") { value($0, 1).isNull }
        try expect("name BEGINSWITH 'longlong'") { $0 == 5 }
        try expect("flag == true") { $0 % 3 == 0 }
        try expect("date < T3000:5") { $0 % 20 < 3 }
        try expect("price >= 20") { $0 % 10 != 0 && $0 % 25 >= 20 }
        try expect("`any` == 3") { isNumber(any($0), 3) }
        try expect("`any` == true") { any($0) == .bool(true) || isNumber(any($0), 1) }
        try expect("`any` == 'any 2'") { any($0) == .string("any 2") || any($0) == .bytes(Array("any 2".utf8)) }
        try expect("`any` == link('Thing', 100001)") {
            any($0) == .anyLink(ClassedLink("Thing", .int(100_001)))
        }
        try expect("`any` == nil") { any($0).isNull }
        try expect("note TEXT 'grosser*'") { _ in false }
        try expect("note TEXT 'größer number'") { $0 % 13 != 0 && ($0 % 6 == 2 || $0 % 5 == 2) }
        try expect("note TEXT 'cafe -red 1*'") { number in
            let isCafé = number % 6 == 3 || number % 5 == 3
            let isRed = number % 6 == 0 || number % 5 == 0
            return number % 13 != 0 && isCafé && !isRed && "\(number % 30)".hasPrefix("1")
        }
        try expect("ANY tags == 'c4'") { $0 % 5 == 4 }
        try expect("scores['key 2'] == 2.5") { $0 % 4 == 3 }
        try expect("@links.Thing.other.@count > 0") { target in
            (0..<count).contains { $0 % 4 != 0 && !isDeleted($0) && linked($0) == target }
        }
    }
}
