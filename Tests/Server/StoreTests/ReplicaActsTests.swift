import CausewayConversion
import CausewayFolders
import CausewayJournal
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import Testing

@Suite("What operators do to a database that many nodes serve")
struct ReplicaActsTests {
    private let replicas = Replicas()
    private let (first, second): (Replicas.Node, Replicas.Node)

    init() throws {
        (first, second) = (try replicas.node(), try replicas.node())
        try first.record.begin(with: StoreEmbedded.Options().settings)
        try first.record.extendSchema(Record.schema)
        _ = try first.write(Record.ann, at: 10, create(dog(1), ("name", .string("7")), ("age", .int(7))))
        try second.record.catchUp()
    }

    private func expectEqual() throws {
        for node in [first, second] { try node.record.catchUp() }
        #expect(try first.replica.digest() == second.replica.digest())
        #expect(first.record.position == second.record.position)
    }

    private func property(_ name: String, of node: Replicas.Node) throws -> Property? {
        try node.record.snapshot().schema["Dog"]?.properties.first { $0.name == name }
    }

    @Test(
        "what is dropped on one node goes on another when nobody uses it there; until then it is refused for a moment")
    func drop() throws {
        try first.record.drop("Dog", property: "age")
        #expect { try second.record.catchUp() } throws: { ($0 as? StoreFailure)?.code == .busy }
        #expect(second.record.isWaitingToBeAlone && second.record.end == nil)
        let before = replicas.journal.head().position
        #expect { try second.write(Record.bob, at: 20, create(dog(2))) } throws: {
            ($0 as? StoreFailure)?.retryAfterMilliseconds != nil
        }
        // Nothing that is refused comes into the journal, however often it is tried.
        #expect(replicas.journal.head().position == before)
        #expect(try property("age", of: second) != nil)
        try second.record.catchUpAlone()
        #expect(!second.record.isWaitingToBeAlone)
        #expect(try property("age", of: second) == nil && property("name", of: second) != nil)
        // What was refused for a moment may have come into the journal, and comes again.
        #expect(try second.write(Record.bob, at: 20, create(dog(2))).failure == nil)
        try expectEqual()
        // Devices that were told older versions are compared.
        #expect(try first.record.snapshot().historyStart == second.record.snapshot().historyStart)
    }

    @Test("an upload that another node appended behind a drop is applied behind it on all")
    func uploadBehindDrop() throws {
        try first.record.drop("Dog", property: nil)
        #expect(throws: StoreFailure.self) { try second.write(Record.ann, at: 20, set(dog(1), "name", .string("x"))) }
        try second.record.catchUpAlone()
        try expectEqual()
        #expect(try first.record.snapshot().schema["Dog"] == nil)
    }

    @Test("a node that starts finds nobody, and applies everything")
    func start() throws {
        try first.record.drop("Dog", property: "age")
        let third = try replicas.node()
        try third.record.begin(with: StoreEmbedded.Options().settings)
        #expect(third.record.position == first.record.position)
        #expect(try third.replica.digest() == first.replica.digest())
    }

    @Test("a property is converted on all nodes, or on none")
    func convert() throws {
        let wanted = PropertyConversion("Dog", "name", to: .int)
        let report = try first.record.convert(wanted)
        #expect(report.isConverted && report.objects == 1)
        try second.record.catchUpAlone()
        #expect(try property("name", of: second)?.type == .int)
        try expectEqual()
        // What cannot be converted leaves everything as it is, also where the entry is in the journal.
        #expect { try second.record.convert(PropertyConversion("Cat", "name", to: .int)) } throws: {
            ($0 as? StoreFailure)?.code == .schemaMismatch
        }
        try first.record.catchUpAlone()
        try expectEqual()
    }

    @Test("who is shut out on one node is on all, with the note and the time, and stays so in a snapshot")
    func shutOut() throws {
        // Names that Swift takes for equal are two users.
        let (name, other) = (ExactString("e\u{301}"), ExactString("\u{e9}"))
        try first.record.shutOut(ShutOut(.user(name), since: 10, note: "lost"))
        try first.record.shutOut(ShutOut(.client(Record.ann), since: 11))
        try second.record.shutOut(ShutOut(.user(name), since: 20))
        try expectEqual()
        let list = try second.replica.shutOuts()
        #expect(Set(list) == [ShutOut(.user(name), since: 10, note: "lost"), ShutOut(.client(Record.ann), since: 11)])
        #expect(try !second.record.letIn(.user(other)))
        #expect(try second.record.letIn(.user(name)))
        try expectEqual()
        let folder = replicas.newFolder()
        let copy = try second.replica.copyInMemory(toFolder: folder)
        try withExtendedLifetime(copy) {
            let third = try replicas.node(folder)
            #expect(try third.replica.shutOuts() == [ShutOut(.client(Record.ann), since: 11)])
            #expect(try StoreEmbedded.verify(copy).isSound)
        }
    }

    @Test("no more are shut out than the bound says, whichever nodes do it; a list moves into the journal and back")
    func bound() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        try StoreEmbedded.open(folder: folder.path, epochSeed: 5).close()
        let list = (1..<ShutOut.countMax).map { ShutOut(.client(ClientID(UInt64($0))), since: 1) }
        #expect(try StoreEmbedded.becomeReplica(folder: folder.path, shutOuts: list) == 5)
        let journal = MemoryJournal(database: 5, incarnation: 11)
        do {
            let replica = try StoreEmbedded.openReplica(folder: folder.path, of: 5)
            defer { replica.close() }
            let record = try StoreReplicated(replica, following: journal)
            try record.shutOut(ShutOut(.user("the last one"), since: 1))
            #expect { try record.shutOut(ShutOut(.user("one more"), since: 1)) } throws: {
                ($0 as? StoreFailure)?.code == .conflict
            }
            try record.shutOut(ShutOut(.client(ClientID(1)), since: 1, note: "known"))
        }
        let moved = try StoreEmbedded.becomeRecord(folder: folder.path)
        #expect(moved.count == ShutOut.countMax)
        let record = try StoreEmbedded.open(folder: folder.path, epochSeed: 5)
        defer { record.close() }
        #expect(try record.shutOuts().isEmpty)
    }

    @Test("a client is forgotten on all nodes; each hears of what was done, once")
    func acts() throws {
        _ = try first.record.register(Record.bob, user: "user")
        try second.record.catchUp()
        #expect(try first.record.forget(Record.bob) == .all)
        #expect(try first.record.forget(Record.bob) == nil)
        #expect(try first.record.forget(Record.ann) == .partly)
        try second.record.shutOut(ShutOut(.user("user"), since: 1))
        try expectEqual()
        #expect(second.record.takeActs().count == 4 && second.record.takeActs() == [])
        #expect(first.record.takeActs().last == .shutOut(ShutOut(.user("user"), since: 1)))
    }

    @Test("what carriers keep is on all nodes: the order of arrival, positions, and that what is old has gone")
    func keeping() throws {
        func reading(_ id: Int64) -> Operation {
            .create(ObjectReference("Reading", .int(id)), life: 1, fields: [FieldValue("value", .double(Double(id)))])
        }
        let day: UInt64 = 86_400_000
        _ = try first.record.register(Record.bob, user: "user")
        try first.record.keepOneWayOrder()
        #expect(
            try first.record.ingest(
                OneWayBatch(client: Record.bob, user: "user", first: 1, entries: [[reading(1)], [reading(2)]]),
                receivedAt: day) == 2)
        try second.record.catchUp()
        #expect(second.record.newestArrival == first.record.newestArrival && second.record.newestArrival > 0)
        // What is kept already, and what is not due, leaves no entry.
        let position = first.record.position
        try second.record.keepOneWayOrder()
        let through = second.record.newestArrival
        let young = DueArrivals(through: through, ageMinMilliseconds: day)
        #expect(try second.record.removeOneWay(young, at: day + 1, after: 0, countMax: 10) == nil)
        try second.record.liftArrivals(above: 1)
        #expect(second.record.position == position)

        try second.record.savePosition([7], of: "hook")
        try second.record.savePosition([7], of: "hook")
        #expect(second.record.position == position + 1)
        try first.record.catchUp()
        #expect(try first.record.position(of: "hook") == [7])
        let old = DueArrivals(through: through, ageMinMilliseconds: 10, classes: ["Reading"])
        #expect(try first.record.removeOneWay(old, at: day + 1_000, after: 0, countMax: 1) != nil)
        try first.record.liftArrivals(above: 1_000)
        try expectEqual()
    }
}
