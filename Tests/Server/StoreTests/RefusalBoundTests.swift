import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// What of a client's refused operations waits for it, and how much of that.
@Suite("The bound of what is refused")
struct RefusalBoundTests {
    private func spoilt(_ count: Int, in record: Record) -> [Changeset] {
        (0..<count).map { number in
            record.changeset(Record.ann, [create(dog(Int64(number))), set(dog(Int64(number)), "colour", .null)])
        }
    }

    private func commit(_ changesets: [Changeset], in record: Record) throws -> CommitOutcome {
        let outcomes = try record.backend.commit(
            [UploadBatch(client: Record.ann, user: "user", changesets: changesets)], receivedAt: record.time)
        return try #require(outcomes.first)
    }

    @Test("a client is refused no more than is kept before it says that it has it, and is told every refusal once")
    func bounded() throws {
        let record = try Record(options: StoreEmbedded.Options(refusalBytesMax: 1_500, toldRefusalBytesMax: 0))
        let changesets = spoilt(20, in: record)
        var told: [UInt64] = []
        var rounds = 0
        while told.count < 20, rounds < 20 {
            rounds += 1
            let outcome = try commit(changesets, in: record)
            let refusals = try record.refusals(Record.ann, after: told.last ?? 0)
            #expect(outcome.committed > UInt64(told.count) && refusals.map(\.operation).allSatisfy { $0 == 1 })
            told += refusals.map(\.sequence)
            #expect(told.last == outcome.committed)
            #expect(try record.bytes(of: ["refusals"]) < 2_500)
            let code: StoreFailure.Code? = told.count < 20 ? .refusalsUnread : nil
            #expect(outcome.failure?.code == code)
            // Sent again, nothing more of it is taken, and nothing of a changeset in which all is well.
            #expect(try commit(changesets, in: record).answer == outcome.answer)
            _ = try record.backend.register(
                Record.ann, user: "user", standing: DeviceStanding(acknowledged: outcome.committed))
            #expect(try record.bytes(of: ["refusals"]) == 0)
        }
        #expect(told == Array(1...20))
        #expect((3...10).contains(rounds))
        #expect(try record.dog(0) != nil && record.dog(19) != nil)
    }

