import Causeway
import CausewayMeasuring
import CausewaySeeds
import Foundation

final class Note: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var body: String
    @Persisted(indexed: true) var any: AnyRealmValue
}

/// Searches for words beside SQLite's FTS5, and an index of values of mixed types beside a column without a type.
///
/// 200,000 notes of twelve words each from a vocabulary of 5,000, the first of them far more often than the last. Where
/// SQLite was built without FTS5 the rows have no peer.
@MainActor
struct WordBenchmarks {
    private static let group = QueryBenchmarks.group
    private let smoke: Bool
    private let count: Int
    private let realm: Realm
    private let sqlite: SQLitePeer
    private let hasFTS5: Bool

    init(folder: URL, smoke: Bool) throws {
        self.smoke = smoke
        count = smoke ? 5_000 : 200_000
        realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: folder.appendingPathComponent("words.realm"), objectTypes: [Note.self]))
        sqlite = try SQLitePeer(folder.appendingPathComponent("words.sqlite"))
        try sqlite.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT, value)")
        try sqlite.execute("CREATE INDEX note_value ON note (value)")
        do {
            try sqlite.execute("CREATE VIRTUAL TABLE words USING fts5 (body, content = 'note', content_rowid = 'id')")
            hasFTS5 = true
        } catch {
            hasFTS5 = false
        }
        try fill()
    }

    func run(_ report: ([Row]) -> Void) throws {
        report([
            try words("word40", "word40"),
            try words("word3 word5 word40", "word3 AND word5 AND word40"),
            try words("word40 -word3", "word40 NOT word3"),
            try words("word49*", "word49*"),
        ])
        report([
            try mixed("`any` == 77", "value = 77"), try mixed("`any` BETWEEN {100, 120}", "value BETWEEN 100 AND 120"),
        ])
    }

    // MARK: - Notes

    private func text(_ id: Int) -> String {
        var random = SeededNumbers(seed: UInt64(id) &* 0x9FB2_1C65_1E98_DF25)
        return (0..<12).map { _ in
            // The product of two draws falls off as words in a language do, roughly.
            "word\(random.below(71) * random.below(71))"
        }.joined(separator: " ")
    }

    /// A third each of integers, doubles and texts.
    private func value(_ id: Int) -> AnyRealmValue {
        switch id % 3 {
        case 0: .int(id % 1_000)
        case 1: .double(Double(id % 1_000) + 0.5)
        default: .string("text \(id % 1_000)")
        }
    }

    private func fill() throws {
        try realm.write {
            for id in 0..<count {
                let note = Note()
                note.id = id
                note.body = text(id)
                note.any = value(id)
                realm.add(note)
            }
        }
        let number = try sqlite.prepare("INSERT INTO note VALUES (?, ?, ?)")
        try sqlite.execute("BEGIN IMMEDIATE")
        for id in 0..<count {
            number.bind(1, id)
            number.bind(2, copying: text(id))
            switch value(id) {
            case .int(let value): number.bind(3, value)
            case .double(let value): number.bind(3, value)
            case .string(let value): number.bind(3, copying: value)
            default: break
            }
            number.run()
        }
        try sqlite.execute("COMMIT")
        if hasFTS5 {
            try sqlite.execute("INSERT INTO words (words) VALUES ('rebuild')")
            try sqlite.execute("INSERT INTO words (words) VALUES ('optimize')")
        }
        try sqlite.settle()
        try sqlite.keepReading()
    }

    // MARK: - Rows

    private func words(_ search: String, _ match: String) throws -> Row {
        let name = "\(count) notes: count body TEXT '\(search)', by index"
        func ours() -> [Double] { [Double(realm.objects(Note.self).where { $0.body.fullText(search) }.count)] }
        guard hasFTS5 else {
            let sample = measure(runs: smoke ? 1 : 5, operations: 1) { consume(ours()) }
            return .less(Self.group, name, "ms", ours: sample.median / 1e6, under: .hot(sample))
        }
        let select = try sqlite.prepare("SELECT count(*) FROM words WHERE words MATCH '\(match)'")
        let duel = try Duel(name, smoke: smoke, ours: ours, theirs: { select.answer() })
        return row(duel, "SQLite FTS5")
    }

    private func mixed(_ condition: String, _ sql: String) throws -> Row {
        let select = try sqlite.prepare("SELECT count(*) FROM note WHERE \(sql)")
        let name = "\(count) notes: count \(condition), by index"
        let duel = try Duel(
            name, smoke: smoke, ours: { [Double(realm.objects(Note.self).filter(condition).count)] },
            theirs: { select.answer() })
        return row(duel, "SQLite")
    }

    private func row(_ duel: Duel, _ peer: String) -> Row {
        .less(
            Self.group, duel.name, "ms", ours: duel.ours.median / 1e6, peer: (peer, duel.theirs.median / 1e6),
            under: duel.conditions)
    }
}
