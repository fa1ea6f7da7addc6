import CausewayAtlas
import CausewayFiles
import CausewaySeeds
import Testing

@Suite("Documents as BSON")
struct BSONTests {
    private static let seeds = SeedList.drawn(for: "damaged-bson", count: 4)
    private static let damagesPerSeed = 150
    private static let id: [UInt8] = [0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB]
    private static let uuid: [UInt8] = id + [0xCC, 0xDD, 0xEE, 0xFF]

    /// A document with a value of every type that has a counterpart.
    private static let everything = BSONWriter.document { bson in
        bson.objectId("_id", id)
        bson.double("double", 1.5)
        bson.string("string", "tëxt")
        bson.document("part") { $0.string("street", "Main") }
        bson.array("list") { list in
            list.int32("0", 1)
            list.int64("1", 1 << 40)
        }
        bson.binary("data", 0x00, [1, 2, 3])
        bson.binary("old", 0x02, [3, 0, 0, 0, 1, 2, 3])
        bson.binary("uuid", 0x04, uuid)
        bson.bool("bool", true)
        bson.date("date", -1_500)
        bson.null("null")
        bson.int32("int", -12)
        bson.int64("long", .max)
        bson.decimal("decimal", high: 0x303C << 48, low: 150)
        bson.array("mixed") { list in
            list.string("0", "a")
            list.array("1") { $0.bool("0", false) }
            list.document("2") { $0.null("x") }
        }
    }

    private let imports: Imports

    init() throws { imports = try Imports() }

