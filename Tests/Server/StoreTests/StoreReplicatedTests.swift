import CausewayJournal
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import Testing

@Suite("A record that many nodes serve")
struct StoreReplicatedTests {
    private let replicas = Replicas()

    private func begun(_ node: Replicas.Node) throws -> Replicas.Node {
        try node.record.begin(with: StoreEmbedded.Options().settings)
        try node.record.extendSchema(Record.schema)
        return node
    }

    private func isEqual(_ nodes: Replicas.Node...) throws -> Bool {
        for node in nodes { try node.record.catchUp() }
        return Set(try nodes.map { try $0.replica.digest() }).count == 1 && Set(nodes.map(\.record.position)).count == 1
    }

    @Test("a device that goes to another node finds what it was told at the first")
    func nodes() throws {
        let (first, second) = (try begun(replicas.node()), try replicas.node())
        #expect(try first.write(Record.ann, at: 10, create(dog(1), ("name", .string("Rex")))).committed == 1)
        #expect(second.record.version == .zero)
        #expect(try second.record.register(Record.ann, user: "user").committed == 1)
        #expect(second.record.version == first.record.version)
        #expect(try second.write(Record.ann, at: 20, set(dog(1), "name", .string("Max"))).committed == 2)
        #expect(try isEqual(first, second))
    }

