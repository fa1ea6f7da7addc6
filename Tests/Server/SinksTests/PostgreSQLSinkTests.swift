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
