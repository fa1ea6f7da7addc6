import Causeway
import CausewayMeasuring
import CausewayMerge
import CausewayModel
import CausewayOpLog
import CausewayObjectStore
import CausewayStorage
import CausewaySeeds
import Foundation

/// A document whose text many people edit.
final class Essay: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var body: Text
    @Persisted var stars: Int
}

/// Texts as an app edits them: a keystroke, a paper, a page that is read; in a local file and in a synchronised one.
struct TextBenchmarks {
    static let group = "text"

    let folder: URL
    let paper: Paper?
    let smoke: Bool
    /// A million characters, unless it is a smoke run.
    private var length: Int { smoke ? 20_000 : 1_000_000 }

    func run(_ report: ([Row]) -> Void) throws {
        try keystrokes(report)
        try reading(report)
        try memory(report)
        try synchronisedKeystrokes(report)
        try engine(report)
        guard let paper else { return }
        try typing(paper, report)
        try synchronisedTyping(paper, report)
    }

    // MARK: - A local file

    private func realm(_ name: String) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: folder.appendingPathComponent(name), objectTypes: [Essay.self]))
    }

    private var words: String { String(String(repeating: "word and words ", count: length / 15 + 1).prefix(length)) }

    /// - Returns: An essay with a long text, edited here and there.
    private func essay(in realm: Realm) throws -> Essay {
        var random = SeededNumbers(seed: 1)
        let essay = try realm.write { realm.create(Essay.self, value: ["id": 1, "body": words]) }
        try realm.write {
            for _ in 0..<length / 100 { essay.body.insert("x", at: random.below(essay.body.count)) }
        }
        return essay
    }

    private func keystrokes(_ report: ([Row]) -> Void) throws {
        let realm = try realm("keystrokes.realm")
        let essay = try essay(in: realm)
        let peer = try SQLitePeer(folder.appendingPathComponent("keystrokes.sqlite"))
        try peer.execute("CREATE TABLE essay (id INTEGER PRIMARY KEY, body TEXT, stars INTEGER)")
        let insert = try peer.prepare("INSERT INTO essay VALUES (1, ?, 0)")
        insert.bind(1, copying: essay.body.string)
        insert.run()
        let type = try peer.prepare(
            "UPDATE essay SET body = substr(body, 1, ?) || 'y' || substr(body, ? + 1) WHERE id = 1")
        var random = SeededNumbers(seed: 2)
        let samples = try Rotation.run(
            warmUp: smoke ? 10 : 500, count: smoke ? 10 : 2_000, block: 50,
            [
                { number in try realm.write { essay.body.insert("y", at: length / 2 + number) } },
                { _ in try realm.write { essay.body.insert("y", at: random.below(length)) } },
                { number in try realm.write { essay.stars = number } },
            ])
        // SQLite writes the whole text, so it takes its turns apart: the disk would be busy with it in ours.
        let beside = try Rotation.run(
            warmUp: smoke ? 10 : 50, count: smoke ? 10 : 200, block: 50,
            [
                { number in try realm.write { essay.body.insert("y", at: length / 2 + number) } },
                { number in
                    type.bind(1, length / 2 + number)
                    type.bind(2, length / 2 + number)
                    type.run()
                },
            ])
        let (typed, anywhere, int) = (samples[0].median / 1_000, samples[1].median / 1_000, samples[2].median / 1_000)
        report([
            .less(
                Self.group, "a keystroke in \(length) characters, durable", "µs", ours: beside[0].median / 1_000,
                peer: ("SQLite", beside[1].median / 1_000), under: .hot(beside[0], beside[1])),
            .less(
                Self.group, "a keystroke, of the time of an Int's commit", "times", ours: typed / int, most: 1.2,
                under: .hot(samples[0])),
            .less(
                Self.group, "a keystroke anywhere, of the time of an Int's commit", "times", ours: anywhere / int,
                most: 1.2, under: .hot(samples[1])),
        ])
    }

    private func reading(_ report: ([Row]) -> Void) throws {
        let realm = try realm("keystrokes.realm")
        guard let essay = realm.object(ofType: Essay.self, forPrimaryKey: 1) else { return }
        var random = SeededNumbers(seed: 3)
        let count = smoke ? 100 : 10_000
        let part = measure(runs: 5, operations: count) {
            for _ in 0..<count {
                let start = random.below(length - 100)
                consume(essay.body.substring(start..<start + 100))
            }
        }
        let whole = measure(runs: 5, operations: 1) { consume(essay.body.string) }
        report([
            .less(
                Self.group, "100 characters of them, anywhere", "µs", ours: part.median / 1_000, most: 2,
                under: .hot(part)),
            .less(Self.group, "all of them", "µs", ours: whole.median / 1_000, under: .hot(whole)),
        ])
    }

    /// What a text takes that is read and not edited: what the library keeps, and the pages of its file.
    private func memory(_ report: ([Row]) -> Void) throws {
        let count = smoke ? 2 : 6
        for number in 0..<2 * count { _ = try essay(in: realm("memory\(number).realm")) }
        var number = 0
        let bytes = try bytesInMemory(ofEachOf: count) {
            defer { number += 1 }
            let realm = try realm("memory\(number).realm")
            guard let essay = realm.object(ofType: Essay.self, forPrimaryKey: 1) else {
                throw WrongText(description: "an essay is not there")
            }
            consume(essay.body.string)
            return essay
        }
        report([
            .less(
                Self.group, "a text that was read and is held, in memory", "bytes/character",
                ours: bytes / Double(length), most: smoke ? nil : 3)
        ])
    }

    private func typing(_ paper: Paper, _ report: ([Row]) -> Void) throws {
        var essays = 0
        let realm = try realm("paper.realm")
        var written = ""
        let time = try measure(runs: smoke ? 1 : 5, operations: 1) {
            essays += 1
            let essay = try realm.write { realm.create(Essay.self, value: ["id": essays]) }
            for start in stride(from: 0, to: paper.patches.count, by: 1_000) {
                try realm.write {
                    for patch in paper.patches[start..<min(start + 1_000, paper.patches.count)] {
                        if patch.deleted > 0 { essay.body.remove(patch.place..<patch.place + patch.deleted) }
                        if !patch.text.isEmpty { essay.body.insert(patch.text, at: patch.place) }
                    }
                }
            }
            written = essay.body.string
        }
        if let end = paper.end, end != written { throw WrongText(description: "the typed paper is another one") }
        report([
            .less(
                Self.group, "\(paper.patches.count) edits of a paper, 1,000 a durable commit", "ms",
                ours: time.median / 1e6, most: smoke ? nil : 500, under: .hot(time))
        ])
    }
}

