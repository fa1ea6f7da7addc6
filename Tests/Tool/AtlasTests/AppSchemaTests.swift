import CausewayAtlas
import CausewayFiles
import Testing

@Suite("Classes from the schema of an app")
struct AppSchemaTests {
    private static let flight = #"""
        {"title":"Flight","bsonType":"object","required":["_id","number","carrier"],"properties":{
          "_id":{"bsonType":"objectId"},"number":{"bsonType":"int"},"distance":{"bsonType":"long"},
          "delay":{"bsonType":"double"},"ratio":{"bsonType":"float"},"price":{"bsonType":"decimal"},
          "at":{"bsonType":"date"},"late":{"bsonType":"bool"},"trace":{"bsonType":"uuid"},"photo":{"bsonType":"binData"},
          "note":{"bsonType":["string","null"]},"any":{"bsonType":"mixed"},"carrier":{"bsonType":"string"},
          "stops":{"bsonType":"array","items":{"bsonType":"string"}},
          "tags":{"bsonType":"array","uniqueItems":true,"items":{"bsonType":"string"}},
          "prices":{"bsonType":"object","additionalProperties":{"bsonType":"double"}},
          "gate":{"title":"Gate","bsonType":"object","required":["name"],"properties":{
            "name":{"bsonType":"string"},"keeper":{"bsonType":"string"}}},
          "legs":{"bsonType":"array","items":{"bsonType":"object","properties":{"dest":{"bsonType":"string"}}}}}}
        """#
    private static let relationships = #"""
        {"carrier":{"ref":"#/relationship/mongodb-atlas/air/airlines","foreign_key":"_id","is_list":false},
         "gate.keeper":{"ref":"#/relationship/mongodb-atlas/air/airlines","foreignKey":"_id","isList":false},
         "stops":{"ref":"#/relationship/mongodb-atlas/air/airlines","foreign_key":"_id","is_list":true},
         "note":{"ref":"#/relationship/mongodb-atlas/air/airlines","foreign_key":"name","is_list":false}}
        """#
    private static let airline = #"""
        {"title":"Airline","properties":{"_id":{"bsonType":"string"},"name":{"bsonType":"string"},
          "best":{"bsonType":"objectId"}}}
        """#
    private static let backwards = #"""
        {"best":{"ref":"#/relationship/mongodb-atlas/air/flights","foreign_key":"_id","is_list":false}}
        """#

    private let imports: Imports

    init() throws {
        imports = try Imports()
        imports.write(Self.flight, to: "app/data_sources/mongodb-atlas/air/flights/schema.json")
        imports.write(Self.relationships, to: "app/data_sources/mongodb-atlas/air/flights/relationships.json")
        imports.write(Self.airline, to: "app/data_sources/mongodb-atlas/air/airlines/schema.json")
        imports.write(Self.backwards, to: "app/data_sources/mongodb-atlas/air/airlines/relationships.json")
        imports.write("{}", to: "app/data_sources/mongodb-atlas/air/nothing/schema.json")
    }

    private func options(
        missingLinks: ObjectImport.MissingLinks = .null, unmapped: AtlasImport.Unmapped = .fail
    ) -> AtlasImport {
        AtlasImport(
            .mongoexport, schemaFolder: imports.file("app"), missingLinks: missingLinks, unmapped: unmapped)
    }

    @Test func `a DBRef names a collection of the schema, also when that was imported before`() throws {
        imports.write(#"{"_id":"UA","name":"United"}"#, to: "airlines.json")
        try imports.run("airlines.json", .mongoexport, options())
        imports.write(
            #"{"_id":{"$oid":"00112233445566778899aabb"},"number":7,"carrier":{"$ref":"airlines","$id":"UA"}}"#,
            to: "flights.json")
        let report = try imports.run("flights.json", .mongoexport, options())
        #expect(report.losses.isEmpty)
        #expect(try imports.lines().contains { $0.contains(#""carrier":{"$ref":"Airline","$id":"UA"}"#) })
    }

    @Test func `a class that two collections embed has its relationship in both, or titles of its own`() throws {
        let one =
            #"{"title":"One","properties":{"_id":{"bsonType":"int"},"gate":{"title":"Gate","bsonType":"object","required":["name"],"properties":{"name":{"bsonType":"string"},"keeper":{"bsonType":"string"}}}}}"#
        imports.write(one, to: "app/data_sources/mongodb-atlas/air/one/schema.json")
        imports.write(#"{"_id":1}"#, to: "one.json")
        let message = try imports.failure("one.json", .mongoexport, options())
        #expect(
            message.contains("is embedded in 'Flight' and in 'One', and only the first has a relationship"),
            "\(message)")
    }

    @Test func `a schema may name a DBRef as an object, and a class that it lacks is told`() throws {
        let two =
            #"{"title":"Two","properties":{"_id":{"bsonType":"int"},"to":{"bsonType":"object","properties":{"$ref":{"bsonType":"string"},"$id":{"bsonType":"string"}}}}}"#
        imports.write(two, to: "app/data_sources/mongodb-atlas/air/two/schema.json")
        imports.write(#"{"_id":1,"to":{"$ref":"airlines","$id":"UA"}}"#, to: "air/two.json")
        imports.write(#"{"_id":"UA"}"#, to: "air/airlines.json")
        try imports.run("air", .mongoexport, options())
        #expect(try imports.lines().contains { $0.contains(#""to":{"$ref":"Airline","$id":"UA"}"#) })
        imports.write(two, to: "app/data_sources/mongodb-atlas/sea/two/schema.json")
        imports.write("{}", to: "app/data_sources/mongodb-atlas/sea/three/schema.json")
        #expect(
            try imports.failure("air/two.json", .mongoexport, options()).contains(
                "Two collections have the title 'Two'"))
        imports.write(two.replacing("Two", with: "Zwei"), to: "app/data_sources/mongodb-atlas/sea/two/schema.json")
        let message = try imports.failure("air/two.json", .mongoexport, options())
        #expect(message.contains("a collection 'two' in the databases 'air', 'sea'"), "\(message)")
        let wrong = AtlasImport(.mongoexport, className: "Tow", schemaFolder: imports.file("app"))
        #expect(
            try imports.failure("air/two.json", .mongoexport, wrong).contains(
                "No collection of the schema has the title 'Tow'"))
    }

    @Test func `types, embedded classes, collections and links in both directions`() throws {
        imports.write(
            #"{"_id":{"$oid":"00112233445566778899aabb"},"number":7,"distance":{"$numberLong":"5"},"delay":2,"ratio":0.5,"#
                + #""price":{"$numberDecimal":"9.90"},"at":{"$date":"2013-01-01T00:00:00Z"},"late":true,"photo":null,"#
                + #""note":"n","any":{"a":1},"carrier":"UA","stops":["AA","UA","ZZ"],"tags":["b","a","b"],"#
                + #""prices":{"x":1,"y":0.5},"gate":{"name":"A1","keeper":"AA"},"legs":[{"dest":"LAX"}],"__v":3}"#,
            to: "air/flights.json")
        imports.write(
            #"{"_id":"UA","name":"United","best":{"$oid":"00112233445566778899aabb"}}{"_id":"AA","name":"American"}"#,
            to: "air/airlines.json")
        let documents = options()
        let plan = try documents.plan(from: imports.file("air"))
        #expect(plan.text.contains("Flight.note stays a value: its relationship is by 'name'"))
        #expect(plan.text.contains("class Flight, as its schema says"))
        let report = try documents.run(plan, to: imports.file("file"), key: nil)
        #expect(
            try imports.schema() == """
                Airline
                    _id: string primaryKey
                    name: string?
                    best: Flight?

