import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import Testing

/// What the server sends, one case at a time.
@Suite struct ViewTests {
    private let stamp = Stamp(time: 10 << 16, client: ClientID(9))

    private func state(_ title: String, count: Int64 = 0, life: UInt32 = 1, at stamp: Stamp? = nil) -> ObjectState {
        let stamp = stamp ?? self.stamp
        return ObjectState(
            life: life,
            fields: [
                .init("author", .null, stamp: stamp), .init("count", .int(count), stamp: stamp),
                .init("done", .bool(false), stamp: stamp), .init("home", .null, stamp: stamp),
                .init("title", .string(title), stamp: stamp),
            ], born: stamp)
    }

    private func apply(
        _ device: Device, _ messages: [ViewMessage], acknowledged: UInt64 = 0, version: UInt64 = 1,
        of run: UInt64 = 0
    ) throws {
        try device.apply(
            ViewChange(
                messages: messages, acknowledged: acknowledged, version: ServerVersion(version), view: .everything,
                run: run))
    }

    /// The device is sent two notes, of which the first holds a home. Answers the home, and what was told of it and its note.
    private func applyNotes(to device: Device) throws -> (home: ObjectReference, told: [ViewMessage]) {
        let home = ObjectReference("Address", .container(ElementID(client: ClientID(9), counter: 1)))
        var holding = state("a")
        holding.fields[3].value = .link(home.key)
        let city = ObjectState(life: 1, fields: [.init("city", .string("Rome"), stamp: stamp)], born: stamp)
        let told: [ViewMessage] = [.enter(home, city), .enter(note(1), holding)]
        try apply(device, told + [.enter(note(2), state("b"))], version: 3)
        return (home, told)
    }

    private func set(_ device: Device, _ id: Int64, _ column: Int, _ value: Value, at time: UInt64 = 1_000) throws {
        try device.write(at: time) { transaction in
            let notes = transaction.table("Note")!
            notes.set(notes.key(for: .int(id))!, column, value)
        }
    }

    @Test("leaving a view is not deletion: nothing is logged, and links to it stay unresolved")
    func leaving() throws {
        let device = try Device(1)
        var linking = state("b")
        linking.fields[0].value = .link(.string("Ada"))
        try apply(
            device,
            [
                .enter(person("Ada"), ObjectState(life: 1, fields: [.init("age", .int(1), stamp: stamp)], born: stamp)),
                .enter(note(1), linking),
            ])
        try apply(device, [.leave(person("Ada"))], version: 2)
        #expect(try device.visible[person("Ada")] == nil)
        #expect(try device.visible[note(1)]?.fields["author"] == .link(.string("Ada")))
        #expect(try device.pending().isEmpty)
        try device.read { transaction in
            let people = transaction.table("Person")!
            #expect(people.key(for: .string("Ada")) == nil)
            #expect(people.keyOrGhost(for: .string("Ada")) != nil)
        }
    }

