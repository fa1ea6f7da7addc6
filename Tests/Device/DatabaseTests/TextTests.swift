import Causeway
import CausewaySeeds
import Foundation
import Testing

private class Page: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var body: Text
    @Persisted var title: Text = "untitled"
    @Persisted var note: Footnote?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Footnote: EmbeddedObject {
    @Persisted var words: Text

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private enum Before {
    class Letter: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var body = ""
        @Persisted var nickname: String?
        @Persisted var shared: Text

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum After {
    class Letter: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var body: Text
        @Persisted var nickname: Text
        @Persisted var shared = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

@Suite struct TextTests {
    private static let seeds = SeedList.drawn(for: "app-texts", count: 8)
    /// Too long for a leaf of the file, so it is kept in chunks.
    private let long = String(repeating: "wörd ", count: 1_200)

    private func realm() throws -> Realm {
        try Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [Page.self, Footnote.self]))
    }

    @Test("an unmanaged text is edited by its scalars, and keeps what it holds when its object is added")
    func unmanaged() throws {
        let text: Text = "Grüße 👍🏽"
        #expect(text.count == 8)
        text.insert("liebe ", at: 0)
        text.append("!")
        #expect(text.string == "liebe Grüße 👍🏽!" && "\(text)" == text.string)
        text.remove(0..<6)
        text.replaceSubrange(0..<5, with: "Hallo")
        #expect(text.string == "Hallo 👍🏽!" && !text.isEmpty && text.substring(1..<4) == "all")
        let page = Page(value: ["id": 1, "body": "draft"])
        #expect(page.body.string == "draft" && page.title.string == "untitled")
        let body = page.body
        let realm = try realm()
        try realm.write { realm.add(page) }
        #expect(page.body.string == "draft" && page.body === body && body.realm == realm)
        #expect(page.title == "untitled")
        try realm.write { body.append(" two") }
        #expect(realm.objects(Page.self)[0].body.string == "draft two")
    }

    @Test("places convert from and to indices and UTF-16")
    func places() {
        let text: Text = "aé👍🏽b"
        #expect(text.count == 5)
        #expect(text.offset(of: text.string.firstIndex(of: "b")!) == 4)
        #expect(text.string[text.index(at: 4)] == "b")
        #expect(text.index(at: 5) == text.string.endIndex && text.offset(of: text.string.startIndex) == 0)
        #expect(text.utf16Offset(of: 4) == 6 && text.offset(ofUTF16: 6) == 4)
        #expect(text.offset(ofUTF16: 3) == 2 && text.offset(ofUTF16: 100) == 5)
    }

    @Test("edits deep in a long text, with characters of every width, land where they belong")
    func longText() throws {
        let realm = try realm()
        var random = SeededNumbers(seed: 7)
        var expected = Array((0..<3_000).map { _ in random.one(of: ["a", "é", "€", "😀"]) }.joined().unicodeScalars)
        func string() -> String { String(String.UnicodeScalarView(expected)) }
        let page = try realm.write { realm.create(Page.self, value: ["id": 1, "body": string()] as [String: Any]) }
        try realm.write {
            for _ in 0..<100 {
                let place = random.number(0...expected.count)
                page.body.insert("x€", at: place)
                expected.insert(contentsOf: "x€".unicodeScalars, at: place)
                let start = random.below(expected.count - 3)
                page.body.remove(start..<start + 3)
                expected.removeSubrange(start..<start + 3)
                #expect(page.body.count == expected.count)
            }
            page.body.append("😀")
            page.body.append("")
            expected.append(contentsOf: "😀".unicodeScalars)
        }
        #expect(page.body.string == string())
    }

    @Test("random edits in write transactions and rolled back ones leave what a plain string would be")
    func randomEdits() throws {
        for seed in Self.seeds {
            var random = SeededNumbers(seed: seed)
            let realm = try realm()
            try realm.write { realm.create(Page.self, value: ["id": 1]) }
            let body = realm.objects(Page.self)[0].body
            var expected: [Unicode.Scalar] = []
            for _ in 0..<30 {
                let before = expected
                realm.beginWrite()
                for _ in 0..<random.number(1...5) {
                    let first = random.number(0...expected.count)
                    let end = min(expected.count, first + random.below(random.one(of: [4, 4, 9_000])))
                    let text = random.one(of: ["", "x", "wörd", "👍🏽", "line\nline", long])
                    body.replaceSubrange(first..<end, with: text)
                    expected.replaceSubrange(first..<end, with: text.unicodeScalars)
                    #expect(Array(body.string.unicodeScalars) == expected, "seed \(seed)")
                }
                if random.once(in: 4) {
                    realm.cancelWrite()
                    expected = before
                } else {
                    try realm.commitWrite()
                }
                #expect(Array(body.string.unicodeScalars) == expected && body.count == expected.count, "seed \(seed)")
            }
        }
    }

    @Test("create, update and assignment take strings and texts")
    func values() throws {
        let realm = try realm()
        try realm.write {
            let page = realm.create(Page.self, value: ["id": 1, "body": "one", "note": ["words": "small"]])
            #expect(page.body.string == "one" && page.note?.words.string == "small")
            realm.create(Page.self, value: ["id": 1, "body": "one more"], update: .modified)
            #expect(page.body.string == "one more" && page.title.string == "untitled")
            let other = realm.create(Page.self, value: ["id": 2, "body": page.body])
            other.title = page.body
            #expect(other.title.string == "one more" && other.title !== page.body)
            page["body"] = "by name"
            #expect((page["body"] as? Text)?.string == "by name" && page.value(forKey: "body") as? Text == page.body)
            page.body.string = "assigned"
            page.setValue(Text("again"), forKey: "title")
            #expect(page.body.string == "assigned" && page.title.string == "again")
            #expect(page.description.contains("body = assigned;"))
            try realm.create(Page.self, from: 10..<13) { page in
                page.set(\.id) { $0 }
                page.set(\.body) { Text("page \($0)") }
            }
        }
        #expect(
            realm.objects(Page.self).sorted(byKeyPath: "id").map(\.body.string)
                == ["assigned", "one more", "page 10", "page 11", "page 12"])
        #expect(realm.object(ofType: Page.self, forPrimaryKey: 11)?.title.string == "untitled")
        let copied = try JSONDecoder().decode([Text].self, from: JSONEncoder().encode([Text("a"), Text("b")]))
        #expect(copied.map(\.string) == ["a", "b"])
    }

    @Test("queries compare a text as a string, typed and as format strings, and sort by it")
    func queries() throws {
        let realm = try realm()
        try realm.write {
            for (id, body) in ["Milk and eggs", "milk", "", "Bread"].enumerated() {
                realm.create(Page.self, value: ["id": id, "body": body, "note": ["words": body]])
            }
        }
        let pages = realm.objects(Page.self)
        func ids(_ results: Results<Page>) -> [Int] { results.map(\.id).sorted() }
        #expect(ids(pages.where { $0.body == "milk" }) == [1])
        #expect(ids(pages.where { $0.body != "milk" }) == [0, 2, 3])
        #expect(ids(pages.where { $0.body.contains("milk", options: .caseInsensitive) }) == [0, 1])
        #expect(ids(pages.where { $0.body.starts(with: "B") || $0.body.ends(with: "eggs") }) == [0, 3])
        #expect(
            ids(pages.where { $0.body.like("?ilk*") && $0.note.words.equals("milk", options: .caseInsensitive) })
                == [1])
        #expect(ids(pages.where { $0.body.in(["milk", "Bread"]) }) == [1, 3])
        #expect(ids(pages.filter("body CONTAINS[c] %@ AND note.words BEGINSWITH 'M'", "MILK")) == [0])
        #expect(ids(pages.filter("body == %@", Text("Bread"))) == [3])
        #expect(pages.sorted(byKeyPath: "body").map(\.body.string) == ["", "Bread", "Milk and eggs", "milk"])
        try realm.write { pages.where { $0.body == "milk" }[0].body.append(" and bread") }
        #expect(ids(pages.where { $0.body.ends(with: "bread") }) == [1])
    }

    @Test("observers of a text hear which ranges went and came, those of its object that it changed")
    func observation() throws {
        let realm = try realm()
        try realm.write { realm.create(Page.self, value: ["id": 1, "body": "one two three"]) }
        let page = realm.objects(Page.self)[0]
        var heard: [String] = []
        let token = page.body.observe { change in
            switch change {
            case .initial(let text): heard.append("initial \(text)")
            case .update(let text, let deletions, let insertions):
                heard.append("\(text) -\(deletions) +\(insertions)")
            }
        }
        var names: [String] = []
        let other = page.observe { change in
            if case .change(_, let properties) = change {
                names += properties.map { "\($0.name): \($0.oldValue ?? "") → \($0.newValue ?? "")" }
            }
        }
        realm.refresh()
        try realm.write {
            page.body.remove(0..<4)
            page.body.append("!")
        }
        realm.refresh()
        try realm.write { page.title.append("!") }
        realm.refresh()
        #expect(heard == ["initial one two three", "two three! -[Range(0..<4)] +[Range(9..<10)]"])
        #expect(names == ["body: one two three → two three!", "title: untitled → untitled!"])
        try realm.write { realm.delete(page) }
        realm.refresh()
        #expect(heard.count == 2)
        token.invalidate()
        other.invalidate()
    }

    @Test("the ranges that observers hear lead from the old string to the new one")
    func ranges() throws {
        let realm = try realm()
        try realm.write { realm.create(Page.self, value: ["id": 1]) }
        let body = realm.objects(Page.self)[0].body
        for seed in Self.seeds {
            var random = SeededNumbers(seed: seed)
            var shown = Array(body.string.unicodeScalars)
            let token = body.observe { change in
                guard case .update(let text, let deletions, let insertions) = change else { return }
                for range in deletions.reversed() { shown.removeSubrange(range) }
                let now = Array(text.string.unicodeScalars)
                for range in insertions { shown.insert(contentsOf: now[range], at: range.lowerBound) }
            }
            realm.refresh()
            for _ in 0..<20 {
                try realm.write {
                    for _ in 0..<random.number(1...4) {
                        let first = random.number(0...body.count)
                        let end = min(body.count, first + random.below(random.one(of: [5, 5, 9_000])))
                        body.replaceSubrange(first..<end, with: random.one(of: ["", "ab\n", "é", "words here ", long]))
                    }
                }
                realm.refresh()
                #expect(shown == Array(body.string.unicodeScalars), "seed \(seed)")
            }
            token.invalidate()
        }
    }

    @Test("a frozen text stays, a thawed one lives, and one whose object ended says so")
    func freezing() throws {
        let realm = try realm()
        try realm.write { realm.create(Page.self, value: ["id": 1, "body": "before"]) }
        let page = realm.objects(Page.self)[0]
        let frozen = page.body.freeze()
        try realm.write { page.body.string = "after" }
        #expect(frozen.string == "before" && frozen.isFrozen && frozen.thaw()?.string == "after")
        #expect(page.freeze().body.string == "after")
        let body = page.body
        #expect(!body.isInvalidated)
        try realm.write { realm.delete(page) }
        #expect(body.isInvalidated && frozen.string == "before" && frozen.thaw() == nil)
    }

    @Test("a string becomes a text, and a text a string, in a migration that keeps what they say")
    func migration() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("text-\(UUID().uuidString).realm")
        defer { try? FileManager.default.removeItem(at: file) }
        let words = String(repeating: "long ", count: 2_000)
        do {
            let realm = try Realm(configuration: .init(fileURL: file, objectTypes: [Before.Letter.self]))
            try realm.write {
                realm.create(Before.Letter.self, value: ["id": 1, "body": words, "nickname": "nick", "shared": "ours"])
                realm.create(Before.Letter.self, value: ["id": 2])
            }
        }
        var configuration = Realm.Configuration(fileURL: file, objectTypes: [After.Letter.self])
        #expect(throws: (any Error).self) { try Realm(configuration: configuration) }
        configuration.schemaVersion = 1
        configuration.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Letter") { old, new in
                #expect((old?["shared"] as? Text)?.string == (new?["shared"] as? String))
                if old?["id"] as? Int == 2 { new?["body"] = "written by the migration" }
            }
        }
        do {
            let letters = try Realm(configuration: configuration).objects(After.Letter.self).sorted(byKeyPath: "id")
            #expect(letters[0].body.string == words && letters[0].nickname.string == "nick")
            #expect(letters[0].shared == "ours")
            #expect(letters[1].body.string == "written by the migration" && letters[1].nickname.isEmpty)
        }
        let again = try Realm(configuration: configuration)
        try again.write { again.objects(After.Letter.self).first?.body.append("!") }
    }
}
