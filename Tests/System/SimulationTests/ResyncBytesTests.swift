import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import CausewayWire
import Testing

@Suite("What a resync costs on the wire", .serialized)
struct ResyncBytesTests {
    @Test("ten differences among 100,000 objects take no more than 64 KiB in both directions together")
    func tenOfManyObjects() throws {
        let server = try SimulatedServer(seed: 1, historyVersionsMax: 2)
        let reader = try SimulatedDevice(number: 1, seed: 1, skew: 0)
        let writer = ClientID(99)
        _ = try server.record.register(writer, user: "u")
        var sequence: UInt64 = 0
        func commit(_ operations: [Operation]) throws {
            sequence += 1
            let changeset = Changeset(
                client: writer, sequence: sequence, stamp: Stamp(time: sequence << 20, client: writer),
                base: server.record.version, operations: operations)
            let outcome = try server.commit([changeset], of: writer, at: 1_000 + sequence)
            #expect(outcome.failure == nil)
        }
        func shop(_ number: Int) -> ObjectReference { ObjectReference("Shop", .string("shop \(number)")) }
        try commit(
            (0..<100_000).map {
                .create(shop($0), life: 1, fields: [FieldValue("title", .string("title \($0 % 977)"))])
            })
        reader.subscribe([StandingQuery(className: "Shop", predicate: "TRUEPREDICATE")])
        _ = try bytes(of: reader, from: server)
        for number in 0..<7 {
            try commit([.set(shop(number * 13_001), FieldValue("title", .string("other")))])
        }
        try commit([.delete(shop(50_000), life: 2)])
        try commit([.delete(shop(60_001), life: 2)])
        try commit([.create(shop(200_000), life: 1, fields: [FieldValue("title", .string("new"))])])

        let (down, up, questions) = try bytes(of: reader, from: server)
        print("resync of 10 among 100,000: \(down) bytes down, \(up) up, \(questions) questions")
        #expect(questions > 1, "the history must not reach back, or nothing is resynced")
        #expect(down + up <= 64 << 10)
        let expected = try server.content(of: reader.wanted)["Shop"] ?? [:]
        #expect(try reader.content()["Shop"] == expected)
        #expect(expected.count == 99_999)
    }

    /// Connects, takes everything in, disconnects; the bytes of all messages in their frames.
    private func bytes(
        of device: SimulatedDevice, from server: SimulatedServer
    ) throws -> (down: Int, up: Int, questions: Int) {
        try device.connect(to: server, now: 1, latency: 0)
        var (down, up, questions) = (0, 0, 0)
        while let (acted, message) = try device.session?.act(now: 1, bytes: 1 << 20), acted {
            guard let message else { continue }
            down += WireCodec.encode(message).count
            if case .digestsWanted(let question) = message {
                questions += 1
                let answer = ResyncRequest(
                    session: 1, number: question.number, reports: try device.reports(on: question))
                up += WireCodec.encode(answer).count
            }
            try device.receive(message)
        }
        device.disconnect()
        return (down, up, questions)
    }
}
