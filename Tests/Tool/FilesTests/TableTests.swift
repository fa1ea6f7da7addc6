import CausewayFiles
import CausewayFolders
import CausewayModel
import CausewayObjectStore
import Testing

@Suite("Exports and imports of tables")
struct TableTests {
    private static let generated = ["Counted", "Named", "Old", "Unique"]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(waitsForDisk: false)
    }

    private func table(_ name: String, of className: String) throws -> [UInt8] {
        try Exports.write(
            folder.file(name), to: folder.file("\(name).\(className).csv"), ObjectExport(.csv, classNames: [className]))
    }

    private func run(_ text: String, class className: String, to name: String = "file") throws -> ObjectImport.Report {
        folder.write(Array(text.utf8), to: "table")
        return try ObjectImport(.csv, className: className).run(
            from: folder.file("table"), to: folder.file(name), key: nil)
    }

    private func failure(_ text: String, class className: String) throws -> String {
        try #require(throws: FileFailure.self) { try run(text, class: className) }.description
    }

    @Test(arguments: [3, 4, 5] as [UInt64]) func `a table that replaces the objects of its class changes nothing`(
        _ seed: UInt64
    ) throws {
        try GeneratedFile.make(folder.file("source"), key: nil, seed: seed, hasUnnamed: false)
        let before = try Exports.lines(folder.file("source"))
        for className in Self.generated {
            let first = try table("source", of: className)
            let rows = try Exports.lines(folder.file("source"), ObjectExport(classNames: [className])).count - 1
            let report = try ObjectImport(.csv, className: className, existing: .replace).run(
                from: folder.file("source.\(className).csv"), to: folder.file("source"), key: nil)
            #expect(report.replaced == rows)
            #expect(first.count > 1_000)
        }
        #expect(try Exports.lines(folder.file("source")) == before)
    }

    @Test func `cells of every type have a plain form, and null is no empty text`() throws {
        let schema = Schema([
            ClassSchema(
                name: "Row",
                properties: [
                    Property(name: "id", type: .int, isPrimaryKey: true),
                    Property(name: "a,b", type: .string, isOptional: true), Property(name: "flag", type: .bool),
                    Property(name: "number", type: .double), Property(name: "data", type: .data),
                    Property(name: "date", type: .date), Property(name: "tags", type: .string, collection: .list),
                    Property(name: "any", type: .mixed, isOptional: true),
                ])
        ])
        try Files.change(folder.file("file"), schema) { transaction in
            let rows = try #require(transaction.table("Row"))
            let values: [Value] = [
                .null, .null, .bool(true), .double(.nan), .bytes([0, 1]),
                .timestamp(Timestamp(seconds: 0, nanoseconds: 5)),
                .null, .null,
            ]
            _ = try rows.create(.int(1), row: values)
            let key = try rows.create(.int(2))
            rows.set(key, 1, .string(""))
            rows.set(key, 7, .string("a \"b\",\r\nc"))
            rows.listReplace(key, 6, [.string("x"), .string("y\n")])
        }
        let text = String(decoding: try table("file", of: "Row"), as: UTF8.self)
        #expect(
            text.split(separator: "\r\n").map(String.init) == [
                #"id,"a,b",flag,number,data,date,tags,any"#,
                "1,,true,NaN,AAE=,1970-01-01T00:00:00.000000005Z,[],",
                #"2,"",false,0.0,"",1970-01-01T00:00:00Z,"[""x"",""y\n""]","""a \""b\"",\r\nc""""#,
            ])
        try Files.change(folder.file("copy"), schema) { _ in }
        #expect(try run(text, class: "Row", to: "copy").created == 2)
        #expect(try Exports.lines(folder.file("copy")) == Exports.lines(folder.file("file")))
    }

    @Test func `a new class has texts, or the types of its header`() throws {
        let text = "\u{FEFF}name,age:int,note,any:mixed\n\"R\"\"ex\",3,\"two\nlines\",\"{\"\"a\"\":1}\"\r\n\nMax,,,\n"
        #expect(try run(text, class: "Dog").created == 2)
        #expect(
            try Exports.lines(folder.file("file")).dropFirst() == [
                #"{"class":"Dog","number":0,"object":{"name":"R\"ex","age":3,"note":"two\nlines","any":{"a":1}}}"#,
                #"{"class":"Dog","number":1,"object":{"name":"Max","age":null,"note":null,"any":null}}"#,
            ])
    }

    @Test func `columns of a new class have the narrowest type of their cells`() throws {
        let text = """
            id,lat,zip,open,since,ref,code,big,note,nothing,forced:string
            1,41.5,01234,true,2013-01-01T05:00:00Z,65f0a1b2c3d4e5f60718293a,-7,9223372036854775808,NA,,5
            2,-8,+5,false,2013-01-01T06:00:00Z,65f0a1b2c3d4e5f60718293b,NA,1,"NA",,6

            """
        folder.write(Array(text.utf8), to: "table")
        let report = try ObjectImport(
            .csv, className: "Place", table: TableOptions(primaryKey: "id", nullText: "NA")
        ).run(from: folder.file("table"), to: folder.file("file"), key: nil)
        #expect(report.created == 2)
        let types = Dictionary(
            uniqueKeysWithValues: try #require(report.newClass).properties.map { ($0.name, $0.type) })
        #expect(
            types == [
                "id": .int, "lat": .double, "zip": .string, "open": .bool, "since": .date, "ref": .objectId,
                "code": .int, "big": .string, "note": .string, "nothing": .string, "forced": .string,
            ])
        #expect(report.newClass?.primaryKeyIndex == 0)
        #expect(
            report.text.hasPrefix("The new class Place\n    id: int primaryKey\n    lat: double?\n"), "\(report.text)")
        let last = try #require(try Exports.lines(folder.file("file")).last)
        #expect(last.contains(#""code":null"#) && last.contains(#""note":"NA""#) && last.contains(#""zip":"+5""#))
        // Again into the class that is there: the types are its own.
        let again = try ObjectImport(.csv, className: "Place", table: TableOptions(nullText: "NA"), existing: .skip)
        folder.write(Array("id,lat\n2,5\n3,1\n".utf8), to: "table")
        let second = try again.run(from: folder.file("table"), to: folder.file("file"), key: nil)
        #expect(second.created == 1 && second.skipped == 1 && second.newClass == nil)
    }

    @Test(
        arguments: [
            ("a;b\n1;2\n", nil, "semicolons"), ("a\tb\n1\t2\n", nil, "tabs"), ("a,b\n1,2\n", "c", "no column 'c'"),
            ("a,b\n1.5,2\n", "a", "a:string"), ("a,b\n1,2\n,2\n", "a", "'Row.a'"),
        ] as [(String, String?, String)])
    func `a table that cannot make a class is refused with a remedy`(
        _ text: String, _ key: String?, _ words: String
    ) throws {
        folder.write(Array(text.utf8), to: "table")
        let failure = try #require(throws: FileFailure.self) {
            try ObjectImport(.csv, className: "Row", table: TableOptions(primaryKey: key))
                .run(from: folder.file("table"), to: folder.file("file"), key: nil)
        }
        #expect(failure.description.contains(words))
        #expect(!folder.names.contains("file"))
    }

    @Test(arguments: [
        ("a,b\n1\n", "Line 2 of", "1 cells, and the first one names 2"), ("a\n\"1\n2", "Line 2 of", "no closing"),
        ("a\n\"1\n2\"\nb\"\n", "Line 4 of", "no closing"), ("a\n\"1\"2\n", "Line 2 of", "behind its quotation marks"),
        ("a\nb\"\"\n", "Line 2 of", "without them"), ("a:whole\n", "Line 1 of", "no known type"),
        ("a:int\n\n1\n1.5\n", "Line 4 of", "Expected: a whole number"), ("a,a\n", "Line 1 of", "there twice"),
        ("a:bool\nyes\n", "Line 2 of", "Expected: true or false"), ("", "Line 1 of", "no row of names"),
        (",\n", "Line 1 of", "no name"),
    ])
    func `a table that cannot be read is refused with the line`(_ text: String, _ place: String, _ words: String) throws
    {
        let message = try failure(text, class: "Row")
        #expect(message.hasPrefix(place))
        #expect(message.contains(words))
        #expect(!folder.names.contains("file"))
    }

    @Test func `a table needs one class, and knows the properties of a class that is there`() throws {
        #expect(throws: FileFailure.self) { try ObjectExport(.csv) }
        #expect(throws: FileFailure.self) { try ObjectExport(.csv, classNames: ["A", "B"]) }
        #expect(throws: FileFailure.self) { try ObjectImport(.csv) }
        #expect(throws: FileFailure.self) { try ObjectImport(.jsonl, className: "A") }
        try Files.makeHomes(folder.file("file"), dogs: 1)
        #expect(try failure("id,age\n1,2\n", class: "Dog").contains("Class 'Dog' has no property 'age'"))
        #expect(try failure("name\nRex\n", class: "Dog").contains("no 'id', which is its primary key"))
        #expect(try run("id,name\n7,\n", class: "Dog").created == 1)
        #expect(
            try Exports.lines(folder.file("file"))[2] == #"{"class":"Dog","object":{"id":7,"name":"","home":null}}"#)
    }
}
