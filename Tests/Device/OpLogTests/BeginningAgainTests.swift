import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewaySeeds
import Testing

@Suite("A copied file goes on as another client")
struct BeginningAgainTests {
    private static let seeds = SeedList.drawn(for: "beginning-again", count: 160)

    private func beginAgain(
        _ device: Device, after agreed: UInt64, oneWay agreedOneWay: UInt64 = 0, as client: UInt64,
        refused: [OperationRefusal] = []
    ) throws {
        let transaction = try device.store.write()
        defer { transaction.end() }
        _ = try device.replica.beginAgain(
            after: agreed, oneWay: agreedOneWay, as: ClientID(client), refused: refused, in: transaction)
        _ = try transaction.commit()
    }

    private func create(_ device: Device, _ ids: Int64...) throws {
        try device.write { transaction in
            for id in ids { _ = try transaction.table("Note")!.create(.int(id), row: row(id)) }
        }
    }

    @Test(
        "what is in common counts as acknowledged, the rest is numbered anew under the new name, and nothing seen changes"
    )
    func renumbering() throws {
        let device = try Device(1, opening: 5)
        try create(device, 1)
        try device.apply(ViewChange(messages: [], acknowledged: 1, version: ServerVersion(1), view: .everything))
        try create(device, 2)
        try create(device, 3)
        try device.write { transaction in
            let notes = transaction.table("Note")!
            notes.delete(notes.key(for: .int(2))!)
        }
        let before = try device.visible
        let pending = try device.pending()
        #expect(pending.map(\.sequence) == [2, 3, 4] && pending.allSatisfy { $0.opening == 5 })

        try beginAgain(device, after: 2, as: 77)
        let moved = try device.pending()
        #expect(try device.visible == before)
        #expect(moved.map(\.sequence) == [1, 2] && moved.map(\.client) == [ClientID(77), ClientID(77)])
        #expect(moved.map(\.operations) == pending.suffix(2).map(\.operations))
        #expect(moved.map(\.stamp.time) == pending.suffix(2).map(\.stamp.time))
        let state = try device.state
        #expect(state.client == ClientID(77) && state.predecessor == ClientID(1))
        #expect(state.lastSequence == 2 && state.acknowledged == 0 && state.version == ServerVersion(1))
        #expect(try device.read { try device.replica.oldestChangeset(in: $0) } == 1)

        // The server has the deleted one from the time before, and the acknowledgement of the new lane settles all.
        try create(device, 4)
        #expect(try device.pending().map(\.sequence) == [1, 2, 3])
        try device.apply(
            ViewChange(messages: [], acknowledged: 3, version: ServerVersion(9), view: .everything))
        #expect(try device.visible.keys.count == 3 && device.pending().isEmpty)
        #expect(try device.bookkeeping("sync.bases") == 0 && device.bookkeeping("sync.touched") == 0)
    }

    @Test("what the server says of an object that is still pending under the new name meets the pending operations")
    func pendingMeets() throws {
        let device = try Device(1, opening: 5)
        try device.apply(
            ViewChange(
                messages: [
                    .enter(
                        person("Ada"),
                        ObjectState(
                            life: 1, fields: [.init("age", .int(3), stamp: Stamp(time: 1, client: ClientID(2)))],
                            born: Stamp(time: 1, client: ClientID(2))))
                ], acknowledged: 0, version: ServerVersion(1), view: .everything))
        for age in [4, 5] as [Int64] {
            try device.write { transaction in
                let people = transaction.table("Person")!
                people.set(people.key(for: .string("Ada"))!, Column.age, .int(age))
            }
        }
        try beginAgain(device, after: 1, as: 9)
        let later = Stamp(time: 2, client: ClientID(2))
        try device.apply(
            ViewChange(
                messages: [
                    .update(person("Ada"), ObjectState(life: 1, fields: [.init("age", .int(8), stamp: later)]))
                ], acknowledged: 0, version: ServerVersion(2), view: .everything))
        let age = try device.read { transaction in
            let people = transaction.table("Person")!
            return people.value(people.key(for: .string("Ada"))!, Column.age)
        }
        #expect(age == .int(5))
        try device.apply(ViewChange(messages: [], acknowledged: 1, version: ServerVersion(3), view: .everything))
        #expect(try device.pending().isEmpty && device.bookkeeping("sync.bases") == 0)
    }

