import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("What the record keeps of the openings of files", .everyBackend)
struct CopiedFileTests {
    @Test("it notes which opening made what is committed, tells it at the next hello, and keeps it when it opens again")
    func openings() throws {
        let record = try Record()
        for (id, opening) in [(1, 5), (2, 5), (3, 6), (4, 0), (5, 6)] as [(Int64, UInt64)] {
            var changeset = record.changeset(Record.ann, [create(dog(id))])
            changeset.opening = opening
            try record.commit(Record.ann, changeset)
        }
        let expected: [Openings.Run] = [
            .init(id: 5, first: 1), .init(id: 6, first: 3), .init(id: 0, first: 4), .init(id: 6, first: 5),
        ]
        #expect(try record.backend.register(Record.ann, user: "user").openings.runs == expected)
        #expect(try record.reopened().register(Record.ann, user: "user").openings.runs == expected)
        // A build that names none leaves the record as it was.
        try record.write(Record.bob, create(dog(9)))
        #expect(try record.backend.register(Record.bob, user: "user").openings.isEmpty)
        // Of what was lost and gone over nobody knows who made it.
        let lifted = try record.backend.register(Record.ann, user: "user", standing: DeviceStanding(oldest: 9))
        #expect(lifted.committed == 8 && lifted.openings.isEmpty)
    }