// MARK: - A synchronised file

extension TextBenchmarks {
    private static let body = 1
    private static let stars = 2

    private static let schema = Schema([
        ClassSchema(
            name: "Essay",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true),
                Property(name: "body", type: .string, isText: true),
                Property(name: "stars", type: .int),
            ])
    ])

    /// A file whose writes are logged, without a server: as on a device that is offline.
    private struct LoggedFile {
        let transaction: Transaction
        let replica: Replica
        let essays: Table
        let key: ObjectKey

        init(_ url: URL) throws {
            let store = try ObjectStore.open(path: url.path)
            transaction = try store.write()
            try transaction.extendSchema(TextBenchmarks.schema)
            replica = try Replica.open(in: transaction, newClient: ClientID(7))
            guard let essays = transaction.table("Essay") else { throw WrongText(description: "no class") }
            self.essays = essays
            key = try essays.create(.int(1))
            try replica.record(in: transaction, now: 1)
            try transaction.commit()
        }

        func write(_ body: (Table, ObjectKey) -> Void) throws {
            try transaction.beginWriting()
            body(essays, key)
            try replica.record(in: transaction, now: 2)
            try transaction.commit()
        }

        /// As if a server had it all.
        func acknowledge() throws {
            try transaction.beginWriting()
            let sequence = try replica.state(in: transaction).lastSequence
            let change = try replica.beginApplying(acknowledged: sequence, in: transaction)
            try change.finish(epoch: 1, version: ServerVersion(sequence), querySet: 1)
            try transaction.commit(.relaxed)
        }
    }

    private func synchronisedKeystrokes(_ report: ([Row]) -> Void) throws {
        let file = try LoggedFile(folder.appendingPathComponent("logged.realm"))
        var random = SeededNumbers(seed: 4)
        try file.write { essays, key in essays.edit(key, text: Self.body, .insert(words, at: 0)) }
        try file.write { essays, key in
            for _ in 0..<length / 100 { essays.edit(key, text: Self.body, .insert("x", at: random.below(length))) }
        }
        try file.acknowledge()
        let samples = try Rotation.run(
            warmUp: smoke ? 10 : 500, count: smoke ? 10 : 2_000, block: 50,
            [
                { number in
                    try file.write { essays, key in
                        essays.edit(key, text: Self.body, .insert("y", at: length / 2 + number))
                    }
                },
                { _ in
                    try file.write { essays, key in
                        essays.edit(key, text: Self.body, .insert("y", at: random.below(length)))
                    }
                },
                { number in try file.write { essays, key in essays.set(key, Self.stars, .int(Int64(number))) } },
            ])
        let (typed, anywhere, int) = (samples[0].median / 1_000, samples[1].median / 1_000, samples[2].median / 1_000)
        let acknowledged = try measure(runs: smoke ? 3 : 50, operations: 1) {
            try file.write { essays, key in essays.edit(key, text: Self.body, .insert("z", at: 1)) }
            try file.acknowledge()
        }
        report([
            .less(
                Self.group, "a keystroke of a synchronised one, durable", "µs", ours: typed, under: .hot(samples[0])),
            .less(
                Self.group, "the same, of the time of an Int's commit", "times", ours: typed / int, most: 1.2,
                under: .hot(samples[0])),
            .less(
                Self.group, "a keystroke anywhere of it, of the time of an Int's commit", "times", ours: anywhere / int,
                most: 1.2, under: .hot(samples[1])),
            .less(
                Self.group, "a keystroke and its acknowledgement", "µs", ours: acknowledged.median / 1_000,
                under: .hot(acknowledged)),
        ])
    }

    private func synchronisedTyping(_ paper: Paper, _ report: ([Row]) -> Void) throws {
        var files = 0
        let time = try measure(runs: smoke ? 1 : 3, operations: 1) {
            files += 1
            let file = try LoggedFile(folder.appendingPathComponent("paper\(files).realm"))
            for start in stride(from: 0, to: paper.patches.count, by: 1_000) {
                try file.write { essays, key in
                    for patch in paper.patches[start..<min(start + 1_000, paper.patches.count)] {
                        if patch.deleted > 0 {
                            essays.edit(key, text: Self.body, .remove(patch.place..<patch.place + patch.deleted))
                        }
                        if !patch.text.isEmpty {
                            essays.edit(key, text: Self.body, .insert(patch.text, at: patch.place))
                        }
                    }
                }
            }
        }
        report([
            .less(
                Self.group, "the same, in a synchronised file", "ms", ours: time.median / 1e6,
                most: smoke ? nil : 500, under: .hot(time))
        ])
    }

    // MARK: - The engine

    /// A text that was typed in short runs anywhere.
    private func engine(_ report: ([Row]) -> Void) throws {
        var random = SeededNumbers(seed: 5)
        var text = TextState()
        var counter: UInt64 = 1
        while text.count < length {
            let id = ElementID(client: ClientID(1), counter: counter)
            _ = text.insert("a run of words that ", at: random.number(0...text.count), id: id)
            counter += 20
        }
        let (runs, string) = (text.encodedRuns(), text.string)
        let opened = try measure(runs: 9, operations: 1) { consume(try TextRuns(encoded: runs)) }
        let bytes = text.encoded()
        let decoded = try measure(runs: 9, operations: 1) { consume(try TextState(encoded: bytes)) }
        let id = ElementID(client: ClientID(2), counter: 1)
        guard let operation = text.insert("!", at: length / 2, id: id) else { return }
        let joined = try measure(runs: 9, operations: 1) {
            var state = try TextState(runs: runs, text: string)
            state.join(operation)
            consume(state)
        }
        report([
            .less(
                Self.group, "runs of \(length) characters in \(text.pieceCount) pieces, opened", "ms",
                ours: opened.median / 1e6, most: 10, under: .hot(opened)),
            .less(
                Self.group, "the text with its runs, decoded and checked", "ms", ours: decoded.median / 1e6, most: 10,
                under: .hot(decoded)),
            .less(
                Self.group, "opened, and one operation joined", "ms", ours: joined.median / 1e6, most: 10,
                under: .hot(joined)),
        ])
    }
}