    @Test("what was refused of the common past is set aside, and what was of another file's changesets is not")
    func refused() throws {
        let device = try Device(1, opening: 5)
        let known = Stamp(time: 1, client: ClientID(2))
        try device.apply(
            ViewChange(
                messages: [
                    .enter(
                        person("Ada"),
                        ObjectState(life: 1, fields: [.init("age", .int(3), stamp: known)], born: known))
                ], acknowledged: 0, version: ServerVersion(1), view: .everything))
        func age() throws -> Value {
            try device.read { transaction in
                let people = transaction.table("Person")!
                return people.value(people.key(for: .string("Ada"))!, Column.age)
            }
        }
        for age in [4, 5, 6] as [Int64] {
            try device.write { transaction in
                let people = transaction.table("Person")!
                people.set(people.key(for: .string("Ada"))!, Column.age, .int(age))
            }
        }
        let copy = try device.pending()
        try beginAgain(
            device, after: 2, as: 9,
            refused: [2, 3].map { OperationRefusal(sequence: $0, operation: 0, code: 307, reason: "no") })
        let changes = try device.read { try Replica.quarantined(in: $0) }
        #expect(changes.map(\.code) == [307] && changes.first?.operations == copy[1].operations)
        #expect(try device.pending().map(\.operations) == [copy[2].operations])
        #expect(try age() == .int(6))
        // What both have but for the refused one is what the server says.
        let joined = Stamp(time: copy[0].stamp.time, client: ClientID(1))
        try device.apply(
            ViewChange(
                messages: [
                    .update(person("Ada"), ObjectState(life: 1, fields: [.init("age", .int(4), stamp: joined)]))
                ],
                acknowledged: 0, version: ServerVersion(2), view: .everything))
        #expect(try age() == .int(6) && device.read { try Replica.quarantined(in: $0) } == changes)
    }

    @Test("one-way entries that both have in common are dropped, and the rest is numbered anew and leaves by opening")
    func oneWay() throws {
        let device = try Device(1, opening: 5)
        func write(_ ids: ClosedRange<Int64>) throws {
            for id in ids {
                try device.write { transaction in
                    _ = try transaction.table("Reading")!.create(.int(id), row: [.int(id), .double(1), .null])
                }
            }
        }
        func pending(after number: UInt64) throws -> (first: UInt64, keys: [PrimaryKey], opening: UInt64)? {
            let batch = try device.read {
                try device.replica.pendingOneWay(in: $0, after: number, limitBytes: .max)
            }
            return batch.map { ($0.first, $0.entries.flatMap { $0.map(\.target.key) }, $0.opening) }
        }
        try write(1...4)
        try device.reopen(as: 6)
        try write(5...6)
        #expect(try #require(try pending(after: 1)) == (2, [.int(2), .int(3), .int(4)], 5))
        #expect(try #require(try pending(after: 4)) == (5, [.int(5), .int(6)], 6))
        try device.reopen(as: 7)
        try write(7...7)
        try beginAgain(device, after: 0, oneWay: 3, as: 77)
        let state = try device.state
        #expect(state.lastOneWay == 4 && state.acknowledgedOneWay == 0)
        // What it makes anew it makes in the opening in which it began again.
        #expect(try #require(try pending(after: 0)) == (1, [.int(4), .int(5), .int(6), .int(7)], 7))
        try write(8...8)
        #expect(try pending(after: 4)?.opening == 7)
    }

