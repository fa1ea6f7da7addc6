import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewaySeeds

/// What an app does at random.
enum AppActions {
    /// Of people, and keys of sets and maps: two that are one text to Unicode, the empty one, and two long ones that differ in
    /// the last byte.
    private static let names = [
        "\u{E9}", "e\u{301}", "", String(repeating: "d", count: 400), String(repeating: "d", count: 399) + ";",
    ]

    static func act(on device: Device, _ random: inout SeededNumbers, at time: UInt64) throws {
        let count = Int.random(in: 1...3, using: &random)
        try device.write(at: time) { transaction in
            for _ in 0..<count { try act(device, transaction, &random) }
        }
    }

    private static func act(_ device: Device, _ transaction: Transaction, _ random: inout SeededNumbers) throws {
        let notes = transaction.table("Note")!
        let people = transaction.table("Person")!
        let id = Int64.random(in: 0..<6, using: &random)
        let text = "\(device.client.rawValue)-\(random.next() % 1000)"
        guard let key = notes.key(for: .int(id)) else {
            _ = try notes.create(
                .int(id),
                row: [
                    .int(id), .string(text), .int(.random(in: 0..<4, using: &random)), .bool(false), .null, .null,
                    .null, .null, .null, .null, .null, .null,
                    .int(.random(in: 0..<3, using: &random)), .string(Bool.random(using: &random) ? text : ""),
                ])
            if Bool.random(using: &random), let key = notes.key(for: .int(id)) {
                try changeEntries(of: key, notes, people, &random)
            }
            return
        }
        let tags = notes.listCount(key, Column.tags)
        let friends = notes.listCount(key, Column.friends)
        switch Int.random(in: 0..<40, using: &random) {
        case 0: notes.delete(key, leavingGhost: true)
        case 1:
            notes.delete(key, leavingGhost: true)
            _ = try notes.create(.int(id))
        case 2, 3: notes.set(key, Column.title, Bool.random(using: &random) ? .string(text) : .null)
        case 4: notes.set(key, Column.count, .int(.random(in: 0..<4, using: &random)))
        case 5: notes.set(key, Column.done, .bool(.random(using: &random)))
        case 6:
            notes.set(key, Column.author, .object(try aPerson(people, &random)))
        case 7:
            let name = names.randomElement(using: &random)!
            if let person = people.key(for: .string(name)) { people.delete(person, leavingGhost: true) }
        case 8: people.set(try aPerson(people, &random), Column.age, .int(.random(in: 0..<90, using: &random)))
        case 9:
            let address = try transaction.table("Address")!.create(device.replica.container(in: transaction))
            transaction.table("Address")!.set(address, Column.city, .string(text))
            notes.set(key, Column.home, .object(address))
        case 10: notes.set(key, Column.home, .null)
        case 11, 12:
            guard case .object(let address) = notes.value(key, Column.home) else { return }
            let addresses = transaction.table("Address")!
            guard addresses.exists(address) else { return }
            switch Int.random(in: 0..<3, using: &random) {
            case 0: addresses.set(address, Column.city, .string(text))
            case 1: addresses.listInsert(address, Column.lines, 0, .string(text))
            default: edit(address, Column.hint, addresses, &random)
            }
        case 13, 14:
            notes.listInsert(key, Column.tags, .random(in: 0...tags, using: &random), .string(text))
        case 15 where tags > 0: notes.listRemove(key, Column.tags, .random(in: 0..<tags, using: &random))
        case 16 where tags > 0:
            notes.listMove(
                key, Column.tags, .random(in: 0..<tags, using: &random), .random(in: 0..<tags, using: &random))
        case 17 where tags > 0:
            notes.listSet(key, Column.tags, .random(in: 0..<tags, using: &random), .string(text))
        case 18 where tags > 2: notes.listClear(key, Column.tags)
        case 20, 21: notes.add(.random(in: -3...9, using: &random), to: key, Column.likes)
        case 22 where Bool.random(using: &random):
            notes.set(key, Column.likes, .int(100 * .random(in: 1...9, using: &random)))
        case 30...: edit(key, Column.body, notes, &random)
        case 22...: try changeEntries(of: key, notes, people, &random)
        default:
            notes.listInsert(
                key, Column.friends, .random(in: 0...friends, using: &random), .object(try aPerson(people, &random)))
        }
    }

    /// Of texts, short ones and such as are kept in chunks.
    private static func edit(_ key: ObjectKey, _ column: Int, _ table: Table, _ random: inout SeededNumbers) {
        let count = table.textCount(key, column)
        let place = random.number(0...count)
        switch random.below(10) {
        case 0: table.set(key, column, .string("set \(random.below(100))"))
        case 1:
            let word = random.one(of: ["é", "ab", "👍"])
            table.edit(key, text: column, .insert(String(repeating: word, count: 3_000), at: place))
        case 2..<6 where count > 0:
            let start = random.below(count)
            let most = random.one(of: [1, 4, 2_000])
            table.edit(key, text: column, .remove(start..<min(count, start + random.number(1...most))))
        default:
            for offset in 0..<random.number(1...3) {
                table.edit(key, text: column, .insert(random.one(of: ["x", "日", "y"]), at: place + offset))
            }
        }
    }

    /// Of sets and maps, with so few keys that devices meet.
    private static func changeEntries(
        of key: ObjectKey, _ notes: Table, _ people: Table, _ random: inout SeededNumbers
    ) throws {
        let name = names.randomElement(using: &random)!
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: notes.setInsert(key, Column.labels, .string(name))
        case 2: notes.setRemove(key, Column.labels, .string(name))
        case 3: notes.listClear(key, Column.labels)
        case 4: notes.setInsert(key, Column.crew, .object(try aPerson(people, &random)))
        case 5: notes.setRemove(key, Column.crew, .object(try aPerson(people, &random)))
        case 6, 7: notes.mapPut(key, Column.scores, name, .int(.random(in: 0..<9, using: &random)))
        case 8: notes.mapRemove(key, Column.scores, name)
        case 9: notes.mapClear(key, Column.scores)
        case 10:
            let value: Value = Bool.random(using: &random) ? .null : .object(try aPerson(people, &random))
            notes.mapPut(key, Column.helpers, name, value)
        default: notes.mapRemove(key, Column.helpers, name)
        }
    }

    private static func aPerson(_ people: Table, _ random: inout SeededNumbers) throws -> ObjectKey {
        let name = names.randomElement(using: &random)!
        return try people.key(for: .string(name)) ?? people.create(.string(name))
    }
}