                Flight
                    _id: objectId primaryKey
                    number: int
                    distance: int?
                    delay: double?
                    ratio: float?
                    price: decimal128?
                    at: date?
                    late: bool?
                    trace: uuid?
                    photo: data?
                    note: string?
                    any: mixed?
                    carrier: Airline?
                    stops: list<Airline>
                    tags: set<string>
                    prices: map<double>
                    gate: Gate?
                    legs: list<Flight_legs>

                Flight_legs (embedded)
                    dest: string?

                Gate (embedded)
                    name: string
                    keeper: Airline?
                """)
        let lines = try imports.lines()
        #expect(
            lines[0]
                == #"{"class":"Airline","object":{"_id":"UA","name":"United","best":{"$ref":"Flight","$id":{"$oid":"00112233445566778899aabb"}}}}"#
        )
        #expect(
            lines[2]
                == #"{"class":"Flight","object":{"_id":{"$oid":"00112233445566778899aabb"},"number":7,"distance":5,"delay":2.0,"#
                + #""ratio":0.5,"price":{"$numberDecimal":"9.90"},"at":{"$date":"2013-01-01T00:00:00Z"},"late":true,"trace":null,"#
                + #""photo":null,"note":"n","any":{"a":1},"carrier":{"$ref":"Airline","$id":"UA"},"#
                + #""stops":[{"$ref":"Airline","$id":"AA"},{"$ref":"Airline","$id":"UA"}],"tags":["a","b"],"#
                + #""prices":{"x":1.0,"y":0.5},"gate":{"name":"A1","keeper":{"$ref":"Airline","$id":"AA"}},"legs":[{"dest":"LAX"}]}}"#
        )
        #expect(
            report.losses.mapValues(\.count) == [
                "'Flight.__v' is no property, and is left out": 1,
                "'Flight.stops' leads to a document that is neither in the import nor in the file": 1,
            ])
    }

    @Test func `links that lead nowhere are refused if that is asked for`() throws {
        imports.write(
            #"{"_id":{"$oid":"00112233445566778899aabb"},"number":7,"carrier":"UA"}"#, to: "flights.json")
        #expect(
            try imports.failure("flights.json", .mongoexport, options(missingLinks: .fail)).contains(
                "--missing-links null"))
        #expect(try imports.run("flights.json", .mongoexport, options()).losses.count == 1)
        #expect(try imports.lines()[0].contains(#""carrier":null"#))
    }

    @Test(arguments: [
        (#""number":"7""#, "'Flight.number' has the type int, and the document has a string", #""number":0"#),
        (#""number":7.5"#, "'Flight.number' has the type int, and the document has a double", #""number":0"#),
        (#""number":null"#, "'Flight.number' has the type int, and the document has null", #""number":0"#),
        (#""late":false"#, "'Flight.number' is missing, and cannot be null", #""number":0"#),
        (#""number":1,"note":5"#, "'Flight.note' has the type string", #""note":null"#),
        (#""number":1,"gate":5"#, "'Flight.gate' is an embedded object", #""gate":null"#),
        (#""number":1,"gate":{}"#, "'Gate.name' is missing", #""gate":{"name":"""#),
        (#""number":1,"tags":{"a":1}"#, "'Flight.tags' is a list or a set", #""tags":[]"#),
        (#""number":1,"tags":["a",null]"#, "'Flight.tags' has the type string", #""tags":["a"]"#),
        (#""number":1,"prices":[1]"#, "'Flight.prices' is a dictionary", #""prices":{}"#),
        (#""number":1,"carrier":7"#, "'Flight.carrier' links by string", #""carrier":null"#),
    ]) func `values of another type than the schema's are refused, or counted`(
        _ members: String, _ reason: String, _ result: String
    ) throws {
        imports.write(#"{"_id":{"$oid":"00112233445566778899aabb"},\#(members)}"#, to: "flights.json")
        let message = try imports.failure("flights.json", .mongoexport, options())
        #expect(message.contains(reason), "\(message)")
        let report = try imports.run("flights.json", .mongoexport, options(unmapped: .null))
        #expect(report.losses.keys.contains { $0.hasPrefix(reason) })
        let line = try imports.lines()[0]
        #expect(line.contains(result), "\(line)")
    }

    @Test(arguments: [
        (#"{"title":"Flight","properties":{"_id":{"bsonType":"double"}}}"#, "cannot be a primary key"),
        (#"{"title":"Flight","properties":{"x":{"bsonType":"regex"}}}"#, "'Flight.x' has the type 'regex'"),
        (#"{"title":"Airline","properties":{}}"#, "the title 'Airline'"), ("[]", "is no object"), ("{", "is not JSON"),
        (
            #"{"title":"Flight","properties":{"a":{"title":"P","bsonType":"object","properties":{"x":{"bsonType":"int"}}},"#
                + #""b":{"title":"P","bsonType":"object","properties":{"y":{"bsonType":"int"}}}}}"#,
            "another one with the same title"
        ),
    ]) func `a schema that cannot be is told`(_ schema: String, _ words: String) throws {
        imports.write(schema, to: "app/data_sources/mongodb-atlas/air/flights/schema.json")
        imports.write("", to: "flights.json")
        let message = try imports.failure("flights.json", .mongoexport, options())
        #expect(message.contains(words), "\(message)")
    }
}