    @Test("a write to an earlier life is hidden in a later one, until the server has joined it and says nothing of it")
    func earlierLife() throws {
        let device = try Device(1)
        try apply(device, [.enter(note(1), state("a"))])
        func put(_ key: String, at time: UInt64) throws {
            try device.write(at: time) { transaction in
                let notes = try #require(transaction.table("Note"))
                notes.mapPut(try #require(notes.key(for: .int(1))), Column.scores, key, .int(1))
            }
        }
        try put("first", at: 1_000)
        try put("second", at: 1_001)
        let later = Stamp(time: 5_000 << 16, client: ClientID(9))
        try apply(device, [.enter(note(1), state("b", life: 3, at: later))], version: 2)
        func keys() throws -> Set<Value> { Set(try device.visible[note(1)]?.entries["scores"]?.keys.map { $0 } ?? []) }
        #expect(try keys() == [])
        #expect(try device.pending().count == 2)
        // Another writer's create has moved the beginning of the life back, and changed nothing that shows.
        try apply(device, [], acknowledged: 1, version: 3)
        #expect(try keys().contains(.string("first")))
        try apply(device, [], acknowledged: 2, version: 4)
        #expect(try keys() == [.string("first"), .string("second")])
    }

    @Test("an object that leaves with pending operations stays until those are acknowledged")
    func leavingWithPending() throws {
        let device = try Device(1)
        try apply(device, [.enter(note(1), state("a"))])
        try set(device, 1, Column.title, .string("mine"))
        try apply(device, [.leave(note(1))], version: 2)
        #expect(try device.visible[note(1)]?.fields["title"] == .string("mine"))
        #expect(try device.pending().count == 1)
        try apply(device, [.leave(note(1))], acknowledged: 1, version: 3)
        #expect(try device.visible.isEmpty)
        #expect(try device.bookkeeping("sync.bases") == 0)
    }

    @Test("what is written to an object that has left, or inside of it, says up to where its writer saw it")
    func writingToWhatHasLeft() throws {
        let device = try Device(1)
        let (home, told) = try applyNotes(to: device)
        try set(device, 1, Column.title, .string("mine"))
        try apply(device, [.leave(note(1))], version: 5)
        // Leaving again brings no news of it.
        try apply(device, [.leave(note(1))], version: 8)
        try set(device, 1, Column.count, .int(1))
        try set(device, 2, Column.count, .int(1))
        try device.write { transaction in
            let (addresses, notes) = (transaction.table("Address")!, transaction.table("Note")!)
            addresses.set(addresses.key(for: home.key)!, Column.city, .string("Oslo"))
            notes.set(notes.key(for: .int(2))!, Column.count, .int(2))
        }
        let pending = try device.pending()
        #expect(pending.map(\.base.rawValue) == [3, 8, 8, 8])
        #expect(
            pending.map(\.lastSeen) == [
                [], [Changeset.LastSeen(ServerVersion(3), [note(1)])], [],
                [Changeset.LastSeen(ServerVersion(3), [home])],
            ])
        #expect(pending[3].seen(home).rawValue == 3 && pending[3].seen(note(2)).rawValue == 8)
        // In view again it is as new as the rest.
        try apply(device, told, version: 9)
        try set(device, 1, Column.count, .int(3))
        #expect(try device.pending().last?.lastSeen == [])
        try apply(device, [.leave(note(1))], version: 10)
        try apply(device, [.leave(note(1))], acknowledged: 5, version: 11)
        #expect(try device.bookkeeping("sync.left") == 0)
    }

