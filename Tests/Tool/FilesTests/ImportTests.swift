import CausewayFiles
import CausewayFolders
import CausewayModel
import CausewayObjectStore
import Testing

@Suite("Imports")
struct ImportTests {
    private static let header =
        #"{"causewayExport":1,"classes":[{"name":"Dog","kind":"object","properties":[{"name":"id","type":"int","primaryKey":true},"#
        + #"{"name":"name","type":"string"},{"name":"home","type":"object","target":"Home","optional":true}]},"#
        + #"{"name":"Home","kind":"object","properties":[{"name":"street","type":"string","optional":true},"#
        + #"{"name":"dogs","type":"object","target":"Dog","collection":"set"},"#
        + #"{"name":"things","type":"mixed","collection":"map","optional":true}]}]}"#

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(waitsForDisk: false)
    }

    private func write(_ lines: [String], header: String = Self.header) {
        folder.write(Array(([header] + lines).joined(separator: "\n").utf8), to: "export")
    }

    @discardableResult
    private func run(
        _ lines: [String], header: String = Self.header, _ options: ObjectImport? = nil,
        to name: String = "file"
    ) throws -> ObjectImport.Report {
        write(lines, header: header)
        return try (try options ?? ObjectImport()).run(from: folder.file("export"), to: folder.file(name), key: nil)
    }

    /// The message with which an import fails. No new file is left of it.
    private func failure(
        _ lines: [String], header: String = Self.header, _ options: ObjectImport? = nil
    ) throws -> String {
        let names = folder.names.filter { $0 != "export" }.sorted()
        let before = names.contains("file") ? try Exports.lines(folder.file("file")) : nil
        let failure = try #require(throws: FileFailure.self) { try run(lines, header: header, options) }
        #expect(
            folder.names.filter { $0 != "export" && $0 != "file-lock" }.sorted() == names.filter { $0 != "file-lock" })
        if let before { #expect(try Exports.lines(folder.file("file")) == before) }
        #expect(failure.description.hasSuffix(" Nothing was imported."))
        return failure.description
    }

    @Test func `links may lead forward, and what is left out is zero`() throws {
        let report = try run([
            #"{"class":"Dog","object":{"id":1,"home":{"$ref":"Home","$number":7}}}"#, "",
            #"{"class":"Home","number":7,"object":{"dogs":[{"$ref":"Dog","$id":2}],"things":{"a":{"$ref":"Dog","$id":1}}}}"#,
            #"{"class":"Dog","object":{"id":2,"name":"Rex"}}"#,
            #"{"class":"Home","object":{}}"#,
        ])
        #expect(report.text == "Objects: 4 created")
        #expect(
            try Exports.lines(folder.file("file")).dropFirst() == [
                #"{"class":"Dog","object":{"id":1,"name":"","home":{"$ref":"Home","$number":0}}}"#,
                #"{"class":"Dog","object":{"id":2,"name":"Rex","home":null}}"#,
                #"{"class":"Home","number":0,"object":{"street":null,"dogs":[{"$ref":"Dog","$id":2}],"things":{"a":"#
                    + #"{"$ref":"Dog","$id":1}}}}"#,
                #"{"class":"Home","number":1,"object":{"street":null,"dogs":[],"things":{}}}"#,
            ])
    }

    @Test(arguments: [
        (
            #"{"class":"Dog","object":{"id":"1"}}"#, "Line 2 of",
            "'Dog.id' has another form than its type. Expected: a whole number"
        ),
        (#"{"class":"Dog","object":{"id":1,"name":null}}"#, "Line 2 of", "Expected: a string."),
        (#"{"class":"Dog","object":{"name":"a"}}"#, "Line 2 of", "no 'id', which is its primary key"),
        (#"{"class":"Dog","object":{"id":1,"age":2}}"#, "Line 2 of", "no property 'age'"),
        (#"{"class":"Cat","object":{}}"#, "Line 2 of", "no class 'Cat'"),
        (#"{"class":"Dog","object":{"id":1}"#, "Line 2 of", "not JSON at byte"),
        (#"{"class":"Dog"}"#, "Line 2 of", "It is no object"),
        (#"{"class":"Home","number":-1,"object":{}}"#, "Line 2 of", "Its number is not one"),
        (#"{"class":"Dog","number":1,"object":{"id":1}}"#, "Line 2 of", "class 'Dog' has a primary key"),
        (
            #"{"class":"Home","object":{"dogs":{}}}"#, "Line 2 of",
            "'Home.dogs' has another form than its type. Expected: an array."
        ),
        (#"{"class":"Home","object":{"dogs":[null]}}"#, "Line 2 of", "'Home.dogs'"),
        (#"{"class":"Home","object":{"dogs":[{"$ref":"Home","$number":0}]}}"#, "Line 2 of", "a link to class 'Dog'"),
        (#"{"class":"Home","object":{"things":{"$x":1}}}"#, "Line 2 of", "$map"),
        (#"{"class":"Home","object":{"dogs":[{"$ref":"Dog","$id":3}]}}"#, "Line 2 of", "links to 3 of class 'Dog'"),
        (
            #"{"class":"Dog","object":{"id":1,"home":{"$ref":"Home","$number":3}}}"#, "Line 2 of",
            "neither in the export"
        ),
    ])
    func `a line that cannot be read is named, with what is expected`(_ line: String, _ place: String, _ words: String)
        throws
    {
        let message = try failure([line])
        #expect(message.hasPrefix(place))
        #expect(message.contains(words))
    }

    @Test func `objects that come twice are refused, by key and by number`() throws {
        let dog = #"{"class":"Dog","object":{"id":1}}"#
        #expect(try failure([dog, dog]).contains("has the object 1 of class 'Dog' twice"))
        let home = #"{"class":"Home","number":4,"object":{}}"#
        #expect(try failure([home, home]).contains("have the number 4"))
    }

    @Test func `an export that was cut off is refused`() throws {
        let header = Self.header.replacing("\"classes\"", with: "\"objects\":2,\"classes\"")
        let message = try failure([#"{"class":"Dog","object":{"id":1}}"#], header: header)
        #expect(message.contains("tells 2 objects, and 1 follow"))
    }

    @Test(arguments: [
        ("[]", "no header"), (#"{"causewayExport":2}"#, "format 2"), (#"{"causewayExport":1}"#, "no list"),
        (##"{"causewayExport":1,"classes":[{"name":"#List","kind":"embedded","properties":[]}]}"##, "the file's own"),
        (#"{"causewayExport":1,"classes":[{"name":"A","kind":"heap","properties":[]}]}"#, "kind of class 'A'"),
        (
            #"{"causewayExport":1,"classes":[{"name":"A","kind":"object","properties":[{"name":"b","type":"text"}]}]}"#,
            "type of 'A.b'"
        ),
        (
            #"{"causewayExport":1,"classes":[{"name":"A","kind":"object","properties":[{"name":"b","type":"object","target":"C"}]}]}"#,
            "'A.b' links to class 'C'"
        ),
        (
            #"{"causewayExport":1,"classes":[{"name":"A","kind":"object","properties":[]},{"name":"A","kind":"object","properties":[]}]}"#,
            "the class 'A' twice"
        ),
    ])
    func `a header that cannot be is refused`(_ header: String, _ words: String) throws {
        #expect(try failure([], header: header).contains(words))
    }

    @Test func `an existing file is extended, and a property of another type is refused with both types`() throws {
        try Files.makeHomes(folder.file("file"), dogs: 1)
        try run([#"{"class":"Home","object":{"things":{"a":[1,{"b":null}]}}}"#])
        let lines = try Exports.lines(folder.file("file"))
        #expect(
            lines.dropFirst(2) == [
                #"{"class":"Home","number":0,"object":{"street":"Main","dogs":[],"things":{}}}"#,
                #"{"class":"Home","number":1,"object":{"street":null,"dogs":[],"things":{"a":[1,{"b":null}]}}}"#,
            ])
        let other = Self.header.replacing(#"{"name":"name","type":"string"}"#, with: #"{"name":"name","type":"int"}"#)
        let message = try failure([], header: other)
        #expect(message.contains("'Dog.name' is stored with type string and wanted with int"))
    }

    @Test func `objects that are there already fail, stay, or are replaced`() throws {
        let old = [
            #"{"class":"Dog","object":{"id":1,"name":"Rex","home":{"$ref":"Home","$number":0}}}"#,
            #"{"class":"Home","number":0,"object":{"street":"Main"}}"#,
        ]
        let new = [
            #"{"class":"Dog","object":{"id":2,"name":"Two"}}"#,
            #"{"class":"Dog","object":{"id":1,"name":"Max"}}"#,
        ]
        try run(old)
        #expect(try failure(new).contains("Line 3 of"))
        #expect(try failure(new).contains("has the object 1 of class 'Dog' already"))
        try run(old, to: "other")
        #expect(try run(new, try ObjectImport(existing: .skip)).text == "Objects: 1 created, 1 left as they were")
        #expect(
            try Exports.lines(folder.file("file"))[1...2] == [
                #"{"class":"Dog","object":{"id":1,"name":"Rex","home":{"$ref":"Home","$number":0}}}"#,
                #"{"class":"Dog","object":{"id":2,"name":"Two","home":null}}"#,
            ])
        #expect(
            try run(new, try ObjectImport(existing: .replace), to: "other").text == "Objects: 1 created, 1 replaced")
        #expect(
            try Exports.lines(folder.file("other"))[1] == #"{"class":"Dog","object":{"id":1,"name":"Max","home":null}}"#
        )
        let twice = [new[1], new[1]]
        #expect(try failure(twice, try ObjectImport(existing: .replace)).contains("twice"))
    }

    @Test func `links to objects that are nowhere become null if that is asked for, and are counted`() throws {
        let report = try run(
            [
                #"{"class":"Dog","object":{"id":1,"home":{"$ref":"Home","$number":3}}}"#,
                #"{"class":"Home","object":{"dogs":[{"$ref":"Dog","$id":1},{"$ref":"Dog","$id":9}],"things":{"a":{"$ref":"X","$id":1}}}}"#,
            ], try ObjectImport(missingLinks: .null))
        #expect(report.missingLinks == 3)
        let lines = try Exports.lines(folder.file("file"))
        #expect(lines[1] == #"{"class":"Dog","object":{"id":1,"name":"","home":null}}"#)
        #expect(lines[2].contains(#""dogs":[{"$ref":"Dog","$id":1}],"things":{"a":null}"#))
    }

    @Test func `values that nest too deeply are refused`() throws {
        func nested(_ levels: Int) -> String {
            let value = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            return #"{"class":"Home","object":{"things":{"a":"# + value + "}}}"
        }
        try run([nested(100)])
        #expect(try Exports.lines(folder.file("file")).count == 2)
        #expect(try failure([nested(101)]).contains("more than 100 levels"))
        #expect(try failure([nested(100_000)]).contains("nest more than"))
    }

    @Test func `a line that is too long is refused`() throws {
        let line = #"{"class":"Home","object":{"street":""# + String(repeating: "x", count: 64 << 20) + #""}}"#
        let message = try failure([#"{"class":"Home","object":{}}"#, line])
        #expect(message.hasPrefix("Line 3 of"))
        #expect(message.contains("more than 67108864 bytes"))
    }

    @Test func `more objects than one transaction takes are imported into a new file`() throws {
        try Files.makeHomes(folder.file("source"), dogs: 25_000)
        let first = try Exports.write(folder.file("source"), to: folder.file("first"))
        let report = try ObjectImport().run(from: folder.file("first"), to: folder.file("target"), key: nil)
        #expect(report.created == 25_001)
        #expect(try Exports.write(folder.file("target"), to: folder.file("second")) == first)
    }

    @Test(arguments: ["server.meta", "sync.owner", "sync.state"])
    func `the files of devices that sync, and of servers, are no targets`(_ tree: String) throws {
        try Files.change(folder.file("file"), Files.homes) { transaction in
            transaction.tree(tree).put([1], [1])
        }
        // Nothing but the tree: a device's file that no app has opened yet.
        let expected = tree == "server.meta" ? "data API" : "Open it with the app once"
        #expect(try failure([#"{"class":"Dog","object":{"id":1}}"#]).contains(expected))
    }

    @Test func `what another import left is not touched`() throws {
        folder.write([1], to: "file.importing")
        write([])
        let failure = try #require(throws: FileFailure.self) {
            try ObjectImport().run(from: folder.file("export"), to: folder.file("file"), key: nil)
        }
        #expect(failure.description.contains("file.importing"))
        #expect(folder.read("file.importing") == [1])
    }
}
