import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("What a writer learns of objects that it may not read", .everyBackend)
struct HiddenObjectTests {
    private let ann = Record.ann
    private let bob = Record.bob

    enum Fate: CaseIterable {
        case here
        case ended
        case never
    }

    private struct Answer: Hashable {
        var outcome: CommitOutcome
        var refusals: [Refusal]
    }

    private func home(of client: ClientID, _ id: UInt64) -> ObjectReference {
        ObjectReference("Home", .container(ElementID(client: client, counter: id)))
    }

    private func rules(read: String, write: String, create: String = "FALSEPREDICATE") throws -> Permissions {
        func rule(_ text: String) throws -> AccessRules.Rule { .when(try Predicate.parse(text)) }
        return Permissions(
            AccessRules(byClass: [
                "Dog": AccessRules.OfClass(
                    read: try rule(read), create: try rule(create), write: try rule(write), delete: try rule(write))
            ]))
    }

    private func commit(
        _ record: Record, _ permissions: Permissions, base: UInt64? = nil, _ operations: [Operation]
    ) throws -> Answer {
        let changeset = record.changeset(ann, base: base, operations)
        record.time += 1
        let outcome = try record.backend.commit(
            [UploadBatch(client: ann, user: "user", permissions: permissions, changesets: [changeset])],
            receivedAt: record.time)[0]
        return Answer(outcome: outcome, refusals: try record.refusals(ann))
    }

    /// Databases of equal versions that differ in nothing but hidden dogs: what became of the fifth, and of its home.
    private func record(_ fate: Fate, historyVersionsMax: UInt64) throws -> Record {
        let record = try Record(
            "hidden \(fate)", options: StoreEmbedded.Options(historyVersionsMax: historyVersionsMax))
        let id: Int64 = fate == .never ? 7 : 5
        let home = home(of: bob, UInt64(id))
        try record.write(bob, create(dog(1), ("name", .string("ann"))))
        try record.write(
            bob, create(home, ("city", .string("Oslo"))), create(dog(8), ("name", .string("bob"))),
            create(dog(id), ("name", .string("bob")), ("home", .link(home.key))))
        try record.write(bob, .delete(dog(fate == .ended ? 5 : 8), life: 2))
        for age in Int64(0)..<3 { try record.write(bob, set(dog(1), "age", .int(age))) }
        return record
    }

    /// All that names the fifth dog or what is in it.
    private var attempts: [[Operation]] {
        let hidden = home(of: bob, 5)
        let own = home(of: ann, 20)
        let ownRoom = room(21)
        let toy = ListOperation.insert(ElementID(client: ann, counter: 30), left: nil, right: nil, value: .string("x"))
        return [
            [set(dog(5), "name", .string("ann"))],
            [set(dog(5), "age", .int(1)), set(dog(5), "age", .int(2))],
            [.list(dog(5), property: "toys", toy)],
            [.delete(dog(5), life: 2)],
            [.delete(dog(5), life: 2_000)],
            [.delete(dog(5), life: 1_026)],
            [create(dog(5), ("name", .string("ann")))],
            [create(dog(5), life: 3)],
            [create(dog(5), life: 1_025)],
            [set(dog(5), "age", .int(1)), create(dog(5)), .delete(dog(5), life: 2)],
            [create(own), set(dog(5), "home", .link(own.key))],
            [set(dog(5), "home", .link(hidden.key))],
            [set(hidden, "city", .string("Rome"))],
            [.delete(hidden, life: 2)],
            [create(ownRoom), set(hidden, "room", .link(ownRoom.key))],
            [set(dog(1), "home", .link(hidden.key))],
            [set(dog(5), "age", .int(1)), set(dog(1), "name", .string("ann"))],
        ]
    }

