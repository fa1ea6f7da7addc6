import Causeway
import CausewayFollowers
import CausewayMeasuring
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayObjectStore
import CausewaySeeds
import CausewayStore
import Foundation

/// One change of a large collection: on the wire, in a file, in a merge, and for who observes it.
struct CollectionBenchmarks {
    static let group = "collections"
    private typealias Row = CausewayMeasuring.Row

    let folder: URL
    let smoke: Bool
    /// A hundred thousand elements, unless it is a smoke run.
    private var length: Int { smoke ? 2_000 : 100_000 }
    private var sizes: [Int] { smoke ? [100, 1_000] : [100, 10_000, 100_000] }

    func run(_ report: ([CausewayMeasuring.Row]) -> Void) throws {
        for count in sizes { report(try insertOnTheWire(count)) }
        for count in sizes.prefix(2) { report(try keysOnTheWire(count)) }
        for count in sizes.dropFirst() { report(try keystrokeOnTheWire(count)) }
        report(try journey())
        report([try engine()])
        report(try commits())
        report(try observing())
    }

    // MARK: - On the wire

    private typealias Column = Follower.Column

    private func insertOnTheWire(_ count: Int) throws -> [Row] {
        try bytes("one insert into a list of \(count)") {
            $0.listReplace($1, Column.items, Self.numbers(count))
        } _: {
            $0.listInsert($1, Column.items, count / 2, .int(-1))
        }
    }

    private func keysOnTheWire(_ count: Int) throws -> [Row] {
        let set = try bytes("one element into a set of \(count)") {
            $0.setReplace($1, Column.marks, (0..<count).map { .double(Double($0) / 3) })
        } _: {
            $0.setInsert($1, Column.marks, .double(-1))
        }
        let map = try bytes("one key into a map of \(count)") {
            $0.mapReplace($1, Column.scores, (0..<count).map { ("key \($0)", .int(Int64($0))) })
        } _: {
            $0.mapPut($1, Column.scores, "another", .int(-1))
        }
        return set + map
    }

    private func keystrokeOnTheWire(_ count: Int) throws -> [Row] {
        let words = String(String(repeating: "All human beings are born free. ", count: count / 32 + 1).prefix(count))
        return try bytes("one keystroke in a text of \(count)") {
            $0.set($1, Column.body, .string(words))
        } _: {
            $0.edit($1, text: Column.body, .insert("é", at: count / 2))
        }
    }

    /// What a device is sent of the change, beside what one is sent that is told collections whole.
    private func bytes(
        _ name: String, _ fill: (Table, ObjectKey) -> Void, _ change: (Table, ObjectKey) -> Void
    ) throws -> [Row] {
        let record = try Follower.record()
        let (writer, reader, whole) = (try Follower(1), try Follower(2), try Follower(3))
        for device in [writer, reader, whole] { _ = try record.register(device.client, user: "u") }
        func share(_ time: UInt64, _ body: (Table, ObjectKey) -> Void) throws {
            try writer.write(at: time) { try body(Self.notes(in: $0), Self.note(in: $0)) }
            try writer.upload(to: record, at: time)
            for device in [writer, reader] { try device.download(from: record) }
            try whole.download(from: record, tellsEdits: false)
        }
        try share(1_000, fill)
        try share(2_000, change)
        for device in [writer, reader, whole] {
            if let difference = try device.disagreement(with: record) { throw WrongCollection(description: difference) }
        }
        return [
            .less(Self.group, "\(name), on the wire", "bytes", ours: Double(reader.bytes), most: 300),
            .less(Self.group, "\(name), told whole", "bytes", ours: Double(whole.bytes)),
        ]
    }

    /// What each step of the change takes, from the device that writes to the one that hears of it.
    private func journey() throws -> [Row] {
        let record = try Follower.record()
        let (writer, reader) = (try Follower(1), try Follower(2))
        for device in [writer, reader] { _ = try record.register(device.client, user: "u") }
        var (writing, merging, applying) = (Stopwatch(), Stopwatch(), Stopwatch())
        try writer.write(at: 1_000) {
            try Self.notes(in: $0).listReplace(Self.note(in: $0), Column.items, Self.numbers(length))
        }
        try writer.upload(to: record, at: 1_000)
        for device in [writer, reader] { try device.download(from: record) }
        var random = SeededNumbers(seed: 1)
        for step in 0..<(smoke ? 5 : 200) {
            let time = UInt64(2_000 + step)
            let place = random.below(length)
            try writing.time {
                try writer.write(at: time) {
                    try Self.notes(in: $0).listInsert(Self.note(in: $0), Column.items, place, .int(-1))
                }
            }
            try merging.time { try writer.upload(to: record, at: time) }
            try writer.download(from: record)
            try applying.time { try reader.download(from: record) }
        }
        if let difference = try reader.disagreement(with: record) { throw WrongCollection(description: difference) }
        func row(_ name: String, _ watch: Stopwatch) -> Row {
            let sample = watch.sample()
            return .less(
                Self.group, "one insert into a list of \(length): \(name)", "µs", ours: sample.median / 1_000,
                under: .hot(sample))
        }
        return [
            row("written and logged", writing), row("merged by the server", merging),
            row("told and taken in", applying),
        ]
    }