    @Test("a change that acknowledges what another copy made under a number of this file is told from one's own")
    func acknowledgementsOfCopies() throws {
        let device = try Device(1, opening: 5)
        try create(device, 1)
        try create(device, 2)
        try device.reopen(as: 6)
        try create(device, 3)
        func isOfCopy(_ acknowledged: UInt64, by opening: UInt64) throws -> Bool {
            try device.read { try device.replica.isOfCopy(acknowledged: acknowledged, by: opening, in: $0) }
        }
        #expect(try !isOfCopy(2, by: 5) && !isOfCopy(3, by: 6) && isOfCopy(3, by: 5) && isOfCopy(2, by: 9))
        // What the file never made is of a copy as well; where the server names no opening nothing is known.
        #expect(try isOfCopy(4, by: 6) && !isOfCopy(4, by: 0) && !isOfCopy(3, by: 0))
        try device.apply(ViewChange(messages: [], acknowledged: 2, version: ServerVersion(1), view: .everything))
        #expect(try !isOfCopy(2, by: 9) && isOfCopy(3, by: 9))
    }

    @Test("however often a file was opened before it was synced, it knows who made each of its entries")
    func manyOpenings() throws {
        let device = try Device(1, opening: 101)
        func openings() throws -> (changesets: Openings, oneWay: Openings) {
            try device.read { try device.replica.openings(in: $0) }
        }
        for number in 1...60 as ClosedRange<UInt64> {
            if number > 1 { try device.reopen(as: 100 + number) }
            for half in 0..<2 as Range<UInt64> {
                try device.write { transaction in
                    let id = Int64(2 * number + half)
                    _ = try transaction.table("Note")!.create(.int(id), row: row(id))
                    _ = try transaction.table("Reading")!.create(.int(id), row: [.int(id), .double(1), .null])
                }
            }
        }
        let expected = (1...60 as ClosedRange<UInt64>).map { Openings.Run(id: 100 + $0, first: 2 * $0 - 1) }
        #expect(try openings().changesets.runs == expected && openings().oneWay.runs == expected)
        for sequence in 0..<120 as Range<UInt64> {
            let batch = try device.pending(after: sequence)
            #expect(batch.count == (sequence % 2 == 0 ? 2 : 1) && batch[0].opening == 101 + sequence / 2)
            let oneWay = try device.read { try device.replica.pendingOneWay(in: $0, after: sequence, limitBytes: .max) }
            #expect(oneWay?.opening == 101 + sequence / 2)
        }
        // A copy that the server has more of is known though as many openings lie between.
        var server = Openings()
        for run in expected.prefix(9) { server.note(run.id, from: run.first) }
        server.note(7, from: 18)
        let agreed = try openings().changesets.agreement(with: server, committed: 30, acknowledged: 0, logged: 120)
        #expect(agreed == 17)
        // What is acknowledged is forgotten, up to the opening that made the last of it.
        for acknowledged in [0, 1, 2, 3, 40, 88, 90, 105, 119] as [UInt64] {
            try device.apply(
                ViewChange(
                    messages: [], acknowledged: acknowledged, version: ServerVersion(acknowledged), view: .everything))
            let transaction = try device.store.write()
            try device.replica.acknowledgeOneWay(through: acknowledged, in: transaction)
            _ = try transaction.commit()
            transaction.end()
            let kept = expected.suffix(61 - Int(max(acknowledged + 1, 2)) / 2)
            #expect(try openings().changesets.runs == Array(kept), "\(acknowledged)")
            #expect(try openings().oneWay.runs == Array(kept), "\(acknowledged)")
        }
        #expect(try device.bookkeeping("sync.openings") == 0)
    }

    @Test("seeds that failed once agree")
    func failedOnce() throws {
        for seed in try SeedList("beginning-again").numbers() { try goOn(seed) }
    }

    @Test("two files that were one, and a third device, lose nothing and end with the same objects", arguments: 0..<4)
    func twoFiles(_ block: Int) throws {
        for seed in Self.seeds.part(block, of: 4) { try goOn(seed) }
    }

