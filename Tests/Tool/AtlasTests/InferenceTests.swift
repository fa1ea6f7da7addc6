import CausewayAtlas
import CausewayFiles
import Testing

@Suite("Classes inferred from documents")
struct InferenceTests {
    private let imports: Imports

    init() throws { imports = try Imports() }

    /// The types that values in one document each make.
    private static let types = [
        (["1", "2"], "int"), (["1", "2.5"], "double"), (["1", "null"], "int?"), ([#""a""#, "1"], "mixed?"),
        (["null"], "mixed?"), (["[]"], "list<mixed?>"), (["[1]", "[2]"], "list<int>"), (["[1]", "null"], "list<int>"),
        (["[1,null]"], "list<int?>"), ([#"[1,"a"]"#], "list<mixed?>"), (["[[1]]"], "list<mixed?>"),
        (["[1]", "1"], "mixed?"), ([#"{"b":1}"#], "a_x?"), ([#"[{"b":1}]"#], "list<a_x>"),
        ([#"[{"b":1},null]"#], "list<mixed?>"), ([#"{"b":1}"#, "1"], "mixed?"), (["{}"], "map<mixed?>"),
        ([#"{"$ref":"a","$id":1}"#], "a?"), ([#"[{"$ref":"a","$id":1}]"#], "list<a>"),
        ([#"{"$ref":"a","$id":1}"#, "1"], "mixed?"), ([#"{"$ref":"b","$id":1}"#], "mixed?"),
        ([#"{"$numberDecimal":"1"}"#, "1"], "mixed?"),
    ]

    @Test(arguments: types) func `the values of a field make its type`(_ values: [String], _ type: String) throws {
        let documents = values.enumerated().map { #"{"_id":\#($0 + 1),"x":\#($1)}"# }
        imports.write(documents.joined(separator: "\n"), to: "a.json")
        let report = try imports.run("a.json")
        #expect(report.created == values.count)
        #expect(try imports.schema().contains("\n    x: \(type)\n") || imports.schema().hasSuffix("\n    x: \(type)"))
        #expect(try imports.lines().count == values.count)
    }

    @Test func `a field that is missing somewhere is optional, and fields may come in any order`() throws {
        imports.write(
            #"{"_id":1,"a":1,"b":true,"c":"x"}{"c":"y","_id":2,"a":2}{"b":false,"a":3,"_id":3}"#, to: "things.json")
        try imports.run("things.json")
        #expect(try imports.schema() == "things\n    _id: int primaryKey\n    a: int\n    b: bool?\n    c: string?")
        #expect(
            try imports.lines() == [
                #"{"class":"things","object":{"_id":1,"a":1,"b":true,"c":"x"}}"#,
                #"{"class":"things","object":{"_id":2,"a":2,"b":null,"c":"y"}}"#,
                #"{"class":"things","object":{"_id":3,"a":3,"b":false,"c":null}}"#,
            ])
    }

    @Test func `documents inside of documents are embedded, and their classes have the names of the way to them`()
        throws
    {
        imports.write(
            #"{"_id":1,"home":{"street":"Main","at":{"x":1,"y":2.5}},"rooms":[{"size":1},{"size":2,"name":"b"}]}"#
                + #"{"_id":2,"home":null}"#, to: "people.json")
        try imports.run("people.json")
        #expect(
            try imports.schema() == """
                people
                    _id: int primaryKey
                    home: people_home?
                    rooms: list<people_rooms>

                people_home (embedded)
                    street: string
                    at: people_home_at?

                people_home_at (embedded)
                    x: int
                    y: double

                people_rooms (embedded)
                    size: int
                    name: string?
                """)
        #expect(
            try imports.lines() == [
                #"{"class":"people","object":{"_id":1,"home":{"street":"Main","at":{"x":1,"y":2.5}},"#
                    + #""rooms":[{"size":1,"name":null},{"size":2,"name":"b"}]}}"#,
                #"{"class":"people","object":{"_id":2,"home":null,"rooms":[]}}"#,
            ])
    }

    @Test func `documents in mixed values are dictionaries, and so are documents with very many names`() throws {
        let entries = (0...600).map { #""n\#($0)":\#($0)"# }.joined(separator: ",")
        imports.write(
            #"{"_id":1,"x":{"a":[1,{"b":null}],"$c":2},"many":{\#(entries)}}{"_id":2,"x":5,"many":{}}"#,
            to: "things.json")
        try imports.run("things.json")
        #expect(
            try imports.schema()
                == "things\n    _id: int primaryKey\n    x: mixed?\n    many: map<mixed?>")
        #expect(try imports.lines()[0].contains(#""x":{"$map":{"$c":2,"a":[1,{"b":null}]}},"many":{"n0":0,"n1":1,"#))
    }

    @Test func `whole numbers that no double holds are told where a field has doubles too`() throws {
        imports.write(#"{"_id":1,"x":9007199254740993}{"_id":2,"x":0.5}"#, to: "things.json")
        #expect(
            try imports.failure("things.json").contains("'things.x' has the type double, and the document has an int"))
    }

    @Test func `documents without _id make a class without a primary key`() throws {
        imports.write(#"{"a":1}{"a":1}"#, to: "things.json")
        try imports.run("things.json")
        #expect(try imports.lines().count == 2)
    }

    @Test(arguments: ["int", "string", "objectId", "uuid"]) func `primary keys of every type`(_ type: String) throws {
        let ids = [
            "int": #"{"$numberLong":"-5"}"#, "string": #""k""#, "objectId": #"{"$oid":"00112233445566778899aabb"}"#,
            "uuid": #"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#,
        ]
        let id = try #require(ids[type])
        imports.write(#"{"_id":\#(id),"to":{"$ref":"things","$id":\#(id)}}"#, to: "things.json")
        try imports.run("things.json")
        #expect(try imports.schema().hasPrefix("things\n    _id: \(type) primaryKey"))
        let plain = type == "int" ? "-5" : id
        #expect(
            try imports.lines() == [
                #"{"class":"things","object":{"_id":\#(plain),"to":{"$ref":"things","$id":\#(plain)}}}"#
            ])
    }

    @Test func `the class of one file may have another name`() throws {
        imports.write(#"{"_id":1}"#, to: "export.txt")
        try imports.run("export.txt", .mongoexport, AtlasImport(.mongoexport, className: "Thing"))
        #expect(try imports.lines() == [#"{"class":"Thing","object":{"_id":1}}"#])
    }

    @Test func `more documents than one transaction takes, in rows of whole and of partial leaves`() throws {
        let documents = (0..<61_234).map {
            #"{"_id":\#($0),"name":"number \#($0)","half":\#(Double($0) / 2),"tags":["\#($0 % 7)"],"up":{"$ref":"things","$id":\#(($0 + 1) % 61_234)}}"#
        }
        imports.write(documents.joined(separator: "\n"), to: "things.json")
        let report = try imports.run("things.json")
        #expect(report.text == "Documents: 61234 read\nObjects: 61234 created")
        let lines = try imports.lines()
        #expect(lines.count == 61_234)
        for number in [0, 999, 1_000, 9_999, 10_000, 50_000, 61_233] {
            let half = Double(number) / 2
            #expect(
                lines[number].contains(#""_id":\#(number),"name":"number \#(number)","half":\#(half)"#),
                "\(lines[number])")
            #expect(
                lines[number].contains(
                    #""tags":["\#(number % 7)"],"up":{"$ref":"things","$id":\#((number + 1) % 61_234)}"#))
        }
    }
}