    @Test(
        "what is hidden, what has ended and what never was are answered alike, whatever is done about it",
        arguments: [1_000, 1] as [UInt64])
    func alike(historyVersionsMax: UInt64) throws {
        let permissions = try rules(read: "name == 'ann'", write: "name == 'ann'")
        for base in [nil, 1] as [UInt64?] {
            for (number, operations) in attempts.enumerated() {
                let answers = try Fate.allCases.map { fate in
                    let record = try record(fate, historyVersionsMax: historyVersionsMax)
                    return try commit(record, permissions, base: base, operations)
                }
                #expect(Set(answers).count == 1, "attempt \(number) on \(base ?? 0): \(answers)")
                #expect(answers[0].refusals.count >= min(operations.count, 1), "attempt \(number)")
            }
        }
    }

    @Test("the sentence speaks of what may be read, and the code makes a device keep what it wrote")
    func sentence() throws {
        let record = try record(.here, historyVersionsMax: 1_000)
        let answer = try commit(
            record, rules(read: "name == 'ann'", write: "name == 'ann'"), [set(dog(5), "age", .int(1))])
        #expect(answer.refusals.map(\.failure.code) == [.objectUnknown])
        #expect(answer.refusals[0].failure.message.contains("that this user may read"))
    }

    @Test("who could read an object before it ended goes on merging with its end")
    func seenEnds() throws {
        let record = try record(.here, historyVersionsMax: 1_000)
        let permissions = try rules(read: "name == 'ann'", write: "name == 'ann'")
        let (first, second) = (home(of: bob, 40), home(of: bob, 41))
        try record.write(bob, create(first), set(dog(1), "home", .link(first.key)))
        let seen = record.store.version.rawValue
        // Its home is another one now, and then the dog has ended.
        try record.write(bob, create(second), set(dog(1), "home", .link(second.key)))
        #expect(try commit(record, permissions, base: seen, [set(first, "city", .string("Rome"))]).refusals == [])
        try record.write(bob, .delete(dog(1), life: 2))
        let late: [Operation] = [
            set(dog(1), "age", .int(7)), set(second, "city", .string("Bonn")), .delete(dog(1), life: 2),
        ]
        #expect(try commit(record, permissions, base: seen, late).refusals == [])
        #expect(try record.dog(1) == nil)
    }

    @Test("what was read before it was hidden, and ended then, is answered as what never was")
    func hiddenFirst() throws {
        let record = try record(.here, historyVersionsMax: 1_000)
        let permissions = try rules(read: "name == 'ann'", write: "name == 'ann'")
        try record.write(bob, set(dog(1), "name", .string("bob")))
        try record.write(bob, .delete(dog(1), life: 2))
        let answer = try commit(record, permissions, base: 1, [set(dog(1), "age", .int(7))])
        #expect(answer.refusals.map(\.failure.code) == [.objectUnknown])
    }

    @Test("a create that is permitted tells what became of its key")
    func permittedCreates() throws {
        let permissions = try rules(read: "name == 'ann'", write: "name == 'ann'", create: "TRUEPREDICATE")
        let rows: [(fate: Fate, base: UInt64?, refused: [StoreFailure.Code], name: Value?)] = [
            (.never, nil, [], .string("ann")),
            (.here, nil, [.permissionDenied], .string("bob")),
            // Its end is behind the version that the create was made on: the delete wins.
            (.ended, 1, [], nil),
            // It is before that: a further life.
            (.ended, nil, [], .string("ann")),
        ]
        for row in rows {
            let record = try record(row.fate, historyVersionsMax: 1_000)
            let answer = try commit(record, permissions, base: row.base, [create(dog(5), ("name", .string("ann")))])
            #expect(answer.refusals.map(\.failure.code) == row.refused, "\(row)")
            #expect(try record.dog(5)?["name"] == row.name, "\(row)")
        }
    }

    @Test("who may write what they may not read changes it")
    func writers() throws {
        let record = try record(.here, historyVersionsMax: 1_000)
        let permissions = try rules(read: "name == 'ann'", write: "TRUEPREDICATE")
        #expect(try commit(record, permissions, [set(dog(5), "age", .int(7))]).refusals == [])
        #expect(try record.dog(5)?["age"] == .int(7))
    }

