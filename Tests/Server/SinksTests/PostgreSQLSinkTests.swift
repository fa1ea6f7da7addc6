import CausewayFeed
import CausewayFolders
import CausewayModel
import CausewayOperations
import CausewayPrograms
import CausewayQuery
import CausewaySinks
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("A sink into PostgreSQL", .serialized)
struct PostgreSQLSinkTests {
    private func sink(_ folder: TemporaryFolder, _ server: PostgreSQLServer, name: String = "test/sink")
        -> PostgreSQLSink
    {
        folder.write(Array(server.connection.utf8), to: "connection")
        return PostgreSQLSink(PostgreSQLSink.Rules(name: name, connectionFile: folder.file("connection")))
    }

    @Test(
        "a table a class, made and extended by the sink; an object that comes again replaces its row; kills lose and double nothing"
    )
    func rows() async throws {
        let (bench, folder, server) = (try SinkBench(), try TemporaryFolder(), try PostgreSQLServer())
        defer { server.end() }
        let place = ObjectReference("Place", .container(ElementID(client: SinkBench.client, counter: 1)))
        try bench.ingest([
            reading(1, ("value", .double(-0.0)), ("note", .string("a'b\u{0}\"c"))),
            .create(place, life: 1, fields: [FieldValue("city", .string("Bonn"))]),
            .create(
                ObjectReference("Reading", .int(2)), life: 1,
                fields: [FieldValue("place", .link(place.key)), FieldValue("value", .double(.infinity))]),
        ])
        try bench.ingest([.create(ObjectReference("Alarm", .null), life: 1, fields: [])])
        try await running(bench.carrier(sink(folder, server))) {
            (try? server.query("SELECT 1 FROM \"Alarm\""))?.count == 1
        }
        #expect(
            try server.query(#"SELECT _id, value, note, place FROM "Reading" ORDER BY _id"#)
                == ["1|-0|a'b\u{FFFD}\"c|", #"2|Infinity||{"city": "Bonn"}"#])
        #expect(try server.query(#"SELECT causeway_key, _id IS NULL FROM "Alarm""#) == ["null|t"])
        #expect(
            try server.query(#"SELECT causeway_received FROM "Reading" WHERE _id = 1"#).first?.hasPrefix("2023-11-14")
                == true)
        // A property more, and an object that comes again.
        try bench.record.extendSchema(
            Schema([
                ClassSchema(
                    name: "Reading", kind: .asymmetric,
                    properties: [
                        Property(name: "_id", type: .int, isPrimaryKey: true),
                        Property(name: "unit", type: .string),
                    ])
            ]))
        try bench.ingest([reading(1, ("value", .double(7)), ("unit", .string("K")))])
        try await running(bench.carrier(sink(folder, server))) {
            try server.query(#"SELECT value FROM "Reading" WHERE _id = 1"#) == ["7"]
        }
        #expect(try server.query(#"SELECT count(*), min(unit), max(unit) FROM "Reading""#) == ["2|K|K"])
        // PostgreSQL is killed again and again while objects come.
        let carrier = bench.carrier(sink(folder, server))
        var last: Int64 = 2
        try await running(carrier) {
            if last < 302 {
                try bench.readings(last + 1...last + 30)
                last += 30
                server.kill()
                try server.start()
                return false
            }
            return try server.query(#"SELECT count(*) FROM "Reading""#) == ["302"]
        }
        #expect(try server.query("SELECT sequence FROM causeway_positions") == ["\(bench.record.newestArrival)"])
    }

    @Test("names and keys that PostgreSQL would cut, refuse or take for one hold nothing up, and stay apart")
    func hostileNames() async throws {
        let (bench, folder, server) = (try SinkBench(), try TemporaryFolder(), try PostgreSQLServer())
        defer { server.end() }
        // As long as names may be.
        let long = String(repeating: "ü", count: 28)
        let names = [
            "tableoid", "xmin", "ctid", "causeway_sequence", long + "n 123", long + "n 124", "value", "Value",
            "it\"\u{301}s",
            "a_0123456789abcdef0123456789abcdef",
        ]
        let hostile = ["Hostile", "causeway_positions", long + "A", long + "B"]
        try bench.record.extendSchema(
            Schema(
                hostile.map { className in
                    ClassSchema(
                        name: className, kind: .asymmetric,
                        properties: [Property(name: "_id", type: .string, isPrimaryKey: true)]
                            + names.map { Property(name: $0, type: .int) } + [
                                Property(name: "map", type: .int, collection: .map)
                            ])
                }))
        // In one batch, which becomes one statement.
        let keys = ["k\0", "k\u{FFFD}", "k\u{FFFD}0", "k\u{FFFD}\u{FFFD}", "k"]
        for className in hostile {
            for key in keys {
                let object = ObjectReference(className, .string(key))
                let fields = names.enumerated().map { FieldValue($1, .int(Int64($0))) }
                try bench.ingest([
                    .create(object, life: 1, fields: fields),
                    .keyed(object, property: "map", .put(key: .string("m\0"), value: .int(1))),
                    .keyed(object, property: "map", .put(key: .string("m\u{FFFD}"), value: .int(2))),
                ])
            }
        }
        let carrier = bench.carrier(sink(folder, server), rowsMax: 100)
        try await running(carrier) { carrier.state.now.position == bench.record.newestArrival }
        #expect(carrier.state.now.failures == 0)
        let tables = try server.query(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        #expect(tables.count == hostile.count + 1, "\(tables)")
        for table in tables where table != "causeway_positions" {
            #expect(try server.query("SELECT count(*) FROM \"\(table)\"") == ["\(keys.count)"], "\(table)")
        }
        let columns = try server.query(
            "SELECT quote_ident(column_name) FROM information_schema.columns WHERE table_name = 'Hostile' "
                + "ORDER BY ordinal_position")
        #expect(columns.count == names.count + 4, "\(columns)")
        let values = columns[1...names.count].joined(separator: ",")
        #expect(
            try server.query("SELECT DISTINCT \(values) FROM \"Hostile\"")
                == [names.indices.map { "\($0)" }.joined(separator: "|")])
        #expect(
            try server.query(#"SELECT DISTINCT (SELECT count(*) FROM jsonb_object_keys(map)) FROM "Hostile""#) == ["2"])
    }

    @Test("an object with more values than a row of PostgreSQL has room for is kept whole")
    func wide() async throws {
        let (bench, folder, server) = (try SinkBench(), try TemporaryFolder(), try PostgreSQLServer())
        defer { server.end() }
        let names = (0..<999).map { "p\($0)" }
        try bench.record.extendSchema(
            Schema([
                ClassSchema(
                    name: "Wide", kind: .asymmetric,
                    properties: names.map { Property(name: $0, type: .string) } + [
                        Property(name: "_id", type: .int, isPrimaryKey: true)
                    ])
            ]))
        // So short that PostgreSQL keeps each in the row.
        let fields = names.map { FieldValue($0, .string("value of \($0)")) }
        try bench.ingest([.create(ObjectReference("Wide", .int(1)), life: 1, fields: fields)])
        let carrier = bench.carrier(sink(folder, server))
        try await running(carrier) { carrier.state.now.position == bench.record.newestArrival }
        #expect(carrier.state.now.failures == 0)
        #expect(
            try server.query(#"SELECT _id, p0, p249, causeway_rest->>'p250', causeway_rest->>'p998' FROM "Wide""#)
                == ["1|value of p0|value of p249|value of p250|value of p998"])
    }

    @Test("two sinks of one name do not both write, and what PostgreSQL refuses is told without values")
    func refusals() async throws {
        let (bench, folder, server) = (try SinkBench(), try TemporaryFolder(), try PostgreSQLServer())
        defer { server.end() }
        let (one, other) = (sink(folder, server), sink(folder, server))
        #expect(try await one.open() == 0)
        #expect(try await other.open() == 0)
        try bench.readings(1...1)
        let snapshot = try bench.record.snapshot()
        let arrival = try #require(try snapshot.arrivals(after: 0, countMax: 1).first)
        let row = SinkRow(
            sequence: arrival.sequence, time: 0, key: .int(1),
            values: .init(className: "Reading", properties: [.init(name: "_id", content: .single(.value(.int(1))))]))
        let batch = SinkBatch(after: 0, through: arrival.sequence, rows: [row], schema: snapshot.schema)
        try await one.take(batch)
        let moved = await #expect(throws: SinkFailure.self) { try await other.take(batch) }
        #expect(moved?.message.contains("moved by somebody else") == true)
        await other.close()
        // The operator's own column has another type.
        _ = try server.query(#"ALTER TABLE "Reading" ALTER COLUMN note TYPE integer USING 0"#)
        var second = batch
        (second.after, second.through) = (batch.through, batch.through + 1)
        second.rows[0].values.properties.append(
            .init(name: "note", content: .single(.value(.string("confidential")))))
        let refused = await #expect(throws: SinkFailure.self) { try await one.take(second) }
        #expect(refused?.message.contains("SQLSTATE 42804") == true)
        #expect(refused?.message.contains("confidential") == false)
    }

    @Test("a sink of some classes goes over many objects of others, and goes on")
    func classes() async throws {
        let (bench, folder, server) = (try SinkBench(), try TemporaryFolder(), try PostgreSQLServer())
        defer { server.end() }
        func alarm(_ key: String) throws {
            try bench.ingest([.create(ObjectReference("Alarm", .string(key)), life: 1, fields: [])])
        }
        try alarm("a")
        // Several batches have nothing else.
        try bench.readings(1...2_100)
        try alarm("b")
        let carrier = bench.carrier(sink(folder, server), classes: ["Alarm"], rowsMax: 500)
        func isThere(_ count: Int) -> Bool {
            (try? server.query(#"SELECT count(*) FROM "Alarm""#)) == ["\(count)"]
        }
        var isMore = false
        try await running(carrier) {
            guard isMore else {
                guard isThere(2) else { return false }
                try bench.readings(2_101...2_110)
                try alarm("c")
                isMore = true
                return false
            }
            return isThere(3)
        }
        #expect(carrier.state.now.failures == 0)
    }

    @Test("a connection that cannot be read is told without a word of it")
    func secrets() async throws {
        let folder = try TemporaryFolder()
        folder.write(Array("host=127.0.0.1 hunter2".utf8), to: "connection")
        let sink = PostgreSQLSink(PostgreSQLSink.Rules(name: "x", connectionFile: folder.file("connection")))
        let failure = await #expect(throws: SinkFailure.self) { try await sink.open() }
        #expect(failure?.message.contains("cannot be read") == true)
        #expect(failure?.message.contains("hunter2") == false)
    }
}