    @Test("where the server goes on as another run, what is written to what had left names the run that it was seen in")
    func writingToWhatHasLeftInAnotherRun() throws {
        let device = try Device(1)
        try apply(device, (1...4).map { .enter(note($0), state("a")) }, version: 9, of: 7)
        for id in 1...4 as ClosedRange<Int64> { try set(device, id, Column.title, .string("mine")) }
        try apply(device, [.leave(note(1))], version: 5, of: 8)
        // An earlier build did not note which run it was.
        try device.shortenValues(of: "sync.left", to: 8)
        try apply(device, [.leave(note(2))], version: 6, of: 9)
        try apply(device, [.leave(note(3))], version: 12, of: 9)
        try device.write { transaction in
            let notes = transaction.table("Note")!
            for id in 1...4 as ClosedRange<Int64> {
                notes.set(notes.key(for: .int(id))!, Column.count, .int(1))
            }
        }
        let changeset = try #require(try device.pending(after: 4).last)
        #expect(changeset.base.rawValue == 12 && changeset.run == 9)
        #expect(
            changeset.lastSeen == [
                Changeset.LastSeen(ServerVersion(6), [note(1), note(3)]),
                Changeset.LastSeen(ServerVersion(5), of: 8, [note(2)]),
            ])
    }

    @Test("what leaves with the first view was seen up to version zero, and so was what nothing holds after it")
    func writingToWhatLeftWithTheFirstView() throws {
        for isHolderSent in [false, true] {
            let device = try Device(1)
            var home = ObjectReference("Address", .null)
            try device.write { transaction in
                let (notes, addresses) = (transaction.table("Note")!, transaction.table("Address")!)
                home.key = try device.replica.container(in: transaction)
                notes.set(try notes.create(.int(1)), Column.home, .object(try addresses.create(home.key)))
            }
            func move(to name: String) throws {
                try device.write { transaction in
                    let addresses = transaction.table("Address")!
                    addresses.set(addresses.key(for: home.key)!, Column.city, .string(name))
                }
            }
            try set(device, 1, Column.title, .string("mine"))
            try move(to: "Ulm")
            // The server has the note with another home, so this one has ended, and nobody says so.
            let told = isHolderSent ? ViewMessage.enter(note(1), state("a")) : .leave(note(1))
            try apply(device, [told], acknowledged: 1, version: 5)
            try move(to: "Rome")
            let changeset = try #require(try device.pending().last)
            #expect(changeset.base.rawValue == 5)
            #expect(changeset.lastSeen == [Changeset.LastSeen(.zero, [home])], "holder sent: \(isHolderSent)")
        }
    }

    @Test("what is written to an embedded object that nothing holds any more says up to where its writer saw it")
    func writingToWhatNothingHolds() throws {
        let device = try Device(1)
        let home = try applyNotes(to: device).home
        func move(to name: String) throws {
            try device.write { transaction in
                let addresses = transaction.table("Address")!
                addresses.set(addresses.key(for: home.key)!, Column.city, .string(name))
            }
        }
        try move(to: "Oslo")
        try device.write { transaction in
            let notes = transaction.table("Note")!
            notes.delete(notes.key(for: .int(1))!, leavingGhost: true)
        }
        try set(device, 2, Column.count, .int(1))
        // The note has ended with version 5, and its home with it. The row of the home is kept for what is pending.
        try apply(device, [], acknowledged: 2, version: 5)
        #expect(try device.orphanCount == 1)
        try move(to: "Bern")
        #expect(try device.pending().last?.lastSeen == [Changeset.LastSeen(ServerVersion(3), [home])])
        try apply(device, [], acknowledged: 3, version: 6)
        try move(to: "Kiel")
        try apply(device, [], acknowledged: 4, version: 7)
        try move(to: "Bonn")
        let pending = try device.pending()
        #expect(pending.map(\.base.rawValue) == [6, 7])
        #expect(pending.map(\.lastSeen) == Array(repeating: [Changeset.LastSeen(ServerVersion(3), [home])], count: 2))
        try apply(device, [], acknowledged: 6, version: 8)
        #expect(try device.orphanCount == 0)
        #expect(try device.bookkeeping("sync.left") == 0)
    }

    @Test("an object that leaves goes although a changeset that was set aside was about it")
    func leavingAfterSettingAside() throws {
        let device = try Device(1)
        try apply(device, [.enter(note(1), state("a")), .enter(note(2), state("b"))])
        try set(device, 1, Column.title, .string("mine"))
        try device.write { transaction in
            let notes = transaction.table("Note")!
            for id in [1, 2] { notes.set(notes.key(for: .int(Int64(id)))!, Column.count, .int(7)) }
        }
        let transaction = try device.store.write()
        _ = try device.replica.setAside(2, code: 302, reason: "too large", in: transaction, now: 9)
        _ = try transaction.commit()
        transaction.end()
        // Of the first something else is still pending.
        try apply(device, [.leave(note(1)), .leave(note(2))], version: 2)
        #expect(try Set(device.visible.keys) == [note(1)])
        try apply(device, [.leave(note(1))], acknowledged: 2, version: 3)
        #expect(try device.visible.isEmpty)
        #expect(try device.bookkeeping("sync.bases") == 0)
    }

    @Test("an object whose end was refused and that leaves begins no next life when it is made again")
    func leavingAfterRefusedDelete() throws {
        let device = try Device(1)
        try apply(device, [.enter(note(1), state("a"))])
        try device.write { transaction in
            let notes = transaction.table("Note")!
            notes.delete(notes.key(for: .int(1))!, leavingGhost: true)
        }
        let transaction = try device.store.write()
        let view = try device.replica.beginApplying(acknowledged: 1, in: transaction)
        view.refuse([OperationRefusal(sequence: 1, operation: 0, code: 103, reason: "not yours")])
        try view.leave(note(1))
        try view.finish(epoch: 1, version: ServerVersion(2), querySet: 1)
        _ = try transaction.commit()
        transaction.end()
        try device.write { _ = try $0.table("Note")!.create(.int(1)) }
        let creates = try device.pending().flatMap(\.operations).compactMap { operation -> UInt32? in
            if case .create(_, let life, _) = operation { life } else { nil }
        }
        #expect(creates == [1])
    }

    @Test("a pending property stays over an update of the same one and gives way when the server has decided")
    func pendingOverUpdate() throws {
        let device = try Device(1)
        try apply(device, [.enter(note(1), state("a"))])
        try set(device, 1, Column.title, .string("mine"))
        let other = Stamp(time: 500 << 16, client: ClientID(8))
        let update = ObjectState(
            life: 1, fields: [.init("count", .int(5), stamp: other), .init("title", .string("theirs"), stamp: other)])
        try apply(device, [.update(note(1), update)], version: 2)
        #expect(try device.visible[note(1)]?.fields["title"] == .string("mine"))
        #expect(try device.visible[note(1)]?.fields["count"] == .int(5))
        try apply(
            device, [.update(note(1), ObjectState(life: 1, fields: [.init("title", .string("theirs"), stamp: other)]))],
            acknowledged: 1, version: 3)
        #expect(try device.visible[note(1)]?.fields["title"] == .string("theirs"))
        #expect(try device.pending().isEmpty)
    }

    @Test("an acknowledgement without a word about the object keeps what was written here")
    func silentAcknowledgement() throws {
        let device = try Device(1)
        try device.write { _ = try $0.table("Note")!.create(.int(1)) }
        try set(device, 1, Column.title, .string("second"))
        try set(device, 1, Column.count, .int(3))
        for acknowledged in 1...3 as ClosedRange<UInt64> {
            try apply(device, [], acknowledged: acknowledged, version: acknowledged)
            #expect(try device.visible[note(1)]?.fields["title"] == .string("second"), "after \(acknowledged)")
            #expect(try device.visible[note(1)]?.fields["count"] == .int(3), "after \(acknowledged)")
        }
        #expect(try device.bookkeeping("sync.bases") == 0)
        #expect(try device.bookkeeping("sync.touched") == 0)
        // An old acknowledgement that comes again changes nothing.
        try apply(device, [], acknowledged: 1, version: 3)
        #expect(try device.state.acknowledged == 3)
    }

    @Test("a deletion from the server beats what is pending, and the object can be made again")
    func deletion() throws {
        let device = try Device(1)
        try apply(device, [.enter(note(1), state("a"))])
        try set(device, 1, Column.title, .string("mine"))
        try apply(device, [.delete(note(1), life: 2)], version: 2)
        #expect(try device.visible.isEmpty)
        try device.write { _ = try $0.table("Note")!.create(.int(1)) }
        #expect(try device.visible[note(1)] != nil)
        guard case .create(note(1), let life, _) = try device.pending().last?.operations.first else {
            Issue.record("no create was logged")
            return
        }
        #expect(life == 3)
    }

    @Test("an acknowledged creation of which the server says nothing took effect, whatever end was told before")
    func forgottenEnd() throws {
        for (isMorePending, isRefused) in [(false, false), (true, false), (false, true)] {
            let device = try Device(1)
            try device.write { _ = try $0.table("Note")!.create(.int(1), row: row(1)) }
            if isMorePending { try set(device, 1, Column.title, .string("mine")) }
            // Somebody else has ended an object of this key, which this device never saw.
            try apply(device, [.delete(note(1), life: 4)], version: 2)
            #expect(try device.visible.isEmpty)
            let transaction = try device.store.write()
            defer { transaction.end() }
            let view = try device.replica.beginApplying(acknowledged: 1, in: transaction)
            if isRefused {
                view.refuse([OperationRefusal(sequence: 1, operation: 0, code: 308, reason: "No.")])
            }
            try view.finish(epoch: 1, version: ServerVersion(9), querySet: 1)
            _ = try transaction.commit()
            #expect(try (device.visible[note(1)] != nil) == !isRefused)
            if isMorePending { #expect(try device.visible[note(1)]?.fields["title"] == .string("mine")) }
        }
    }

    @Test("it took effect also where something that its device wrote to it later is refused")
    func forgottenEndAndRefusal() throws {
        let device = try Device(1)
        try device.write { _ = try $0.table("Note")!.create(.int(1), row: row(1)) }
        try set(device, 1, Column.title, .string("mine"))
        try apply(device, [.delete(note(1), life: 2)], version: 2)
        let transaction = try device.store.write()
        defer { transaction.end() }
        let view = try device.replica.beginApplying(acknowledged: 2, in: transaction)
        view.refuse([OperationRefusal(sequence: 2, operation: 0, code: 103, reason: "No.")])
        try view.finish(epoch: 1, version: ServerVersion(9), querySet: 1)
        _ = try transaction.commit()
        let made = try #require(try device.visible[note(1)], "what the record has is gone from its author's device")
        #expect(made.fields["title"] != .string("mine"))
    }

    @Test("a device that is compared reports what it would make again: of what the server lacks it is told")
    func forgottenEndInComparison() throws {
        for isOnServer in [true, false] {
            let device = try Device(1)
            try device.write { _ = try $0.table("Note")!.create(.int(1), row: row(1)) }
            try apply(device, [.delete(note(1), life: 4)], version: 2)
            func reported(through acknowledged: UInt64) throws -> DigestReport {
                try device.read { transaction in
                    var digests = device.replica.digests(seed: 7, acknowledged: acknowledged)
                    return try digests.report(on: DigestAsk(DigestRange("Note"), .whole), in: transaction)
                }
            }
            #expect(try reported(through: 0) == .whole(.empty))
            let told = try reported(through: 1)
            #expect(told != .whole(.empty))
            try apply(device, isOnServer ? [] : [.leave(note(1))], acknowledged: 1, version: 9)
            #expect(try (device.visible[note(1)] != nil) == isOnServer)
            #expect(try reported(through: 1) == (isOnServer ? told : .whole(.empty)))
        }
    }

    @Test("what was refused of an object out of view waits until it has come, though it stays for what is pending")
    func refusedOutOfView() throws {
        let device = try Device(1)
        let (home, _) = try applyNotes(to: device)
        try set(device, 1, Column.title, .string("mine"))
        try device.write { transaction in
            let addresses = transaction.table("Address")!
            addresses.set(addresses.key(for: home.key)!, Column.city, .string("Oslo"))
        }
        try set(device, 1, Column.title, .string("mine again"))
        let transaction = try device.store.write()
        let view = try device.replica.beginApplying(acknowledged: 2, in: transaction)
        view.refuse((1...2).map { OperationRefusal(sequence: $0, operation: 0, code: 308, reason: "No.") })
        try view.leave(note(1))
        try view.finish(epoch: 1, version: ServerVersion(5), querySet: 1)
        _ = try transaction.commit()
        transaction.end()
        #expect(try device.visible[note(1)] != nil && device.visible[home] != nil)
        func awaited() throws -> [UInt64] {
            try device.read { try Replica.quarantined(withCode: 308, becameApplicableIn: $0) }
        }
        #expect(try device.read { try Replica.quarantined(in: $0).count } == 2)
        #expect(try awaited().isEmpty)
        try apply(device, [.enter(note(1), state("a"))], acknowledged: 2, version: 6)
        #expect(try awaited().count == 1)
    }

    /// A device that has a note of the server's, and has put a home into it that the server does not know.
    private func deviceWithPendingHome() throws -> (device: Device, home: ObjectReference) {
        let device = try Device(1)
        try apply(device, [.enter(note(1), state("a"))])
        var home = ObjectReference("Address", .null)
        try device.write { transaction in
            let (notes, addresses) = (transaction.table("Note")!, transaction.table("Address")!)
            home.key = try device.replica.container(in: transaction)
            let address = try addresses.create(home.key)
            addresses.set(address, Column.city, .string("Ulm"))
            notes.set(notes.key(for: .int(1))!, Column.home, .object(address))
        }
        return (device, home)
    }

    private var renamed: ObjectState {
        ObjectState(life: 1, fields: [.init("title", .string("b"), stamp: stamp)], born: stamp)
    }

    @Test("an embedded object whose creation took effect comes back with its holder, whatever end was told before")
    func forgottenEndOfPart() throws {
        for isMorePending in [false, true] {
            let (device, home) = try deviceWithPendingHome()
            if isMorePending { try set(device, 1, Column.done, .bool(true)) }
            try apply(device, [.delete(home, life: 2)], version: 2)
            #expect(try device.visible[home] == nil)
            // The holder is shown before the part is acknowledged.
            try apply(device, [.update(note(1), renamed)], acknowledged: 1, version: 3)
            #expect(try device.visible[note(1)]?.fields["home"] == .link(home.key))
            #expect(try device.visible[home]?.fields["city"] == .string("Ulm"))
            try apply(device, [], acknowledged: isMorePending ? 2 : 1, version: 4)
            #expect(try device.visible[home]?.fields["city"] == .string("Ulm"))
            #expect(try device.bookkeeping("sync.bases") == 0)
            #expect(try device.orphanCount == 0)
        }
    }

    @Test("a part that is told to have ended, or not told with its whole holder, is not made again")
    func endOfPartIsTold() throws {
        var holding = state("b")
        let (_, home) = try deviceWithPendingHome()
        holding.fields[3].value = .link(home.key)
        let ends: [[ViewMessage]] = [
            [.delete(home, life: 2), .update(note(1), renamed)], [.update(note(1), renamed), .delete(home, life: 2)],
            [.enter(note(1), holding)],
        ]
        for end in ends {
            let device = try deviceWithPendingHome().device
            try device.write { transaction in
                let addresses = transaction.table("Address")!
                addresses.set(addresses.key(for: home.key)!, Column.city, .string("Oslo"))
            }
            try apply(device, [.delete(home, life: 2)], version: 2)
            try apply(device, end, acknowledged: 1, version: 3)
            #expect(try device.visible[home] == nil)
            #expect(try device.visible[note(1)]?.fields["title"] == .string("b"))
            try apply(device, [], acknowledged: 2, version: 4)
            #expect(try device.visible[home] == nil)
            #expect(try device.orphanCount == 0)
        }
    }

    @Test("a part whose end was told stays away while its holder leaves")
    func endOfPartAndLeave() throws {
        let (device, home) = try deviceWithPendingHome()
        try set(device, 1, Column.title, .string("mine"))
        try apply(device, [.delete(home, life: 2)], version: 2)
        try apply(device, [.leave(note(1))], acknowledged: 1, version: 3)
        #expect(try device.visible[note(1)]?.fields["title"] == .string("mine"))
        #expect(try device.visible[home] == nil)
        #expect(try device.orphanCount == 0)
    }

    @Test("an embedded object that is pending goes with the object that holds it, and comes back with it")
    func embeddedComesBack() throws {
        let (device, home) = try deviceWithPendingHome()
        try apply(device, [.delete(note(1), life: 2)], version: 2)
        #expect(try device.visible.isEmpty)
        // Somebody has made the object anew: what is pending about it is about that one.
        try apply(device, [.enter(note(1), state("b", life: 3))], version: 3)
        #expect(try device.visible[note(1)]?.fields["home"] == .link(home.key))
        #expect(try device.visible[home]?.fields["city"] == .string("Ulm"))
        try apply(device, [], acknowledged: 1, version: 4)
        #expect(try device.visible[home]?.fields["city"] == .string("Ulm"))
        #expect(try device.bookkeeping("sync.bases") == 0)
        #expect(try device.orphanCount == 0)
    }

    @Test("what is pending stays when the server has taken back what may not be seen")
    func takenBack() throws {
        let (device, home) = try deviceWithPendingHome()
        try set(device, 1, Column.title, .string("mine"))
        // The server has merged the home, which its maker may not see.
        try apply(device, [.enter(note(1), state("a"))], acknowledged: 1, version: 2)
        #expect(try device.visible[note(1)]?.fields["title"] == .string("mine"))
        #expect(try device.visible[note(1)]?.fields["home"] == .null)
        #expect(try device.visible[home] == nil)
        try apply(device, [], acknowledged: 2, version: 3)
        #expect(try device.orphanCount == 0)
    }

    @Test("an object that two devices made under one key becomes one, with the later values")
    func equalKeys() throws {
        let device = try Device(1)
        try device.write(at: 5) { transaction in
            let notes = transaction.table("Note")!
            let key = try notes.create(.int(1))
            notes.set(key, Column.title, .string("mine, older"))
            notes.listInsert(key, Column.tags, 0, .string("my tag"))
        }
        try apply(device, [.enter(note(1), state("theirs, later", count: 4))])
        #expect(try device.visible[note(1)]?.fields["title"] == .string("theirs, later"))
        #expect(try device.visible[note(1)]?.lists["tags"] == [.string("my tag")])
        try apply(device, [], acknowledged: 1, version: 2)
        #expect(try device.bookkeeping("sync.bases") == 0)
    }

    @Test("a value of another type than the property's is left out, not fatal")
    func wrongTypes() throws {
        let device = try Device(1)
        var odd = state("a")
        odd.fields.append(.init("tags", .int(1), stamp: stamp))
        odd.fields.append(.init("unknown", .int(1), stamp: stamp))
        odd.fields[1].value = .string("not a number")
        var list = ListState()
        list.join(
            .insert(ElementID(client: ClientID(9), counter: 1), left: nil, right: nil, value: .int(5)), stamp: stamp)
        odd.parts = [.init("tags", .list(list))]
        try apply(device, [.enter(note(1), odd), .enter(ObjectReference("Nothing", .int(1)), odd)])
        #expect(try device.visible[note(1)]?.fields["count"] == .int(0))
        #expect(try device.visible[note(1)]?.fields["title"] == .string("a"))
        #expect(try device.visible[note(1)]?.lists["tags"] == nil)
    }

    @Test("nothing of a view change is visible before all of it, and a change that is cut leaves no trace")
    func oneCommit() throws {
        let device = try Device(1)
        let transaction = try device.store.write()
        let view = try device.replica.beginApplying(acknowledged: 0, in: transaction)
        try view.enter(note(1), state("a"))
        #expect(try device.visible.isEmpty)
        transaction.abort()
        transaction.end()
        #expect(try device.visible.isEmpty)
        #expect(try device.state.version == .zero)
    }
}