    @Test("who may read every object is told what has ended and what never was, as before")
    func open() throws {
        let record = try record(.ended, historyVersionsMax: 1_000)
        let permissions = try rules(read: "TRUEPREDICATE", write: "name == 'ann'")
        #expect(try commit(record, permissions, [set(dog(5), "age", .int(7))]).refusals == [])
        let never = try commit(record, permissions, [set(dog(50), "age", .int(7))]).refusals
        #expect(never.map(\.failure.code) == [.objectUnknown])
        #expect(never.first?.failure.message.contains("never had it") == true)
    }

    @Test("a part that another client made is refused in one sentence, whether it is elsewhere or nowhere")
    func parts() throws {
        let record = try record(.here, historyVersionsMax: 1_000)
        var sentences: Set<String> = []
        for id in [5, 6] as [UInt64] {
            let failure = try record.objection(ann, set(dog(1), "home", .link(home(of: bob, id).key)))
            #expect(failure?.code == .operationInvalid)
            sentences.insert(failure?.message ?? "")
        }
        #expect(sentences.count == 1)
    }

    // MARK: - What it costs to know

    /// A record in which thirty dogs that Ann could read ended at once, several times.
    private func ended(_ times: Int64, pastEntriesMax: Int = 100_000) throws -> Record {
        let record = try Record(
            "ended \(times) \(pastEntriesMax)", options: StoreEmbedded.Options(pastEntriesMax: pastEntriesMax))
        for time in 1...times {
            let dogs = (0..<30).map { dog(time * 100 + $0) }
            try record.commit(bob, record.changeset(bob, dogs.map { create($0, ("name", .string("ann"))) }))
            try record.commit(bob, record.changeset(bob, dogs.map { .delete($0, life: 2) }))
        }
        return record
    }

    /// One commit of uploads by new clients, each about one dog. Gives how many entries of the history were read, and what
    /// was refused of each.
    private func read(
        _ record: Record, _ uploads: [(user: String, dog: Int64)]
    ) throws -> (entries: Int, refused: [[StoreFailure.Code]]) {
        let permissions = try rules(read: "name == 'ann'", write: "name == 'ann'")
        let clients = uploads.indices.map { ClientID(UInt64(100 + $0)) }
        var batches: [UploadBatch] = []
        for (client, upload) in zip(clients, uploads) {
            _ = try record.backend.register(client, user: upload.user)
            batches.append(
                UploadBatch(
                    client: client, user: upload.user, permissions: permissions,
                    changesets: [record.changeset(client, [set(dog(upload.dog), "age", .int(1))])]))
        }
        let before = record.store.pastEntriesRead
        _ = try record.backend.commit(batches, receivedAt: record.time + 1)
        return (
            record.store.pastEntriesRead - before,
            try clients.map { try record.refusals($0).map(\.failure.code) }
        )
    }

    @Test("a record of the history is read once for all uploads of a commit")
    func readOnce() throws {
        let record = try ended(1)
        let (entries, refused) = try read(record, (0..<30).map { ("user \($0 % 3)", 100 + $0) })
        #expect(refused.allSatisfy { $0.isEmpty })
        // Thirty entries and their images, which are small.
        #expect(entries > 60 && entries <= 31 + 30 * 4)
    }

    @Test("many small uploads of one user have no more of the history read than one, and another user has their own")
    func readNoMore() throws {
        let record = try ended(12, pastEntriesMax: 100)
        let uploads = (1...11).map { (user: "mallory", dog: Int64($0 * 100)) } + [(user: "ann", dog: 1_200)]
        let (entries, refused) = try read(record, uploads)
        #expect(refused.last == [])
        #expect(refused.first == [])
        #expect(refused.dropLast().last == [.objectUnknown])
        // What may be read, and the record that goes beyond, for the one; a record and an image for the other.
        #expect(entries <= 100 + 35 + 35)
    }
}
