import CausewayAtlas
import CausewayFiles
import CausewaySeeds
import Foundation
import Testing

@Suite("Imports of documents")
struct AtlasImportTests {
    private let imports: Imports

    init() throws { imports = try Imports() }

    @Test func `a plan says what becomes of what, and writes nothing`() throws {
        imports.write(#"{"_id":1,"name":"a","to":{"$ref":"b","$id":2}}"#, to: "in/a.json")
        imports.write(#"{"_id":2,"list":[1]}"#, to: "in/b.jsonl.gz")
        let before = imports.names
        let plan = try AtlasImport(.mongoexport).plan(from: imports.file("in"))
        let path = imports.file("in")
        #expect(
            plan.text == """
                Collections
                    \(path)/b.jsonl.gz: class b, inferred from 1 document
                    \(path)/a.json: class a, inferred from 1 document

                a
                    _id: int primaryKey
                    name: string
                    to: b?

                b
                    _id: int primaryKey
                    list: list<int>
                """)
        #expect(imports.names == before)
    }

    @Test func `links lead forward, backward, in circles and from mixed values`() throws {
        imports.write(
            #"{"_id":1,"next":{"$ref":"a","$id":2},"b":{"$ref":"b","$id":1},"any":{"$ref":"b","$id":1}}"#
                + #"{"_id":2,"next":{"$ref":"a","$id":1},"b":null,"any":[{"$ref":"a","$id":2},5,{"x":{"$ref":"none","$id":1}}]}"#,
            to: "in/a.json")
        imports.write(
            #"{"_id":1,"all":[{"$ref":"a","$id":2,"$db":"in"},{"$ref":"a","$id":9},{"$ref":"a","$id":1}]}"#,
            to: "in/b.json")
        let report = try imports.run("in")
        #expect(
            try imports.lines() == [
                #"{"class":"a","object":{"_id":1,"next":{"$ref":"a","$id":2},"b":{"$ref":"b","$id":1},"any":{"$ref":"b","$id":1}}}"#,
                #"{"class":"a","object":{"_id":2,"next":{"$ref":"a","$id":1},"b":null,"any":[{"$ref":"a","$id":2},5,{"x":null}]}}"#,
                #"{"class":"b","object":{"_id":1,"all":[{"$ref":"a","$id":2},{"$ref":"a","$id":1}]}}"#,
            ])
        #expect(report.losses.values.map(\.count).sorted() == [1, 1])
        #expect(report.text.contains("Document 1 of '\(imports.file("in"))/b.json', at byte 0"))
    }

