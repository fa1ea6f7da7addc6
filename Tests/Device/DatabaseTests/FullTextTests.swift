import Causeway
import Foundation
import Testing

private class Article: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var body = ""
    @Persisted(indexed: .fullText) var note: String?
    @Persisted(indexed: .general) var kind: Int
    @Persisted var title: String
    @Persisted var any: AnyRealmValue
    @Persisted var tags: List<String>
    @Persisted var next: Article?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class WronglyIndexed: Object {
    @Persisted(indexed: .fullText) var number: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class IndexedKey: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var text: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// One class as two versions of an app declare it, in one file.
private enum Earlier {
    class Story: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: String
        @Persisted var any: AnyRealmValue

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Later {
    class Story: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: .fullText) var text: String
        @Persisted(indexed: true) var any: AnyRealmValue

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

@Suite("Full-text search")
struct FullTextTests {
    private func realm(_ types: [ObjectBase.Type] = [Article.self]) throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
    }

    private func ids(_ articles: Results<Article>) -> [Int] { articles.map(\.id).sorted() }

    @Test("texts are found by their words, whichever way they were written and changed")
    func finding() throws {
        let realm = try realm()
        try realm.write {
            realm.create(
                Article.self, value: ["id": 1, "body": "Rex, a good DOG", "tags": ["Café noir"]] as [String: Any])
            let second = Article(value: ["id": 2, "body": "The cat and the dog", "note": "größer", "any": "Rex again"])
            second.title = "Über Rex"
            second.next = realm.objects(Article.self)[0]
            realm.add(second)
            try realm.create(Article.self, from: 3..<5) { article in
                article.set(\.id, to: \.self)
                article.set(\.body) { "dogma \($0)" }
            }
        }
        let articles = realm.objects(Article.self)
        #expect(ids(articles.where { $0.body.fullText("dog") }) == [1, 2])
        #expect(ids(articles.where { $0.body.fullText("dog*") }) == [1, 2, 3, 4])
        #expect(ids(articles.where { $0.body.fullText("dog -cat") }) == [1])
        #expect(ids(articles.where { $0.note.fullText("GROSSER") || $0.note.fullText("GRÖßER") }) == [2])
        #expect(ids(articles.where { $0.title.fullText("uber rex") }) == [2])
        #expect(ids(articles.where { $0.any.fullText("rex") }) == [2])
        #expect(ids(articles.where { $0.next.body.fullText("rex") }) == [2])
        #expect(ids(articles.filter("body TEXT %@ AND id > 3", "dogma")) == [4])
        #expect(ids(articles.filter("ANY tags TEXT 'cafe'")) == [1])
        #expect(ids(articles.filter(NSPredicate(format: "body TEXT %@", "rex"))) == [1])
        #expect(ids(articles.where { $0.body.fullText("") }).isEmpty)
        #expect(ids(articles.where { $0.note.fullText("-x") }) == [2], "nil has no words, not even others")
        try realm.write {
            articles.where { $0.id == 1 }[0].body = "A cat now"
            realm.delete(articles.where { $0.id == 2 })
        }
        #expect(ids(articles.where { $0.body.fullText("cat") }) == [1])
        #expect(ids(articles.where { $0.body.fullText("dog") }).isEmpty)
        let live = articles.where { $0.body.fullText("dogma") }
        #expect(live.count == 2)
        try realm.write { live.last?.body = "" }
        #expect(live.count == 1)
    }

    @Test("a query says that it uses the index, and is right without one")
    func explaining() throws {
        let realm = try realm()
        try realm.write {
            for id in 0..<3_000 {
                realm.create(
                    Article.self,
                    value: [
                        "id": id, "body": "word\(id % 100) every", "title": "word\(id % 100) every", "kind": id % 1_000,
                    ])
            }
        }
        let articles = realm.objects(Article.self)
        #expect(articles.where { $0.body.fullText("word7 -word8") }.explain() == "full-text index on Article.body")
        // Every text has the other word: it is left to those that have the first one.
        #expect(
            articles.where { $0.body.fullText("word7 every") }.explain()
                == "full-text index on Article.body, then scan Article.body")
        #expect(articles.where { $0.body.fullText("word7 every") }.count == 30)
        #expect(articles.where { $0.title.fullText("word7 every") }.explain() == "scan Article.title")
        #expect(articles.where { $0.title.fullText("word7 every") }.count == 30)
        #expect(articles.where { $0.kind == 2 }.explain() == "index on Article.kind")
    }

    @Test("only strings that are no primary key can have one")
    func refusals() throws {
        let refused = #expect(throws: Realm.Error.self) { try realm([WronglyIndexed.self]) }
        #expect(
            refused?.localizedDescription.contains(
                "Property 'WronglyIndexed.number' of type 'int' cannot have a full-text index: only strings can.")
                == true)
        let plain = try realm([IndexedKey.self])
        #expect(plain.objects(IndexedKey.self).filter("id TEXT 'a'").isEmpty)
    }

    @Test("indexes are added to a file that has objects, and stay when a later version does not ask for them")
    func evolution() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("text-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func open(_ type: ObjectBase.Type) throws -> Realm {
            try Realm(
                configuration: Realm.Configuration(
                    fileURL: folder.appendingPathComponent("stories.realm"), objectTypes: [type]))
        }
        try {
            let realm = try open(Earlier.Story.self)
            try realm.write {
                for id in 0..<2_000 {
                    realm.create(
                        Earlier.Story.self,
                        value: ["id": id, "text": "kind\(id % 50)", "any": id % 50] as [String: Any])
                }
            }
            let found = realm.objects(Earlier.Story.self).filter("text TEXT 'kind3'")
            #expect(found.count == 40 && found.explain() == "scan Story.text")
        }()
        try {
            let stories = try open(Later.Story.self).objects(Later.Story.self)
            let found = stories.where { $0.text.fullText("kind3") }
            #expect(found.count == 40 && found.explain() == "full-text index on Story.text")
            let numbers = stories.where { $0.any == .int(3) }
            #expect(numbers.count == 40 && numbers.explain() == "index on Story.any")
        }()
        let realm = try open(Earlier.Story.self)
        try realm.write {
            let story = realm.objects(Earlier.Story.self).filter("text TEXT 'kind3'")[0]
            story.text = "Kind 3"
            story.any = .string("kind3")
        }
        let stories = realm.objects(Earlier.Story.self)
        #expect(stories.filter("text TEXT 'kind3'").explain() == "full-text index on Story.text")
        #expect(stories.filter("text TEXT 'kind3'").count == 39 && stories.filter("text TEXT '3'").count == 1)
        #expect(stories.filter("`any` == 3").count == 39 && stories.filter("`any` == 'kind3'").count == 1)
    }
}