    @Test("what changes nothing leaves no entry")
    func nothingNew() throws {
        let node = try begun(replicas.node())
        _ = try node.record.register(Record.ann, user: "user")
        let declarer = Declarer(user: "user", time: 100)
        try node.record.extendSchema(Record.schema, by: declarer)
        let position = node.record.position
        _ = try node.record.register(Record.ann, user: "user")
        try node.record.extendSchema(Record.schema, by: declarer)
        try node.record.requireSchema(Record.schema, by: declarer)
        try node.record.take(StoreEmbedded.Options().settings)
        #expect(try !node.record.maintain(at: 0))
        #expect(throws: StoreFailure.self) { try node.record.register(Record.ann, user: "other") }
        #expect(throws: StoreFailure.self) {
            try node.record.requireSchema(Schema([ClassSchema(name: "Cat", properties: [])]), by: declarer)
        }
        #expect(node.record.position == position)
    }

    @Test("an append whose answer is lost is made again, and happens once", arguments: [true, false])
    func uncertain(isIn: Bool) throws {
        let journal = FailingJournal(replicas.journal)
        let (node, other) = (try begun(replicas.node(through: journal)), try replicas.node())
        _ = try node.write(Record.ann, at: 10, create(dog(1)))
        let before = node.record.version
        journal.fail(isIn ? .uncertainAfter : .uncertainBefore)
        let outcome = try node.write(Record.ann, at: 20, set(dog(1), "name", .string("Max")))
        #expect(outcome.committed == 2 && outcome.failure == nil)
        #expect(node.record.version.rawValue == before.rawValue + 1)
        #expect(try isEqual(node, other))
    }

    @Test("a call without a key is not made again, because it might happen twice")
    func uncertainCall() throws {
        let journal = FailingJournal(replicas.journal)
        let node = try begun(replicas.node(through: journal))
        _ = try node.record.register(Record.bob, user: "user")
        let changeset = Changeset(
            client: Record.bob, sequence: 0, stamp: Stamp(time: 1 << 16, client: Record.bob), base: .zero,
            operations: [create(dog(1))])
        var batch = UploadBatch(client: Record.bob, user: "user", changesets: [changeset], call: CallTerms())
        journal.fail(.uncertainBefore)
        #expect { try node.record.commit([batch], receivedAt: 10) } throws: {
            ($0 as? StoreFailure)?.code == .outcomeUnknown
        }
        batch.call?.receipt = CallTerms.Receipt(key: CallKey(user: "user", key: "k"), fingerprint: 1, answer: [])
        journal.fail(.uncertainAfter)
        #expect(try node.record.commit([batch], receivedAt: 10)[0].receipt?.version == node.record.version)
    }

    @Test("without the journal a node serves what it has, and devices come again")
    func away() throws {
        let journal = FailingJournal(replicas.journal)
        let node = try begun(replicas.node(through: journal))
        _ = try node.write(Record.ann, at: 10, create(dog(1)))
        journal.fail(.away)
        #expect { try node.write(Record.ann, at: 20, set(dog(1), "age", .int(3))) } throws: {
            ($0 as? StoreFailure)?.code == .busy && ($0 as? StoreFailure)?.retryAfterMilliseconds != nil
        }
        #expect(try node.record.snapshot().version == node.record.version)
        #expect(node.record.end == nil)
        #expect(try node.write(Record.ann, at: 20, set(dog(1), "age", .int(3))).committed == 2)
    }

    @Test("a journal that lost entries ends the replica that has them; the next one names its versions otherwise")
    func lostTail() throws {
        let (node, behind) = (try begun(replicas.node()), try replicas.node())
        _ = try node.write(Record.ann, at: 10, create(dog(1)))
        try behind.record.catchUp()
        _ = try node.write(Record.ann, at: 20, set(dog(1), "age", .int(3)))
        let (version, run) = (node.record.version, try node.record.snapshot().lineage().run(of: node.record.version))
        replicas.journal.lose(1, incarnation: 12)
        // Who has none of what was lost goes on, and makes another version of that number.
        #expect(try behind.write(Record.bob, at: 30, set(dog(1), "age", .int(4))).failure == nil)
        #expect(behind.record.version == version)
        #expect(try !behind.record.snapshot().lineage().knows(version, of: run, newest: version))
        #expect(throws: StoreFailure.self) { try node.record.catchUp() }
        #expect(node.record.end?.remedy == .beginAgain)
        #expect { try node.record.snapshot() } throws: { ($0 as? StoreFailure)?.code == .closed }
        #expect(try isEqual(behind, replicas.node()))
    }

    @Test("an entry that needs newer software stops a node, and says so")
    func generations() throws {
        let old = try begun(replicas.node())
        let new = try replicas.node(nil, StoreReplicated.Options(generation: 2))
        _ = try old.write(Record.ann, at: 10, create(dog(1)))
        #expect(try new.write(Record.bob, at: 20, create(dog(2))).failure == nil)
        try old.record.catchUp()
        try new.record.switchOn(generation: 2)
        #expect(throws: StoreFailure.self) { try old.record.catchUp() }
        #expect(old.record.end?.remedy == .operatorNeeded)
        #expect(old.record.end?.message.contains("generation 2") == true)
        // Everything behind it needs the same.
        _ = try new.write(Record.bob, at: 30, create(dog(3)))
        let last = try #require(try replicas.journal.read(after: new.record.position - 1, limit: 1).first)
        #expect(try JournalEntry(encoded: last.bytes).oldestGeneration == 2)
        let updated = try replicas.node(old.folder, StoreReplicated.Options(generation: 2))
        #expect(try isEqual(updated, new))
    }

    @Test("a node whose state is not that of the others stops")
    func digests() throws {
        let node = try begun(replicas.node(nil, StoreReplicated.Options(digestEvery: 1)))
        _ = replicas.journal.note(.empty(of: 1), at: node.record.position + 1)
        #expect(throws: StoreFailure.self) { try node.write(Record.ann, at: 10, create(dog(1))) }
        #expect(node.record.end?.remedy == .stateDiffers)
        // Opened anew it is what it was.
        let again = try replicas.node(node.folder, StoreReplicated.Options(digestEvery: 1))
        #expect(throws: StoreFailure.self) { try again.record.begin(with: StoreEmbedded.Options().settings) }
        #expect(again.record.end?.remedy == .stateDiffers)
    }

    @Test("a node begins from a copy of a replica, where the journal has forgotten its beginning")
    func snapshots() throws {
        let node = try begun(replicas.node())
        _ = try node.write(Record.ann, at: 10, create(dog(1), ("toys", .null)))
        let mark = try node.replica.mark
        let folder = replicas.newFolder()
        let copy = try node.replica.copyInMemory(toFolder: folder)
        defer { withExtendedLifetime(copy) {} }
        #expect(replicas.journal.forget(through: mark.position, chain: mark.chain))
        _ = try node.write(Record.ann, at: 20, set(dog(1), "age", .int(3)))
        let late = try replicas.node()
        #expect(throws: StoreFailure.self) { try late.record.catchUp() }
        #expect(late.record.end?.remedy == .beginAgain)
        let begun = try replicas.node(folder)
        #expect(begun.record.position == mark.position)
        #expect(try isEqual(node, begun))
    }

    @Test("a replica changes by entries alone, each once and in order, and only a node opens it")
    func replicaAlone() throws {
        let node = try begun(replicas.node())
        #expect(throws: StoreFailure.self) { try node.replica.register(Record.ann, user: "user") }
        #expect(throws: StoreFailure.self) { try node.replica.drop("Dog") }
        #expect(throws: StoreFailure.self) { try node.replica.maintain(at: 1 << 40) }
        let options = StoreEmbedded.Options(mapSizeBytes: 1 << 26, inMemory: true)
        #expect(throws: StoreFailure.self) {
            try StoreEmbedded.open(folder: node.folder, options: options, epochSeed: 9)
        }
        #expect(throws: StoreFailure.self) {
            try StoreEmbedded.openReplica(folder: node.folder, options: options, of: 6)
        }
        let mark = try node.replica.mark
        let entry = JournalEntry(incarnation: 11, body: .maintain(time: 1))
        #expect(throws: StoreFailure.self) { try node.replica.apply(entry, to: mark) }
        let later = JournalMark(position: mark.position + 2, chain: mark.chain, generation: 1)
        #expect(throws: StoreFailure.self) { try node.replica.apply(entry, to: later) }
        #expect(try node.replica.mark == mark)
        let embedded = try Record(epoch: 5)
        #expect(throws: StoreFailure.self) { try embedded.store.mark }
    }

    @Test("an entry that is refused moves the replica on, and changes nothing else")
    func refusedEntries() throws {
        let (node, other) = (try begun(replicas.node()), try replicas.node())
        _ = try node.record.register(Record.ann, user: "user")
        // Two nodes that have not heard of each other may both append it.
        let entry = JournalEntry(
            incarnation: 11,
            body: .register(JournalEntry.Registration(client: Record.ann, user: "other", standing: DeviceStanding())))
        let position = try replicas.journal.append([entry.encoded], in: 11)
        #expect(try isEqual(node, other))
        #expect(node.record.position == position)
        #expect(try node.record.register(Record.ann, user: "user").committed == 0)
    }
}