    private func goOn(_ seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let server = NaiveServer()
        let pair = [try Device(1, opening: 5 << 20), try Device(1, opening: 5 << 20)]
        let other = try Device(2, opening: 6 << 20)
        func commit(_ device: Device) throws {
            while true {
                let client = try device.state.client
                let pending = try device.pending(after: server.committed[client, default: 0])
                if pending.isEmpty { return }
                server.commit(Array(pending.prefix(.random(in: 0...pending.count, using: &random))))
                if Bool.random(using: &random) { return }
            }
        }
        // The same past, of which some is acknowledged, some has arrived.
        for _ in 0..<Int.random(in: 1...25, using: &random) {
            server.now += 10
            let step = random.next()
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try AppActions.act(on: other, &random, at: server.now)
            case 1: try commit(other)
            case 2: try commit(pair[0])
            case 3:
                let change = try server.change(for: pair[0])
                for device in pair { try device.apply(change) }
            default:
                for device in pair {
                    var same = SeededNumbers(seed: step)
                    try AppActions.act(on: device, &same, at: server.now)
                }
            }
        }
        #expect(try pair[0].visible == pair[1].visible, "seed \(seed): the past is not the same")
        try pair[1].reopen(as: 7 << 20)
        let (original, copy) = (pair[0], pair[1])
        for device in [original, copy, original, other, copy] {
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                server.now += 10
                try AppActions.act(on: device, &random, at: server.now)
            }
            if device !== copy { try commit(device) }
        }
        let before = try copy.visible
        let state = try copy.state
        let openings = try copy.read { try copy.replica.openings(in: $0) }.changesets
        let agreed = openings.agreement(
            with: server.openings[state.client] ?? Openings(), committed: server.committed[state.client, default: 0],
            acknowledged: state.acknowledged, logged: state.lastSequence)
        let written = try copy.pending(after: agreed ?? state.acknowledged).map(\.operations)
        if let agreed {
            try beginAgain(copy, after: agreed, as: 9)
            #expect(try copy.state.client == ClientID(9), "seed \(seed)")
            #expect(try copy.pending().map(\.operations) == written, "seed \(seed)")
            #expect(try copy.visible == before, "seed \(seed): to begin again changes what is seen")
        }
        for round in 0..<6 {
            server.now += 10
            for device in [original, copy, other] where Bool.random(using: &random) {
                try AppActions.act(on: device, &random, at: server.now)
                if agreed != nil || device !== copy { try commit(device) }
            }
            try original.apply(try server.change(for: original))
            if agreed == nil { continue }
            try copy.apply(server.everything(for: ClientID(9)))
            try ConvergenceTests().check(copy, server, "seed \(seed), round \(round), the copy")
        }
        guard agreed != nil else { return }
        for device in [original, copy, other] {
            let client = try device.state.client
            server.commit(try device.pending(after: server.committed[client, default: 0]))
        }
        try original.apply(server.change(for: original))
        try copy.apply(server.everything(for: ClientID(9)))
        #expect(try original.visible == copy.visible, "seed \(seed)")
        for tree in ["sync.log", "sync.touched", "sync.bases", "sync.fresh", "sync.due", "sync.left"] {
            #expect(try copy.bookkeeping(tree) == 0, "seed \(seed): \(tree) is not empty")
        }
    }

    @Test("every opening counts its ids from a number of its own, and a batch holds the changesets of one")
    func openings() throws {
        let device = try Device(1, opening: 1 << 33)
        func container(_ replica: Replica) throws -> UInt64 {
            let transaction = try device.store.write()
            defer { transaction.end() }
            guard case .container(let id) = try replica.container(in: transaction) else { return 0 }
            _ = try transaction.commit()
            return id.counter
        }
        #expect(try container(device.replica) == (1 << 33) + 2)
        #expect(try container(device.replica) == (1 << 33) + 3)
        try create(device, 1)
        let transaction = try device.store.write()
        let again = try Replica.open(in: transaction, newClient: .nobody, opening: 1 << 34)
        _ = try transaction.table("Note")!.create(.int(2), row: row(2))
        try again.record(in: transaction, now: 5_000)
        _ = try transaction.commit()
        transaction.end()
        #expect(try container(again) > 3 << 33)
        // The first one writes once more, as another program that has the file open: it counts on.
        let reached = try container(again)
        #expect(try container(device.replica) == reached + 1 && container(again) == reached + 2)
        #expect(try device.pending().map(\.opening) == [1 << 33])
        #expect(try device.pending(after: 1).map(\.opening) == [1 << 34])
    }
}