    @Test("a client that says nothing of what it has stays where it is, and costs no other client anything")
    func silent() throws {
        let record = try Record(options: StoreEmbedded.Options(refusalBytesMax: 1_500))
        let changesets = spoilt(20, in: record)
        let outcome = try commit(changesets, in: record)
        let bytes = try record.bytes(of: ["refusals"])
        for _ in 0..<5 {
            _ = try record.backend.register(Record.ann, user: "user")
            #expect(try commit(changesets, in: record).answer == outcome.answer)
        }
        #expect(try record.bytes(of: ["refusals"]) == bytes)
        #expect(try record.write(Record.bob, create(dog(100))).failure == nil)
        // Having a part of it makes room for others.
        _ = try record.backend.register(
            Record.ann, user: "user", standing: DeviceStanding(acknowledged: outcome.committed - 1))
        #expect(
            try record.refusals(Record.ann, after: outcome.committed - 1).map(\.sequence) == [outcome.committed])
        #expect(try commit(changesets, in: record).committed > outcome.committed)
    }

    @Test("a long run of operations about unknown objects takes two bytes or less each, and each of them is told")
    func runs() throws {
        let record = try Record(options: StoreEmbedded.Options(refusalsMax: 50_000))
        let unknown = (0..<20_000).map { Operation.delete(dog(Int64($0)), life: 2) }
        let outcome = try record.commit(
            Record.ann, record.changeset(Record.ann, unknown + [create(dog(30_000)), set(dog(30_001), "age", .int(1))]))
        #expect(outcome.committed == 1 && outcome.failure == nil)
        let refusals = try record.refusals(Record.ann)
        #expect(refusals.map(\.operation) == Array(0..<20_000) + [20_001])
        #expect(refusals.map(\.target) == unknown.map(\.target) + [dog(30_001)])
        #expect(refusals.allSatisfy { $0.failure.code == .objectUnknown && $0.failure.message.contains("Dog") })
        #expect(try record.count("server.refusals") == 1)
        #expect(try record.bytes(of: ["refusals"]) < 40_000)
        #expect(try record.dog(30_000) != nil)
    }

    @Test("of too many different reasons the rest keeps its code and is told that there were more, and none is long")
    func reasons() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1)))
        let names = (0..<150).map { "p\($0)" + String(repeating: "\u{301}", count: 2_000) }
        try record.commit(Record.ann, record.changeset(Record.ann, names.map { set(dog(1), $0, .null) }))
        let failures = try record.refusals(Record.ann).map(\.failure)
        #expect(failures.count == 150 && failures.allSatisfy { $0.code == .operationInvalid })
        #expect(Set(failures).count == 101)
        #expect(failures[0].message.contains("Dog") && failures[149].message.contains("100 different reasons"))
        #expect(failures.allSatisfy { $0.message.utf8.count < 1_010 })
    }

    @Test("a transaction of which too many operations are refused is refused whole, and nothing of it is done")
    func tooMany() throws {
        let record = try Record(options: StoreEmbedded.Options(refusalsMax: 100))
        try record.write(Record.bob, create(dog(1_000)))
        let before = record.store.version
        func deletes(_ count: Int64) -> [Operation] { (0..<count).map { .delete(dog(2_000 + $0), life: 2) } }
        // As it comes from the wire: the creates stand in columns, and are done before the rest is judged.
        let whole = record.changeset(Record.ann, (0..<50).map { create(dog($0)) } + deletes(101))
        let changesets = try Changeset.decode(Changeset.encode([whole]))
        #expect(changesets[0].creations.count == 1)
        let other = record.changeset(Record.bob, [set(dog(1_000), "age", .int(3))])
        let outcomes = try record.backend.commit(
            [
                UploadBatch(client: Record.ann, user: "user", changesets: changesets),
                UploadBatch(client: Record.bob, user: "user", changesets: [other]),
            ], receivedAt: record.time)
        #expect(outcomes[0].committed == 0 && outcomes[0].failure?.code == .operationInvalid)
        #expect(outcomes[0].failure?.message.contains("More than 100") == true)
        #expect(outcomes[0].failure?.message.contains("never had it") == true)
        #expect(
            outcomes[1].committed == 2 && outcomes[1].version == ServerVersion(before.rawValue + 1)
                && outcomes[1].failure == nil)
        #expect(try record.dog(0) == nil && record.refusals(Record.ann).isEmpty)
        #expect(try record.dog(1_000)?["age"] == .int(3))
        // Sent without what is wrong, under its number, and another behind it with as many as may be.
        let right = Changeset(
            client: Record.ann, sequence: 1, stamp: whole.stamp, base: whole.base,
            operations: Array(whole.operations.prefix(50)))
        #expect(try commit([right], in: record).committed == 1)
        #expect(try commit([record.changeset(Record.ann, deletes(100))], in: record).committed == 2)
        #expect(try record.refusals(Record.ann).count == 100)
        #expect(try record.dog(49) != nil)
    }

    @Test("what stands for thousands of refused operations counts as thousands")
    func repeated() throws {
        let record = try Record(options: StoreEmbedded.Options(refusalBytesMax: 800_000, refusalsMax: 50_000))
        let unknown = Operation.delete(dog(7), life: 2)
        let changesets = (0..<10).map { _ in
            record.changeset(Record.ann, Array(repeating: unknown, count: 20_000))
        }
        let outcome = try commit(changesets, in: record)
        #expect(outcome.committed == 3 && outcome.failure?.code == .refusalsUnread)
    }

    @Test("what one copy was told and repeats itself weighs what it stands for, so a copy that comes late reads little")
    func repeatedAndTold() throws {
        let record = try Record(
            options: StoreEmbedded.Options(refusalBytesMax: 800_000, toldRefusalBytesMax: 480_000))
        let unknown = Operation.delete(dog(7), life: 2)
        for number in 1...6 as ClosedRange<UInt64> {
            let changeset = record.changeset(Record.ann, Array(repeating: unknown, count: 10_000))
            let outcome = try commit([changeset], in: record)
            #expect(outcome.committed == number && outcome.failure == nil)
            _ = try record.backend.register(Record.ann, user: "user", standing: DeviceStanding(acknowledged: number))
        }
        let snapshot = try record.store.snapshot()
        #expect(try snapshot.refusals(of: Record.ann, after: 0, through: 6).count == 30_000)
        #expect(try snapshot.refusals(of: Record.ann, after: 0, through: 6, limit: 500).count == 10_000)
    }

    @Test("a reason is kept once for all that are refused for it")
    func reasonsOnce() {
        var verdicts = Verdicts()
        let failures = [
            StoreFailure(.operationInvalid, "It does not fit."), StoreFailure(.objectUnknown, "It is not here."),
        ]
        for place in 0..<1_000 where place % 10 != 9 { verdicts.refuse(place, failures[place / 100 % 2]) }
        verdicts.refuse(0, failures[1])
        #expect(verdicts.count == 900 && verdicts.reasons == failures)
        #expect(verdicts.reason(of: 0) == 0 && verdicts.reason(of: 100) == 1)
        #expect(verdicts.reason(of: 9) == nil && verdicts.reason(of: 5_000) == nil)
        #expect(verdicts.ranges.map(\.operations).prefix(2) == [0..<9, 10..<19])
        #expect(verdicts.ranges.reduce(0) { $0 + $1.operations.count } == 900)
        #expect(verdicts.ranges.allSatisfy { $0.reason == $0.operations.lowerBound / 100 % 2 })
    }

    @Test("what an earlier build kept of each operation is told and let go like the rest")
    func earlierBuild() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1)))
        try record.write(Record.ann, set(dog(1), "colour", .null))
        var writer = ByteWriter()
        writer.write(string: "objectUnknown")
        writer.write(string: "The server has no such object.")
        writer.write(string: "Dog")
        writer.write(PrimaryKey.int(7))
        // Client 1, changeset 1, operation 3.
        let key: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3]
        try record.put("refusals", key, writer.bytes)
        let refusals = try record.refusals(Record.ann)
        let failure = StoreFailure(.objectUnknown, "The server has no such object.")
        #expect(refusals.first == Refusal(sequence: 1, operation: 3, target: dog(7), failure: failure))
        #expect(refusals.map(\.sequence) == [1, 2])
        _ = try record.backend.register(Record.ann, user: "user", standing: DeviceStanding(acknowledged: 1))
        #expect(try record.refusals(Record.ann, after: 1).map(\.sequence) == [2])
    }

    @Test("what one copy of a file has been told is kept for the others, the newest up to a bound, and counts no more")
    func told() throws {
        let bytesMax: UInt64 = 1_500
        let record = try Record(
            options: StoreEmbedded.Options(refusalBytesMax: bytesMax, toldRefusalBytesMax: bytesMax))
        let changesets = spoilt(40, in: record)
        var acknowledged: UInt64 = 0
        while acknowledged < 40 {
            let outcome = try commit(changesets, in: record)
            try #require(outcome.committed > acknowledged)
            #expect(
                try record.refusals(Record.ann, after: acknowledged).map(\.sequence)
                    == Array(acknowledged + 1...outcome.committed))
            acknowledged = outcome.committed
            _ = try record.backend.register(
                Record.ann, user: "user", standing: DeviceStanding(acknowledged: acknowledged))
            let kept = try record.refusals(Record.ann).map(\.sequence)
            #expect(kept.last == acknowledged && kept == Array(acknowledged + 1 - UInt64(kept.count)...acknowledged))
            #expect(try record.bytes(of: ["refusals"]) <= bytesMax)
        }
        let kept = try record.refusals(Record.ann)
        #expect(kept.count > 3 && kept.count < 40)
        // Hellos of every copy write nothing more, also after the record was opened again.
        let commits = try record.commits
        for acknowledged in [40, 38, 0, 40] as [UInt64] {
            _ = try record.backend.register(
                Record.ann, user: "user", standing: DeviceStanding(acknowledged: acknowledged))
        }
        #expect(try record.commits == commits)
        let again = try record.reopen()
        _ = try again.register(Record.ann, user: "user", standing: DeviceStanding(acknowledged: 40))
        let snapshot = try again.snapshot()
        #expect(try snapshot.refusals(of: Record.ann, after: 0, through: 40) == kept)
        #expect(try snapshot.refusals(of: Record.ann, after: 39, through: 40).map(\.sequence) == [40])
        #expect(try snapshot.refusals(of: Record.ann, after: 40, through: 40) == [])
    }
}
