import CausewayAtlas
import CausewayFiles
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

    @Test func `a property of another type in the file is refused with both types`() throws {
        imports.write(#"{"_id":1,"x":1}"#, to: "a.json")
        try imports.run("a.json")
        imports.write(#"{"_id":2,"x":"text"}"#, to: "a.json")
        #expect(try imports.failure("a.json").contains("'a.x' is stored with type int and wanted with string"))
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
