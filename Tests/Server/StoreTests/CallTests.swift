import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("Calls of back ends", .everyBackend)
struct CallTests {
    private func call(
        _ record: Record, base: UInt64? = nil, expecting expectations: [CallTerms.Expectation] = [], key: String? = nil,
        fingerprint: UInt64 = 1, permissions: Permissions? = nil, _ operations: Operation...
    ) throws -> CommitOutcome {
        record.time += 1
        let changeset = Changeset(
            client: Record.bob, sequence: 0, stamp: Stamp(time: .max, client: Record.bob),
            base: ServerVersion(base ?? record.store.version.rawValue), operations: operations)
        let receipt = key.map {
            CallTerms.Receipt(key: CallKey(user: "user", key: $0), fingerprint: fingerprint, answer: Array($0.utf8))
        }
        let batch = UploadBatch(
            client: Record.bob, user: "user", permissions: permissions, changesets: [changeset],
            call: CallTerms(expectations: expectations, receipt: receipt))
        return try record.backend.commit([batch], receivedAt: record.time)[0]
    }

    @Test("calls are numbered by the record, one after the other")
    func numbers() throws {
        let record = try Record()
        for number in 1...3 {
            let outcome = try call(record, create(dog(Int64(number))))
            #expect(outcome.failure == nil && outcome.committed == UInt64(number))
        }
        #expect(try record.dog(3) != nil)
    }

    @Test("a call of which one operation is refused is not applied, and leaves nothing behind")
    func wholeOrNothing() throws {
        let record = try Record()
        let before = record.store.version
        let outcome = try call(record, key: "k", create(dog(1)), set(dog(9), "name", .string("x")), create(dog(2)))
        #expect(outcome.failure?.code == .objectUnknown)
        #expect(outcome.failure?.refusals.map(\.operation) == [1])
        #expect(try record.dog(1) == nil && record.dog(2) == nil && record.store.version == before)
        #expect(try record.refusals(Record.bob).isEmpty && record.count("server.receipts") == 0)
        // The next call goes on as if nothing had been.
        #expect(try call(record, key: "k", create(dog(1))).failure == nil)
    }

    @Test("what a call expects is judged in the transaction that applies it")
    func expectations() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1)), create(dog(2)))
        let base = record.store.version.rawValue
        #expect(
            try call(record, base: base, expecting: [.life(dog(1), 1), .life(dog(3), 0)], create(dog(3))).failure == nil
        )
        #expect(try call(record, base: base, expecting: [.life(dog(3), 0)], create(dog(3))).failure?.code == .conflict)
        try record.write(Record.ann, set(dog(1), "name", .string("x")))
        let untouched = try call(record, base: base, expecting: [.untouched(dog(2))], set(dog(2), "name", .string("y")))
        #expect(untouched.failure == nil)
        let touched = try call(record, base: base, expecting: [.untouched(dog(1))], set(dog(1), "name", .string("y")))
        #expect(touched.failure?.code == .conflict)
        let made = try call(record, base: base, expecting: [.untouched(dog(3))], set(dog(3), "name", .string("y")))
        #expect(made.failure?.code == .conflict)
        try record.write(Record.ann, .delete(dog(1), life: 2))
        #expect(
            try call(record, expecting: [.life(dog(1), 1)], set(dog(1), "name", .string("z"))).failure?.code
                == .conflict)
    }

    @Test("calls in one commit see each other")
    func group() throws {
        let record = try Record()
        let batches = (0..<2).map { _ in
            UploadBatch(
                client: Record.bob, user: "user",
                changesets: [
                    Changeset(
                        client: Record.bob, sequence: 0, stamp: Stamp(time: .max, client: Record.bob), base: .zero,
                        operations: [create(dog(1))])
                ],
                call: CallTerms(
                    expectations: [.life(dog(1), 0)],
                    receipt: CallTerms.Receipt(key: CallKey(user: "user", key: "k"), fingerprint: 1, answer: [7])))
        }
        let outcomes = try record.backend.commit(batches, receivedAt: record.time)
        #expect(outcomes.map(\.failure) == [nil, nil])
        #expect(outcomes[0].receipt == nil && outcomes[1].receipt?.answer == [7])
        #expect(outcomes[1].receipt?.version == outcomes[0].version)
    }

    @Test("a key is known with its answer, and only for the call that it was used for")
    func keys() throws {
        let record = try Record()
        let first = try call(record, key: "k", create(dog(1)))
        let second = try call(record, key: "k", create(dog(2)))
        #expect(second.receipt == CallReceipt(fingerprint: 1, version: first.version, answer: Array("k".utf8)))
        #expect(try record.dog(2) == nil)
        #expect(try call(record, key: "k", fingerprint: 2, create(dog(2))).failure?.code == .callKeyReused)
        let known = try record.store.snapshot().receipt(CallKey(user: "user", key: "k"))
        #expect(known == second.receipt)
        #expect(try record.store.snapshot().receipt(CallKey(user: "use", key: "rk")) == nil)
    }

    @Test("a call with a key that changes nothing makes no version and leaves a receipt")
    func nothing() throws {
        let record = try Record()
        try record.write(Record.ann, create(dog(1)))
        let (version, commits) = (record.store.version, try record.commits)
        let first = try call(record, expecting: [.life(dog(1), 1)], key: "k")
        #expect(first.failure == nil && first.receipt == nil && first.version == version)
        #expect(try record.commits == commits + 1 && record.store.version == version)
        try record.write(Record.ann, .delete(dog(1), life: 2))
        // It is answered as it was, whatever has become of what it expected.
        let second = try call(record, expecting: [.life(dog(1), 1)], key: "k")
        #expect(second.receipt == CallReceipt(fingerprint: 1, version: version, answer: Array("k".utf8)))
        #expect(try call(record, key: "k", fingerprint: 2).failure?.code == .callKeyReused)
        #expect(try call(record, expecting: [.life(dog(1), 1)], key: "other").failure?.code == .conflict)
        #expect(try record.count("server.receipts") == 1 && record.problems() == [])
    }

    @Test("receipts are forgotten when they are too many or too old")
    func forgetting() throws {
        let record = try Record(
            options: StoreEmbedded.Options(receiptsMax: 5, receiptAgeMaxMilliseconds: 1_000))
        for number in 1...20 { _ = try call(record, key: "k\(number)", create(dog(Int64(number)))) }
        #expect(try record.count("server.receipts") == 5 && record.count("server.receipts.order") == 5)
        #expect(try call(record, key: "k20", create(dog(30))).receipt != nil)
        // As often as the oldest are removed with each new one.
        record.time += 10_000
        _ = try call(record, key: "new", create(dog(40)))
        #expect(try record.count("server.receipts") == 1)
        #expect(try call(record, key: "k20", create(dog(50))).receipt == nil)
        #expect(try record.problems() == [])
    }
}