    /// The engine alone, without columns, log or history.
    private func engine() throws -> Row {
        var list = ListState()
        for index in 0..<length {
            let id = ElementID(client: ClientID(1), counter: UInt64(index + 1))
            list.join(
                list.insertion(of: .int(Int64(index)), at: index, id: id), stamp: Stamp(time: 1, client: ClientID(1)))
        }
        let inserts = smoke ? 100 : 10_000
        var random = SeededNumbers(seed: 2)
        var counter: UInt64 = 0
        let time = measure(runs: smoke ? 1 : 5, operations: inserts) {
            for _ in 0..<inserts {
                counter += 1
                let id = ElementID(client: ClientID(2), counter: counter)
                let insertion = list.insertion(of: .int(-1), at: random.below(list.count), id: id)
                list.join(insertion, stamp: Stamp(time: 2, client: ClientID(2)))
            }
        }
        return .less(
            Self.group, "one insert into a list of \(length): the engine alone", "µs", ours: time.median / 1_000,
            under: .hot(time))
    }

    // MARK: - In a local file

    private func series(_ name: String) throws -> (realm: Realm, series: Series) {
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: folder.appendingPathComponent(name), objectTypes: [Series.self]))
        let series = try realm.write {
            let series = realm.create(Series.self, value: ["id": 1])
            series.values.append(objectsIn: 0..<length)
            return series
        }
        return (realm, series)
    }

    private func commits() throws -> [Row] {
        let (realm, series) = try series("collections.realm")
        let peer = try SQLitePeer(folder.appendingPathComponent("collections.sqlite"))
        try peer.execute(
            "CREATE TABLE element (list INTEGER, position REAL, value INTEGER, PRIMARY KEY (list, position)) "
                + "WITHOUT ROWID")
        let put = try peer.prepare("INSERT INTO element VALUES (1, ?, ?)")
        func insert(_ value: Int, at position: Double) {
            put.bind(1, position)
            put.bind(2, value)
            put.run()
        }
        try peer.execute("BEGIN IMMEDIATE")
        for value in 0..<length { insert(value, at: Double(value)) }
        try peer.execute("COMMIT")
        var (here, there) = (SeededNumbers(seed: 3), SeededNumbers(seed: 3))
        /// A place that no other element has.
        func place() -> Double {
            let part = Double(there.next() >> 11) / 0x1p53
            return part * Double(length)
        }
        let samples = try Rotation.run(
            warmUp: smoke ? 10 : 500, count: smoke ? 10 : 2_000, block: 50,
            [
                { number in try realm.write { series.values.insert(number, at: here.below(length)) } },
                { number in insert(number, at: place()) },
                { number in try realm.write { series.values[number] = -number } },
                { number in try realm.write { series.stars = number } },
            ])
        let int = samples[3].median / 1_000
        return [
            .less(
                Self.group, "one insert into a list of \(length), durable", "µs", ours: samples[0].median / 1_000,
                peer: ("SQLite", samples[1].median / 1_000), under: .hot(samples[0], samples[1])),
            .less(
                Self.group, "the same, of the time of an Int's commit", "times", ours: samples[0].median / 1_000 / int,
                under: .hot(samples[0])),
            .less(
                Self.group, "one element set, of the time of an Int's commit", "times",
                ours: samples[2].median / 1_000 / int, under: .hot(samples[2])),
        ]
    }

    /// The time in which an observer is told, after a commit.
    private func observing() throws -> [Row] {
        let (realm, series) = try series("observed.realm")
        var told = 0
        let token = series.values.observe { changes in
            if case .update(_, _, let insertions, _) = changes { told += insertions.count }
        }
        realm.refresh()
        var random = SeededNumbers(seed: 4)
        var watch = Stopwatch()
        let inserts = smoke ? 5 : 200
        for _ in 0..<inserts {
            try realm.write { series.values.insert(-1, at: random.below(length)) }
            watch.time { _ = realm.refresh() }
        }
        token.invalidate()
        guard told == inserts else { throw WrongCollection(description: "an observer heard of \(told) inserts") }
        let sample = watch.sample()
        return [
            .less(
                Self.group, "an observer of a list of \(length) hears of one insert", "µs",
                ours: sample.median / 1_000, under: .hot(sample))
        ]
    }

    // MARK: -

    private static func notes(in transaction: Transaction) throws -> Table {
        guard let notes = transaction.table("Note") else {
            throw WrongCollection(description: "there is no class Note")
        }
        return notes
    }

    /// The note, which is made with its first use.
    private static func note(in transaction: Transaction) throws -> ObjectKey {
        let notes = try notes(in: transaction)
        return try notes.key(for: .int(1)) ?? notes.create(.int(1))
    }

    private static func numbers(_ count: Int) -> [Value] {
        (0..<count).map { .int(Int64((UInt64($0) &* 0x9E37_79B9_7F4A_7C15) >> 40)) }
    }

    private struct WrongCollection: Error, CustomStringConvertible {
        let description: String
    }
}