    @Test func `objects that are there already fail, stay, or are replaced`() throws {
        imports.write(#"{"_id":1,"name":"old","list":[1]}"#, to: "a.json")
        try imports.run("a.json")
        imports.write(
            #"{"_id":2,"name":"new","list":[],"up":{"$ref":"a","$id":1}}{"_id":1,"name":"later","list":[2,3],"up":{"$ref":"a","$id":2}}"#,
            to: "a.json")
        #expect(try imports.failure("a.json").contains("Document 2 of"))
        #expect(try imports.failure("a.json").contains("is in the file already"))
        let skipped = try imports.run("a.json", .mongoexport, AtlasImport(.mongoexport, existing: .skip))
        #expect(skipped.text == "Documents: 2 read\nObjects: 1 created, 1 left as they were")
        #expect(
            try imports.lines() == [
                #"{"class":"a","object":{"_id":1,"name":"old","list":[1],"up":null}}"#,
                #"{"class":"a","object":{"_id":2,"name":"new","list":[],"up":{"$ref":"a","$id":1}}}"#,
            ])
        let replaced = try imports.run("a.json", .mongoexport, AtlasImport(.mongoexport, existing: .replace))
        #expect(replaced.text == "Documents: 2 read\nObjects: 0 created, 2 replaced")
        #expect(
            try imports.lines()[0]
                == #"{"class":"a","object":{"_id":1,"name":"later","list":[2,3],"up":{"$ref":"a","$id":2}}}"#)
        imports.write(#"{"_id":1,"name":"a","list":[1]}{"_id":1,"name":"b","list":[1]}"#, to: "a.json")
        let twice = try imports.failure("a.json", .mongoexport, AtlasImport(.mongoexport, existing: .replace))
        #expect(twice.contains("in the import twice"))
    }

    @Test func `what the file's classes say counts, and what they cannot hold is told`() throws {
        imports.write(#"{"_id":1,"x":1,"t":"text","n":null,"to":{"$ref":"a","$id":1},"in":{"p":1}}"#, to: "a.json")
        try imports.run("a.json")
        let before = try imports.schema()
        // Inferred alone, each field would have another type or would be optional otherwise, and 'to' no link.
        imports.write(#"{"_id":2,"x":2.0,"n":"now","to":1,"in":{}}"#, to: "a.json")
        let plan = try AtlasImport(.mongoexport).plan(from: imports.file("a.json"), for: imports.file("file"))
        #expect(plan.text.contains("inferred from 1 document, in the file already"))
        #expect(plan.text.contains("'a.x' stays int, as it is in the file. The documents would make it double."))
        imports.write(#"{"_id":2,"x":2.0,"n":7,"to":1,"in":{"p":2}}"#, to: "b.json")
        let report = try imports.run("b.json", .mongoexport, AtlasImport(.mongoexport, className: "a", unmapped: .null))
        #expect(report.losses.keys.sorted() == ["'a.t' is missing, and cannot be null"])
        #expect(try imports.schema() == before)
        #expect(
            try imports.lines().last
                == #"{"class":"a","object":{"_id":2,"x":2,"t":"","n":7,"to":{"$ref":"a","$id":1},"in":{"p":2}}}"#)
        imports.write(#"{"_id":3,"x":"text","t":"","n":null}"#, to: "a.json")
        #expect(try imports.failure("a.json").contains("'a.x' has the type int, and the document has a string"))
        imports.write(#"{"_id":"k","x":1,"t":""}"#, to: "a.json")
        #expect(try imports.failure("a.json").contains("its '_id' is a string, and the primary key has the type int"))
        imports.write(#"{"_id":4}"#, to: "b.json")
        let other = try AtlasImport(.mongoexport).plan(from: imports.file("b.json"), for: imports.file("file"))
        #expect(other.text.contains("class b, inferred from 1 document, new in the file"))
    }

    @Test func `each collection is counted where there are several`() throws {
        imports.write(#"{"_id":1}{"_id":2}"#, to: "in/a.json")
        imports.write(#"{"_id":1}"#, to: "in/b.json")
        #expect(
            try imports.run("in").text == """
                Documents: 3 read
                    a: 2 read, 2 created
                    b: 1 read, 1 created
                Objects: 3 created
                """)
    }

    private static let seeds = SeedList.drawn(for: "replaced-documents", count: 20)

    @Test("documents that replace objects make what they make in a new file", arguments: seeds)
    func replacing(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let values = [
            "1", "-7", "2.5", #""text""#, #""""#, "true", "null", "[]", #"[1,"x",null]"#, "{}", #"{"k":[{"l":2}]}"#,
            #"{"$date":1500}"#, #"{"$oid":"0123456789abcdef01234567"}"#, #"{"$ref":"a","$id":1}"#,
            #"{"$ref":"a","$id":3}"#,
            #"{"$numberDecimal":"1.50"}"#, #"[{"$ref":"a","$id":2}]"#, #"{"$binary":{"base64":"AQID","subType":"00"}}"#,
        ]
        // Each field has one kind of values in all documents, or any.
        let fields = (0..<6).map { field -> (String, [String]) in
            ("f\(field)", random.once(in: 2) ? values : [random.one(of: values), random.one(of: values)])
        }
        func documents() -> String {
            (1...4).map { id in
                let members = fields.compactMap { name, values in
                    random.once(in: 5) ? nil : "\"\(name)\":\(random.one(of: values))"
                }
                return "{" + (["\"_id\":\(id)"] + members).joined(separator: ",") + "}"
            }.joined(separator: "\n")
        }
        let (first, second) = (documents(), documents())
        // The same documents make the class in both files, so that it does not depend on which come first.
        let shape = first.replacing("{\"_id\":", with: "{\"_id\":1") + second.replacing("{\"_id\":", with: "{\"_id\":2")
        imports.write(shape, to: "shape.json")
        imports.write(first, to: "first.json")
        imports.write(second, to: "second.json")
        let plain = AtlasImport(.mongoexport, className: "a", unmapped: .null)
        let replacing = AtlasImport(.mongoexport, className: "a", existing: .replace, unmapped: .null)
        for name in ["new", "old"] { try imports.run("shape.json", .mongoexport, plain, to: name) }
        try imports.run("first.json", .mongoexport, plain, to: "old")
        let report = try imports.run("second.json", .mongoexport, replacing, to: "old")
        #expect(report.text.hasPrefix("Documents: 4 read\nObjects: 0 created, 4 replaced"))
        try imports.run("second.json", .mongoexport, plain, to: "new")
        #expect(try imports.lines("old") == imports.lines("new"))
    }

    @Test func `what a DBRef has beside its link is counted`() throws {
        imports.write(#"{"_id":1,"to":{"$ref":"a","$id":1,"$db":"d","since":5,"by":"x"}}"#, to: "a.json")
        let report = try imports.run("a.json")
        #expect(
            report.losses.mapValues(\.count) == ["'a.to': fields of a DBRef beside $ref, $id and $db are left out": 2]
        )
        #expect(try imports.lines() == [#"{"class":"a","object":{"_id":1,"to":{"$ref":"a","$id":1}}}"#])
    }

    @Test func `pipes are refused, and hidden files, folders and what mongodump notes are passed over`() throws {
        #expect(mkfifo(imports.file("pipe.json"), 0o600) == 0)
        #expect(try imports.failure("pipe.json").contains("no file that can be read more than once"))
        imports.write("{}", to: "in/a.metadata.json.gz")
        imports.write("{}", to: "in/.hidden.json")
        imports.write(#"{"_id":1}"#, to: "in/.git/c.json")
        imports.write("{}", to: "in/folder.json/b.json")
        imports.write(#"{"_id":1}"#, to: "in/a.json")
        #expect(try imports.run("in").documents == 2)
    }

    @Test func `many nested documents have a bound of classes, and are read in time`() throws {
        let fields = (0..<1_000).map { field in
            "\"f\(field)\":{" + (0..<20).map { #""g\#($0)":{"h":1}"# }.joined(separator: ",") + "}"
        }
        imports.write("{\"_id\":1,\(fields.joined(separator: ","))}", to: "a.json")
        try imports.run("a.json")
        #expect(try imports.schema().components(separatedBy: "(embedded)").count - 1 == 1_000)
        #expect(try imports.lines()[0].contains(#""f999":{"g0":{"h":1},"g1":{"h":1}"#))
        let name = String(repeating: "n", count: 5_000)
        let deep = (0..<80).reduce("1") { inner, _ in "{\"\(name)\":\(inner)}" }
        imports.write("{\"_id\":1,\"top\":\(deep)}", to: "b.json")
        let plan = try AtlasImport(.mongoexport).plan(from: imports.file("b.json"))
        #expect(plan.text.utf8.count < 500_000)
    }

    @Test func `primary keys that are too long are told`() throws {
        imports.write(#"{"_id":"\#(String(repeating: "k", count: 100_000))"}"#, to: "a.json")
        #expect(try imports.failure("a.json").contains("A primary key of class 'a' has more than"))
    }

    @Test func `paths and classes that cannot be are told`() throws {
        #expect(try imports.failure("none.json").contains("There is no"))
        imports.write("", to: "empty/readme.txt")
        #expect(try imports.failure("empty").contains("0 collections as mongoexport"))
        imports.write("", to: "in/a.json")
        imports.write("", to: "in/b.json")
        #expect(
            try imports.failure("in", .mongoexport, AtlasImport(.mongoexport, className: "C")).contains(
                "--class names one"))
        imports.write("", to: "dump/one/a.json")
        imports.write("", to: "dump/two/a.json")
        #expect(try imports.failure("dump").contains("a second collection for class 'a'"))
        let hidden = AtlasImport(.mongoexport, className: "#List")
        #expect(try imports.failure("in/a.json", .mongoexport, hidden).contains("no name for a class"))
    }
}
