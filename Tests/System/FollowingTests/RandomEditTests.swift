import CausewayFollowers
import CausewayModel
import CausewayObjectStore
import CausewayQuery
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// Devices that edit the same collections and texts at random, against a record that tells them what happened.
@Suite("Random edits")
struct RandomEditTests {
    private static let seeds = SeedList.drawn(for: "following", count: 10)

    private typealias Column = Follower.Column

    @Test("devices hold what the record has, whether it was told as changes or whole", arguments: [true, false])
    func agree(tellsEdits: Bool) throws {
        var told = (changes: 0, whole: 0)
        var (refusals, comparisons) = (0, 0)
        for seed in Self.seeds {
            let devices = try run(seed, tellsEdits: tellsEdits)
            for device in devices {
                told.changes += device.told.changes
                told.whole += device.told.whole
                refusals += device.refusals
                comparisons += device.comparisons
            }
        }
        #expect((told.changes > 0) == tellsEdits && told.whole > 0, "\(told)")
        #expect(refusals > 0 && comparisons > 0, "\(refusals) refusals, \(comparisons) comparisons")
        print(
            "random edits: \(told.changes) parts told as changes, \(told.whole) whole; \(refusals) refusals, "
                + "\(comparisons) comparisons")
    }

    private func run(_ seed: UInt64, tellsEdits: Bool) throws -> [Follower] {
        var random = SeededNumbers(seed: seed)
        let record = try Follower.record(
            editedBytesMin: random.one(of: [0, 0, 256]), historyVersionsMax: random.one(of: [6, 25, 1_000_000]))
        let devices = try (1...4).map { try Follower(UInt64($0)) }
        for device in devices { _ = try record.register(device.client, user: "u") }
        devices[3].permissions = Permissions(
            AccessRules(byClass: [
                "Note": AccessRules.OfClass(write: .when(try Predicate.parse("done == false")))
            ]))
        // Clocks that are wrong: the server lowers the stamps of one, and the operations of another lose.
        let skews: [Int64] = random.once(in: 2) ? [3_600_000, 0, -50_000, 0] : [0, 0, 0, 0]
        var now: UInt64 = 10_000_000
        for step in 0..<random.number(20...120) {
            now += UInt64(random.below(40))
            let index = random.below(devices.count)
            let device = devices[index]
            switch random.below(10) {
            case 0...4:
                try device.write(at: UInt64(Int64(now) + skews[index])) { transaction in
                    for _ in 0..<random.number(1...4) { try act(device, transaction, &random) }
                }
            case 5, 6: try device.upload(to: record, at: now)
            default:
                if random.once(in: 2) { try device.upload(to: record, at: now) }
                try device.download(from: record, bytesMax: random.one(of: [1, 500, 1 << 20]), tellsEdits: tellsEdits)
                // With something pending, a resync would bring embedded objects again that the device has let go of.
                guard try device.pendingCount == 0 else { continue }
                let disagreement = try device.disagreement(with: record)
                #expect(disagreement == nil, "seed \(seed), step \(step), device \(index + 1)")
                if disagreement != nil { return devices }
            }
        }
        // What a refusal left behind is told with the next download.
        for _ in 0..<2 {
            for device in devices { try device.upload(to: record, at: now) }
            for device in devices { try device.download(from: record, tellsEdits: tellsEdits) }
        }
        for (index, device) in devices.enumerated() {
            #expect(
                try device.disagreement(with: record) == nil, "seed \(seed), at the end, device \(index + 1)")
            #expect(try device.pendingCount == 0, "seed \(seed)")
        }
        for id in 0..<Self.notes {
            for column in [Column.items, Column.any, Column.marks, Column.scores, Column.body] {
                let shown = try devices.map { try $0.shown(column, of: id) }
                #expect(shown.allSatisfy { $0 == shown[0] }, "seed \(seed), note \(id), column \(column)")
            }
        }
        return devices
    }

    private static let notes: Int64 = 2

    private func act(_ device: Follower, _ transaction: Transaction, _ random: inout SeededNumbers) throws {
        let notes = try #require(transaction.table("Note"))
        let id = Int64(random.below(Int(Self.notes)))
        guard let key = notes.key(for: .int(id)) else {
            let key = try notes.create(.int(id))
            for column in [Column.items, Column.any] where random.once(in: 2) {
                notes.listReplace(key, column, (0..<random.below(60)).map { .int(Int64($0)) })
            }
            if random.once(in: 2) { notes.set(key, Column.body, .string(String(repeating: "born free ", count: 8))) }
            return
        }
        switch random.below(40) {
        case 0: notes.set(key, Column.title, .string("\(random.below(100))"))
        case 1: notes.set(key, Column.done, .bool(random.once(in: 3)))
        case 2 where random.once(in: 3): notes.delete(key, leavingGhost: true)
        case 3: notes.listClear(key, random.one(of: [Column.items, Column.any, Column.marks]))
        case 4...19: editList(random.one(of: [Column.items, Column.items, Column.any]), key, notes, &random)
        case 20...22:
            let count = notes.listCount(key, Column.places)
            if count > 0, random.once(in: 3) {
                notes.listRemove(key, Column.places, random.below(count))
            } else if count > 0, random.once(in: 3) {
                notes.listMove(key, Column.places, random.below(count), random.below(count))
            } else {
                let place = try device.place("\(random.below(100))", in: transaction)
                notes.listInsert(key, Column.places, random.number(0...count), place)
            }
        case 23...24:
            guard case .object(let place)? = notes.listValues(key, Column.places).first else { return }
            let places = try #require(transaction.table("Place"))
            places.listInsert(place, 1, 0, .int(Int64(random.below(9))))
        case 25...27:
            let mark = Value.double(random.one(of: [0, -0.0, 1, 2, 3, 4, 5, 6, 7, 8]))
            if random.once(in: 3) {
                notes.setRemove(key, Column.marks, mark)
            } else {
                notes.setInsert(key, Column.marks, mark)
            }
        case 28:
            let peer = try notes.key(for: .int(Int64(random.below(2)))) ?? notes.create(.int(1 - id))
            if random.once(in: 3) {
                notes.setRemove(key, Column.peers, .object(peer))
            } else {
                notes.setInsert(key, Column.peers, .object(peer))
            }
        case 29...32:
            let name = "key \(random.below(12))"
            if random.once(in: 4) {
                notes.mapRemove(key, Column.scores, name)
            } else {
                notes.mapPut(key, Column.scores, name, .int(Int64(random.below(1_000))))
            }
        default: edit(key, notes, &random)
        }
    }

    private func editList(_ column: Int, _ key: ObjectKey, _ notes: Table, _ random: inout SeededNumbers) {
        let count = notes.listCount(key, column)
        let value = Value.int(Int64(random.below(1_000)))
        switch random.below(8) {
        case 0 where count > 0: notes.listRemove(key, column, random.below(count))
        case 1 where count > 0: notes.listSet(key, column, random.below(count), value)
        case 2 where count > 0: notes.listMove(key, column, random.below(count), random.below(count))
        case 3:
            for index in 0..<random.below(20) { notes.listInsert(key, column, count + index, .int(Int64(index))) }
        default: notes.listInsert(key, column, random.number(0...count), value)
        }
    }

    private func edit(_ key: ObjectKey, _ notes: Table, _ random: inout SeededNumbers) {
        guard case .string(let body) = notes.value(key, Column.body) else { return }
        var scalars = Array(body.unicodeScalars)
        let start = random.number(0...scalars.count)
        let end = random.once(in: 3) ? min(start + random.below(6), scalars.count) : start
        let typed = random.once(in: 3) ? "" : random.one(of: ["a", "é", "free", "🛫 over"])
        scalars.replaceSubrange(start..<end, with: typed.unicodeScalars)
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        notes.set(key, Column.body, .string(String(text)))
    }
}
