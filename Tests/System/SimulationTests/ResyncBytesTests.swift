import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import CausewayWire
import Testing

@testable import CausewaySimulation

@Suite("What a resync costs on the wire", .serialized)
struct ResyncBytesTests {
    @Test("ten differences among 100,000 objects take no more than 64 KiB in both directions together")
    func tenOfManyObjects() throws {
        let server = try LoopbackServer(.inMemory(historyVersionsMax: 2), now: 1_000)
        try server.record.extendSchema(SimulationSchema.schema)
        let reader = try LoopbackDevice.inMemory(now: 1_000)
        let writer = ClientID(99)
        _ = try server.record.register(writer, user: "u")
        var sequence: UInt64 = 0
        func commit(_ operations: [Operation]) throws {
            sequence += 1
            let changeset = Changeset(
                client: writer, sequence: sequence, stamp: Stamp(time: sequence << 20, client: writer),
                base: server.record.version, operations: operations)
            let batch = UploadBatch(client: writer, user: "u", changesets: [changeset])
            let outcome = try server.record.commit([batch], receivedAt: 1_000 + sequence)[0]
            #expect(outcome.failure == nil)
        }
        func shop(_ number: Int) -> ObjectReference { ObjectReference("Shop", .string("shop \(number)")) }
        try commit(
            (0..<100_000).map {
                .create(shop($0), life: 1, fields: [FieldValue("title", .string("title \($0 % 977)"))])
            })
        try reader.subscribe([StandingQuery(className: "Shop", predicate: "TRUEPREDICATE")])
        try reader.sync(with: server)
        let before = reader.traffic
        #expect(reader.questions == 0)
        for number in 0..<7 {
            try commit([.set(shop(number * 13_001), FieldValue("title", .string("other")))])
        }
        try commit([.delete(shop(50_000), life: 2)])
        try commit([.delete(shop(60_001), life: 2)])
        try commit([.create(shop(200_000), life: 1, fields: [FieldValue("title", .string("new"))])])

        try reader.sync(with: server)
        let (down, up) = (reader.traffic.down - before.down, reader.traffic.up - before.up)
        let questions = reader.questions
        print("resync of 10 among 100,000: \(down) bytes down, \(up) up, \(questions) questions")
        #expect(questions > 1, "the history must not reach back, or nothing is resynced")
        #expect(down + up <= 64 << 10)
        let expected = try server.read { $0.pictures("Shop") }
        #expect(try reader.read { $0.pictures("Shop") } == expected)
        #expect(expected.count == 99_999)
    }
}