    @Test("what a file made under the name that it had before is its own, of another user's it is not")
    func predecessors() throws {
        let record = try Record()
        let insert = Operation.list(
            dog(1), property: "toys",
            .insert(ElementID(client: Record.ann, counter: 1 << 40), left: nil, right: nil, value: .string("ball")))
        try record.write(Record.bob, create(dog(1)))
        let (copy, stranger) = (ClientID(40), ClientID(41))
        _ = try record.backend.register(copy, user: "user")
        #expect(try record.objection(copy, insert)?.code == .operationInvalid)
        let standing = DeviceStanding(predecessor: Record.ann)
        _ = try record.backend.register(copy, user: "user", standing: standing)
        #expect(try record.objection(copy, insert) == nil)
        #expect(try record.toys(1) == [.string("ball")])
        let failure = #expect(throws: StoreFailure.self) {
            try record.backend.register(stranger, user: "mallory", standing: standing)
        }
        #expect(failure?.code == .permissionDenied)
        // Nor of one that nobody has registered.
        _ = try record.backend.register(stranger, user: "mallory", standing: DeviceStanding(predecessor: ClientID(99)))
        // And saying so again writes nothing.
        let commits = try record.commits
        for predecessor in [ClientID(99), stranger, .nobody] {
            _ = try record.backend.register(
                stranger, user: "mallory", standing: DeviceStanding(predecessor: predecessor))
        }
        _ = try record.backend.register(copy, user: "user", standing: standing)
        #expect(try record.commits == commits)
        // A copy of the copy has what both of them made.
        let third = ClientID(42)
        _ = try record.backend.register(third, user: "user", standing: DeviceStanding(predecessor: copy))
        #expect(
            try record.objection(
                third,
                .list(
                    dog(1), property: "toys",
                    .insert(ElementID(client: Record.ann, counter: 1 << 41), left: nil, right: nil, value: .string("x"))
                ))
                == nil)
    }

    @Test("a changeset of another copy is no repetition of the one that has its number")
    func twoAtOnce() throws {
        let record = try Record()
        var first = record.changeset(Record.ann, [create(dog(1))])
        first.opening = 5
        var other = first
        (other.opening, other.operations) = (6, [create(dog(2))])
        #expect(try record.commit(Record.ann, first).failure == nil)
        let refused = try record.commit(Record.ann, other)
        #expect(refused.failure?.code == .sequenceGap && refused.committed == 0)
        // A repetition is answered as ever, one of which nobody knows who made it too.
        let again = try record.commit(Record.ann, first)
        other.opening = 0
        let unknown = try record.commit(Record.ann, other)
        #expect([again, unknown].allSatisfy { $0.failure == nil && $0.committed == 1 })
        #expect(try record.dog(2) == nil)
    }

    @Test("what a copy wrote offline is as old as it says, and does not win over what others wrote since")
    func oldWrites() throws {
        let record = try Record()
        func named(_ name: String) -> Operation { .set(dog(1), FieldValue("name", .string(name))) }
        try record.write(Record.ann, at: 100, create(dog(1)))
        let base = record.store.version.rawValue
        try record.write(Record.bob, at: 800, named("of bob"))
        try record.write(Record.ann, at: 900, .set(dog(1), FieldValue("age", .int(9))))
        let copy = ClientID(40)
        _ = try record.backend.register(copy, user: "user", standing: DeviceStanding(predecessor: Record.ann))
        try record.write(copy, base: base, at: 500, named("of the copy"))
        #expect(try record.dog(1)?["name"] == .string("of bob"))
    }

    @Test("what a copy wrote stays behind what it has in common with its original, also with a clock that runs ahead")
    func orderAfterTheCommonPast() throws {
        let record = try Record()
        func named(_ name: String) -> Operation { .set(dog(1), FieldValue("name", .string(name))) }
        // All of it is of the future, and its stamps are lowered to when they came: two of one batch in the same instant.
        let ahead = record.time + 1_000_000
        try record.write(Record.bob, create(dog(1)))
        let base = record.store.version.rawValue
        try record.commit(
            Record.ann, record.changeset(Record.ann, base: base, at: ahead, [named("first")]),
            record.changeset(Record.ann, base: base, at: ahead + 1, [named("second")]))
        let copy = ClientID(40)
        _ = try record.backend.register(copy, user: "user", standing: DeviceStanding(predecessor: Record.ann))
        record.time -= 1
        try record.write(copy, base: base, at: ahead + 2, named("of the copy"))
        #expect(try record.dog(1)?["name"] == .string("of the copy"))
    }

    @Test("one-way entries of another copy are no repetition of those that have their numbers, also in part")
    func oneWayEntries() throws {
        let record = try Record()
        func batch(_ first: UInt64, _ ids: ClosedRange<Int64>, opening: UInt64) -> OneWayBatch {
            OneWayBatch(
                client: Record.ann, user: "user", first: first,
                entries: ids.map { [.create(ObjectReference("Reading", .int($0)), life: 1, fields: [])] },
                opening: opening)
        }
        #expect(try record.backend.ingest(batch(1, 1...3, opening: 5), receivedAt: 1) == 3)
        for other in [batch(1, 11...13, opening: 6), batch(3, 11...14, opening: 6), batch(2, 11...11, opening: 6)] {
            let failure = #expect(throws: StoreFailure.self) { try record.backend.ingest(other, receivedAt: 2) }
            #expect(failure?.code == .sequenceGap)
        }
        #expect(try record.store.count(of: "Reading") == 3)
        // A repetition is answered as ever, one of which nobody knows who made it too, and a newer opening goes on.
        #expect(try record.backend.ingest(batch(1, 1...3, opening: 5), receivedAt: 3) == 3)
        // What is behind it is nobody's word: another copy may have sent that.
        #expect(try record.backend.ingest(batch(2, 2...2, opening: 0), receivedAt: 3) == 2)
        #expect(try record.backend.ingest(batch(4, 4...5, opening: 7), receivedAt: 3) == 5)
        let expected: [Openings.Run] = [.init(id: 5, first: 1), .init(id: 7, first: 4)]
        #expect(try record.backend.register(Record.ann, user: "user").oneWayOpenings.runs == expected)
        let known = try record.reopened().register(Record.ann, user: "user")
        #expect(known.oneWayOpenings.runs == expected && known.openings.isEmpty)
        // Of what was lost and gone over nobody knows who made it.
        let lifted = try record.backend.register(Record.ann, user: "user", standing: DeviceStanding(oldestOneWay: 9))
        #expect(lifted.ingested == 8 && lifted.oneWayOpenings.isEmpty)
    }

    @Test("what a copy adds to a counter counts on what its file had set before, not on what the other file set since")
    func counters() throws {
        let record = try Record()
        try record.addCounter("likes", to: "Dog")
        func assign(_ value: Int64) -> Operation { .set(dog(1), FieldValue("likes", .int(value))) }
        let add = Operation.add(dog(1), property: "likes", Addition(1))
        try record.write(Record.bob, create(dog(1)))
        let base = record.store.version.rawValue
        // Both changesets were made on this version: the first is what the copy has in common with its original.
        try record.write(Record.ann, base: base, assign(10))
        let copy = ClientID(40)
        _ = try record.backend.register(copy, user: "user", standing: DeviceStanding(predecessor: Record.ann))
        try record.write(copy, base: base, add)
        #expect(try record.dog(1)?["likes"] == .int(11))
        try record.write(Record.ann, base: base, assign(20))
        try record.write(copy, base: base, add)
        #expect(try record.dog(1)?["likes"] == .int(20))
        // Another client has seen neither.
        try record.write(Record.bob, base: base, add)
        #expect(try record.dog(1)?["likes"] == .int(20))
    }
}