    @Test(arguments: [false, true]) func `values of every type`(_ isPacked: Bool) throws {
        imports.write(isPacked ? Gzip.packed(Self.everything) : Self.everything, to: isPacked ? "a.bson.gz" : "a.bson")
        try imports.run(isPacked ? "a.bson.gz" : "a.bson", .bson)
        #expect(
            try imports.schema() == """
                a
                    _id: objectId primaryKey
                    double: double
                    string: string
                    part: a_part?
                    list: list<int>
                    data: data
                    old: data
                    uuid: uuid
                    bool: bool
                    date: date
                    null: mixed?
                    int: int
                    long: int
                    decimal: decimal128
                    mixed: list<mixed?>

                a_part (embedded)
                    street: string
                """)
        #expect(
            try imports.lines() == [
                #"{"class":"a","object":{"_id":{"$oid":"00112233445566778899aabb"},"double":1.5,"string":"tëxt","#
                    + #""part":{"street":"Main"},"list":[1,1099511627776],"data":{"$binary":{"base64":"AQID","subType":"00"}},"#
                    + #""old":{"$binary":{"base64":"AQID","subType":"00"}},"uuid":{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"},"#
                    + #""bool":true,"date":{"$date":"1969-12-31T23:59:58.5Z"},"null":null,"int":-12,"#
                    + #""long":{"$numberLong":"9223372036854775807"},"decimal":{"$numberDecimal":"1.50"},"mixed":["a",[false],{"x":null}]}}"#
            ])
    }

    @Test func `types without a counterpart are skipped over with their content`() throws {
        let document = BSONWriter.document { bson in
            bson.int32("_id", 1)
            bson.put(0x06, "a", [])
            bson.put(0x0B, "b", [0x61, 0, 0x69, 0])
            bson.put(0x0C, "c", BSONWriter.string("x") + Self.id)
            bson.put(0x0D, "d", BSONWriter.string("f()"))
            bson.put(0x0E, "e", BSONWriter.string("s"))
            let scope = BSONWriter.string("f()") + BSONWriter().document
            bson.put(0x0F, "f", BSONWriter.little(UInt32(scope.count + 4)) + scope)
            bson.put(0x11, "g", [0, 0, 0, 0, 0, 0, 0, 0])
            bson.put(0xFF, "h", [])
            bson.put(0x7F, "i", [])
            bson.int32("last", 7)
        }
        imports.write(document, to: "a.bson")
        let report = try imports.run("a.bson", .bson, AtlasImport(.bson, unmapped: .null))
        #expect(report.losses.values.reduce(0) { $0 + $1.count } == 9)
        #expect(try imports.lines().first?.hasSuffix(#""i":null,"last":7}}"#) == true)
    }

    @Test func `every cut of a document is told, and nothing is written`() throws {
        let first = BSONWriter.document { $0.int32("_id", 1) }
        for count in 1..<Self.everything.count {
            imports.write(first + Self.everything.prefix(count), to: "a.bson")
            let message = try imports.failure("a.bson", .bson)
            #expect(message.hasPrefix("Document 2 of"), "\(count): \(message)")
        }
    }

    @Test func `every cut of a nested document whose outer lengths are right is told`() throws {
        let inner = BSONWriter.document { bson in
            bson.string("a", "text")
            bson.binary("b", 0, [1, 2])
            bson.array("c") { $0.date("0", 1) }
        }
        for count in 0..<inner.count {
            imports.write(BSONWriter.document { $0.put(0x03, "x", Array(inner.prefix(count))) }, to: "a.bson")
            #expect(try imports.failure("a.bson", .bson).hasPrefix("Document 1 of"))
        }
    }

    @Test func `documents that nest too deeply, and types that are none, are told`() throws {
        var nested = BSONWriter().document
        for _ in 0..<101 {
            let inner = nested
            nested = BSONWriter.document { $0.put(0x03, "a", inner) }
        }
        imports.write(nested, to: "a.bson")
        #expect(try imports.failure("a.bson", .bson).contains("nest more than 100 deep"))
        imports.write(BSONWriter.document { $0.put(0x20, "a", []) }, to: "a.bson")
        #expect(try imports.failure("a.bson", .bson).contains("no type 32"))
        imports.write(BSONWriter.document { $0.put(0x08, "a", [2]) }, to: "a.bson")
        #expect(try imports.failure("a.bson", .bson).contains("neither true nor false"))
        imports.write(BSONWriter.document { $0.put(0x02, "a", [2, 0, 0, 0, 0xFF, 0]) }, to: "a.bson")
        #expect(try imports.failure("a.bson", .bson).contains("not UTF-8"))
        imports.write([0x6D, 0xE2, 0x99, 0x81, 0, 0, 0, 0], to: "a.bson")
        #expect(try imports.failure("a.bson", .bson).contains("without --archive"))
    }

    @Test(arguments: seeds) func `damaged documents are imported or told, and leave a sound file or none`(
        _ seed: UInt64
    ) throws {
        var numbers = SeededNumbers(seed: seed)
        var refused = 0
        for damage in 0..<Self.damagesPerSeed {
            var bytes = Self.everything
            for _ in 0...numbers.below(2) { bytes[numbers.below(bytes.count)] = UInt8(numbers.below(256)) }
            imports.write(bytes, to: "a.bson")
            do {
                try imports.run("a.bson", .bson, AtlasImport(.bson, unmapped: .null), to: "file\(damage)")
                #expect(try imports.lines("file\(damage)").count <= 1)
            } catch is FileFailure {
                refused += 1
                #expect(!imports.names.contains("file\(damage)"))
            }
        }
        #expect(refused > 0)
    }

    @Test func `gzip files of several members are read, and cut or damaged ones are told`() throws {
        let documents = (1...3).map { number in BSONWriter.document { $0.int32("_id", Int32(number)) } }
        imports.write(documents.flatMap { Gzip.packed($0) }, to: "a.bson.gz")
        #expect(try imports.run("a.bson.gz", .bson).created == 3)
        let packed = Gzip.packed(Self.everything)
        for count in 2..<packed.count {
            imports.write(Array(packed.prefix(count)), to: "b.bson.gz")
            let message = try imports.failure("b.bson.gz", .bson)
            #expect(message.contains("no whole gzip file"), "\(count): \(message)")
        }
    }

    @Test func `a dump's folder has its collections, and MongoDB's own are left out`() throws {
        imports.write(BSONWriter.document { $0.int32("_id", 1) }, to: "dump/shop/orders.bson")
        imports.write(BSONWriter.document { $0.int32("_id", 2) }, to: "dump/shop/old%2Forders.bson")
        imports.write("{}", to: "dump/shop/orders.metadata.json")
        imports.write(BSONWriter.document { $0.int32("v", 1) }, to: "dump/shop/system.views.bson")
        imports.write(BSONWriter.document { $0.int32("_id", 1) }, to: "dump/__realm_sync_64/history.bson")
        imports.write(BSONWriter.document { $0.int32("_id", 1) }, to: "dump/admin/roles.bson")
        let documents = AtlasImport(.bson)
        let plan = try documents.plan(from: imports.file("dump"))
        for name in ["'system.views'", "The database '__realm_sync_64'", "The database 'admin'"] {
            #expect(plan.text.contains("\(name) is left out: it is none of the app's."))
        }
        _ = try documents.run(plan, to: imports.file("file"), key: nil)
        #expect(
            try imports.lines() == [
                #"{"class":"old/orders","object":{"_id":2}}"#, #"{"class":"orders","object":{"_id":1}}"#,
            ])
    }
}
