import Causeway
import Foundation
import Testing

/// Classes as apps for RealmSwift write them: initialisers, descriptions and comparisons of their own.
class OverridingBook: Object, Codable {
    @Persisted(primaryKey: true) var isbn = ""
    @Persisted var title = ""
    @Persisted var pages = 0
    @Persisted var weight: Double
    @Persisted var chapters: List<OverridingChapter>
    @Persisted var words: List<String>
    @Persisted var tags: MutableSet<String>
    @Persisted var prices: Map<String, Int>
    override init() {
        super.init()
        title = "untitled"
    }
    convenience init(isbn: String) {
        self.init()
        self.isbn = isbn
    }
    override var description: String { "Book \(title)" }
    override var debugDescription: String { "<\(isbn)>" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OverridingChapter: RealmSwiftEmbeddedObject, Codable {
    @Persisted var name = ""
    required override init() { super.init() }
    init(name: String) {
        super.init()
        self.name = name
    }
    override func isEqual(_ object: Any?) -> Bool { (object as? OverridingChapter)?.name == name }
    override var hash: Int { name.hashValue }
    override class func className() -> String { "Chapter" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class BookTitle: Projection<OverridingBook> {
    @Projected(\OverridingBook.title) var title
}

private struct Shelf: Hashable {
    var words: List<String>
    var tags: MutableSet<String>
    var prices: Map<String, Int>
}

private func make<T: Object>(_ type: T.Type) -> T { T() }
private func all<T: RealmFetchable>(_ type: T.Type, in realm: Realm) -> Results<T> { realm.objects(type) }
private func size<C: RealmCollectionBase>(of collection: C) -> Int { collection.count }
private func isLive<C: RealmSectionedResult>(_ sections: C) -> Bool { !sections.isFrozen && sections.freeze().isFrozen }

@Suite("Source written for RealmSwift")
struct CompatibleSourceTests {
    private func library() throws -> Realm {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, syncConfiguration: nil,
                objectTypes: [OverridingBook.self, OverridingChapter.self]))
        try realm.write {
            for (isbn, pages) in [("1", 100), ("2", 201)] {
                realm.create(
                    OverridingBook.self, value: ["isbn": isbn, "pages": pages, "weight": 0.5] as [String: Any])
            }
        }
        return realm
    }

    @Test("init() is overridden without being required, and runs wherever an object is made")
    func initialisers() throws {
        let realm = try library()
        #expect(OverridingBook(isbn: "3").title == "untitled")
        #expect(make(OverridingBook.self).title == "untitled")
        let type: Object.Type = OverridingBook.self
        #expect(type.init() is OverridingBook)
        #expect(OverridingBook(value: ["isbn": "4"]).title == "untitled")
        #expect(realm.objects(OverridingBook.self).allSatisfy { $0.title == "untitled" })
        try realm.write { realm.objects(OverridingBook.self)[0].chapters.append(OverridingChapter(name: "one")) }
        #expect(realm.objects(OverridingBook.self)[0].chapters[0].name == "one")
        #expect(realm.schema["Chapter"]?.isEmbedded == true)
    }

    @Test("a class describes itself in its own words")
    func descriptions() throws {
        let book = try #require(try library().objects(OverridingBook.self).first)
        #expect("\(book)" == "Book untitled" && "\([book])" == "[<1>]")
        #expect((book as Object).description == "Book untitled")
    }

    @Test("a class compares itself in its own way")
    func comparisons() {
        let chapters = ["a", "b", "a"].map { OverridingChapter(name: $0) }
        #expect(chapters[0] == chapters[2] && chapters[0] != chapters[1])
        #expect(Set(chapters).count == 2 && chapters.firstIndex(of: OverridingChapter(name: "b")) == 1)
        #expect(!chapters[0].isEqual("a") && !chapters[0].isEqual(nil))
    }

    @Test("objects of one row are equal by isEqual and have one hash")
    func sameRow() throws {
        let realm = try library()
        let (first, again) = (realm.objects(OverridingBook.self)[0], realm.objects(OverridingBook.self)[0])
        #expect(first !== again && first.isEqual(again) && first.hash == again.hash)
        #expect(first != realm.objects(OverridingBook.self)[1])
    }

    @Test("unmanaged collections are equal when they hold the same, and hash so")
    func equalCollections() throws {
        func shelf(_ words: String...) -> Shelf {
            let book = OverridingBook()
            book.words.append(objectsIn: words)
            book.tags.insert(objectsIn: words.reversed())
            for word in words { book.prices[word] = word.count }
            return Shelf(words: book.words, tags: book.tags, prices: book.prices)
        }
        #expect(shelf() == shelf() && shelf("x", "yy") == shelf("x", "yy"))
        #expect(Set([shelf("x", "yy"), shelf("x", "yy"), shelf("yy", "x")]).count == 2)
        #expect(shelf("x", "yy").tags == shelf("yy", "x").tags)
        let realm = try library()
        let books = realm.objects(OverridingBook.self)
        #expect(books[0].words == books[0].words && books[0].words != books[1].words)
        #expect(Set([books[0].words, books[0].words, books[1].words]).count == 2)
        #expect(books[0].words != List<String>() && books[0].prices != Map<String, Int>())
    }

    @Test("an observer may take objects of a base class")
    func observedAsBase() throws {
        let realm = try library()
        let book = realm.objects(OverridingBook.self)[0]
        var heard: [String] = []
        func log<T: ObjectBase>(_ change: ObjectChange<T>) {
            switch change {
            case .change(let object, let properties): heard.append("\(object) \(properties.map(\.name))")
            case .deleted: heard.append("deleted")
            case .error: heard.append("error")
            }
        }
        let tokens = [
            book.observe { (change: ObjectChange<Object>) in log(change) },
            book.observe(keyPaths: ["pages"]) { (change: ObjectChange<ObjectBase>) in log(change) },
        ]
        try realm.write { book.title = "T" }
        realm.refresh()
        #expect(heard == ["Book T [\"title\"]"])
        try realm.write { realm.delete(book) }
        realm.refresh()
        #expect(heard.suffix(2) == ["deleted", "deleted"])
        tokens.forEach { $0.invalidate() }
    }

    @Test("generic code names what it fetches, loops over and holds in sections")
    func genericNames() throws {
        let realm = try library()
        let books = all(OverridingBook.self, in: realm)
        #expect(size(of: books) == 2 && all(BookTitle.self, in: realm).map(\.title) == ["untitled", "untitled"])
        var iterator: RLMIterator<OverridingBook> = books.makeIterator()
        #expect(iterator.next()?.isbn == "1")
        #expect(isLive(books.sectioned(by: \.pages)) && isLive(books.sectioned(by: \.pages)[0]))
        let block: NotificationBlock = { _, _ in }
        realm.observe(block).invalidate()
    }

    @Test("an average has the type of its property, or the one that is asked for")
    func averages() throws {
        let books = try library().objects(OverridingBook.self)
        let average = books.average(of: \.pages)
        #expect(type(of: average) == Int?.self && average == 150)
        let exact: Double? = books.average(of: \.pages)
        #expect(exact == 150.5 && books.average(of: \.weight) == 0.5)
    }

    @Test("several properties are set and read by name at once")
    func severalByName() throws {
        let realm = try library()
        let book = realm.objects(OverridingBook.self)[0]
        try realm.write { book.setValuesForKeys(["title": "T", "pages": 7]) }
        let values = book.dictionaryWithValues(forKeys: ["title", "pages"])
        #expect(values["title"] as? String == "T" && values["pages"] as? Int == 7 && values.count == 2)
        #expect(realm.objects(OverridingBook.self).value(forKey: "pages")! as! [Int] == [7, 201])
    }
}
