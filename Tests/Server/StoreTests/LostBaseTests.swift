import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// Bases are numbers, and a restored server gives the numbers that it has lost once more.
@Suite("What a changeset counts as seen that was made on a version which a restored server has lost")
struct LostBaseTests {
    @Test("of what was committed since the restore its writer has seen nothing: no addition and no create means it")
    func lostBase() throws {
        let record = try Record(epoch: 7)
        try record.addCounter("likes", to: "Dog")
        try record.write(Record.bob, create(dog(1)), create(dog(2)))
        let common = record.store.version.rawValue
        // Run 7 went on to version 9, which is lost. Run 99 is the one after the restore.
        let restored = try record.reopen()
        func commit(_ client: ClientID, base: UInt64, of run: UInt64, _ operations: Operation...) throws {
            var changeset = record.changeset(client, base: base, operations)
            changeset.run = run
            record.time += 1
            let outcome = try restored.commit(
                [UploadBatch(client: client, user: "user", changesets: [changeset])], receivedAt: record.time)[0]
            #expect(outcome.failure == nil)
        }
        func add(_ amount: Int64) -> Operation { .add(dog(1), property: "likes", Addition(amount)) }
        try commit(
            Record.bob, base: common, of: 7, .set(dog(1), FieldValue("likes", .int(10))), .delete(dog(2), life: 2))
        let newest = restored.version.rawValue
        #expect(newest == common + 1)
        for (base, run, expected) in [
            // A lost version, of a run that is known and of one that is not.
            (9, 7, 10), (9, 55, 10),
            // The newest version that both pasts share; the newest of all; a version of which no run is told.
            (common, 7, 10), (newest, 99, 11), (9, 0, 12),
        ] as [(UInt64, UInt64, Int64)] {
            try commit(Record.ann, base: base, of: run, add(1))
            #expect(try record.dog(1)?["likes"] == .int(expected), "base \(base) of \(run)")
        }
        for (base, run, isBack) in [(9, 7, false), (9, 55, false), (newest, 99, true)] as [(UInt64, UInt64, Bool)] {
            try commit(Record.ann, base: base, of: run, create(dog(2)))
            #expect(try (record.dog(2) != nil) == isBack, "base \(base) of \(run)")
        }
    }

    @Test("what had left its writer's view counts as seen up to a version of the run that told it, which may be lost")
    func lostLeave() throws {
        let record = try Record("lostLeave", epoch: 7)
        try record.addCounter("likes", to: "Dog")
        for number in 1...3 as ClosedRange<Int64> { try record.write(Record.bob, create(dog(number))) }
        let common = record.store.version.rawValue
        // Run 7 went on to version 20, which is lost.
        let restored = try record.reopen()
        func commit(
            _ client: ClientID, base: UInt64, lastSeen: [Changeset.LastSeen] = [], _ operations: Operation...
        ) throws {
            var changeset = record.changeset(client, base: base, operations)
            (changeset.run, changeset.lastSeen) = (99, lastSeen)
            record.time += 1
            let outcome = try restored.commit(
                [UploadBatch(client: client, user: "user", changesets: [changeset])], receivedAt: record.time)[0]
            #expect(outcome.failure == nil)
        }
        func seen(_ version: UInt64, of run: UInt64?, _ objects: ObjectReference...) -> Changeset.LastSeen {
            Changeset.LastSeen(ServerVersion(version), of: run, Set(objects))
        }
        try commit(
            Record.bob, base: common, .set(dog(1), FieldValue("likes", .int(10))), .delete(dog(2), life: 2))
        try commit(Record.bob, base: common, .delete(dog(3), life: 2))
        let newest = restored.version.rawValue
        // What the addition means counts from the value that its writer saw.
        for (lastSeen, expected) in [
            // Of the run that was lost its number says nothing of what was committed since, nor does the lowest of several.
            ([seen(20, of: 7, dog(1))], 10), ([seen(newest, of: 55, dog(1))], 10),
            ([seen(newest, of: nil, dog(2)), seen(20, of: 7, dog(1))], 10),
            // Another object's; one of the run of the base; one of the lost run that is not lost.
            ([seen(20, of: 7, dog(2))], 11), ([seen(newest, of: nil, dog(1))], 12), ([seen(common, of: 7, dog(1))], 12),
        ] as [([Changeset.LastSeen], Int64)] {
            try commit(Record.ann, base: newest, lastSeen: lastSeen, .add(dog(1), property: "likes", Addition(1)))
            #expect(try record.dog(1)?["likes"] == .int(expected), "\(lastSeen)")
        }
        for (number, lastSeen, isBack) in [
            (2, seen(20, of: 7, dog(2)), false), (2, seen(newest, of: nil, dog(2)), true),
            (3, seen(20, of: 7, dog(3)), false), (3, seen(newest, of: 99, dog(3)), true),
        ] as [(Int64, Changeset.LastSeen, Bool)] {
            try commit(Record.ann, base: newest, lastSeen: [lastSeen], create(dog(number)))
            #expect(try (record.dog(number) != nil) == isBack, "\(lastSeen)")
        }
    }

    @Test("what its writer deleted itself it has seen to end, whatever was lost: what it made again comes back")
    func ownEnds() throws {
        for isOneUpload in [true, false] {
            let record = try Record("ownEnds\(isOneUpload)", epoch: 7)
            try record.write(Record.bob, create(dog(1)))
            // Of run 7 only version 1 is left. The device had forgotten that it deleted the object when it made it again.
            let restored = try record.reopen()
            let (made, ended, again) = (create(dog(2)), Operation.delete(dog(2), life: 2), create(dog(2)))
            let steps: [(base: UInt64, operation: Operation)] = [(1, made), (5, ended), (9, again)]
            let changesets = steps.map { base, operation in
                var changeset = record.changeset(Record.ann, base: base, [operation])
                changeset.run = 7
                return changeset
            }
            for batch in isOneUpload ? [changesets] : changesets.map({ [$0] }) {
                record.time += 1
                let outcome = try restored.commit(
                    [UploadBatch(client: Record.ann, user: "user", changesets: batch)], receivedAt: record.time)[0]
                #expect(outcome.failure == nil)
            }
            #expect(try record.dog(2) != nil)
        }
    }
}
