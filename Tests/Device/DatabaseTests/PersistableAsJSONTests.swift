import Causeway
import Foundation
import Testing

struct StoredAddress: PersistableAsJSON {
    var street = ""
    var city = ""
    var floor: Int?
    var doors: [String: [Double]] = [:]
}

class AddressBook: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var home: StoredAddress
    @Persisted var work: StoredAddress?
    @Persisted var office = StoredAddress(street: "Main", city: "Bern")
    @Persisted var past: List<StoredAddress>
    @Persisted var known: MutableSet<StoredAddress>
    @Persisted var byName: Map<String, StoredAddress>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Codable types in one line")
struct PersistableAsJSONTests {
    private let realm: Realm
    private let bern = StoredAddress(street: "Main", city: "Bern", floor: 2, doors: ["b": [1, 0.5], "a": []])
    private let basel = StoredAddress(street: "Side", city: "Basel")

    init() throws {
        realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [AddressBook.self]))
    }

    @Test("a value is stored and read in properties and in every collection, managed or not")
    func everywhere() throws {
        let book = AddressBook()
        func check(_ book: AddressBook) {
            #expect(book.home == StoredAddress() && book.office.city == "Bern" && book.work == nil)
            book.realm?.beginWrite()
            book.home = bern
            book.work = basel
            book.past.append(objectsIn: [bern, basel, bern])
            book.known.insert(objectsIn: [bern, basel, bern])
            book.byName["x"] = bern
            try? book.realm?.commitWrite()
            #expect(book.home == bern && book.home.doors == bern.doors && book.work?.street == "Side")
            #expect(Array(book.past) == [bern, basel, bern] && book.known.count == 2 && book.known.contains(basel))
            #expect(book.byName["x"]?.floor == 2)
        }
        check(book)
        let managed = try realm.write { realm.create(AddressBook.self, value: ["id": 2]) }
        check(managed)
        try realm.write { realm.add(book) }
        #expect(book.home == bern && Array(book.past) == [bern, basel, bern])
        #expect(book.freeze().home == bern)
    }

    @Test("equal values are equal bytes, with keys in ascending order")
    func bytes() {
        #expect(basel.persistableValue == #"{"city":"Basel","doors":{},"street":"Side"}"#)
        #expect(bern.persistableValue == #"{"city":"Bern","doors":{"a":[],"b":[1,0.5]},"floor":2,"street":"Main"}"#)
        #expect(StoredAddress(street: "a/b", doors: ["x": [.infinity]]).persistableValue.contains(#""a/b""#))
    }

    @Test("queries compare whole values")
    func queries() throws {
        try realm.write {
            realm.create(AddressBook.self, value: ["id": 1]).home = bern
            let other = realm.create(AddressBook.self, value: ["id": 2])
            other.work = basel
            other.past.append(bern)
        }
        let books = realm.objects(AddressBook.self)
        #expect(books.where { $0.home == bern }.map(\.id) == [1])
        #expect(books.where { $0.home != bern }.map(\.id) == [2])
        #expect(books.where { $0.work == basel }.map(\.id) == [2])
        #expect(books.where { $0.work == nil }.map(\.id) == [1])
        #expect(books.where { $0.past.contains(bern) }.map(\.id) == [2])
        #expect(books.where { $0.home.in([bern, basel]) }.map(\.id) == [1])
        #expect(books.filter("work == %@", basel).map(\.id) == [2])
    }

    @Test("a stored text that is no such value reads as nil where that is allowed")
    func damaged() throws {
        let book = try realm.write { realm.create(AddressBook.self, value: ["id": 1]) }
        #expect(StoredAddress(persistedValue: "{}") == nil)
        #expect(StoredAddress(persistedValue: "") == StoredAddress())
        try realm.write {
            book.setValue(#"{"city": 1}"#, forKey: "work")
            #expect(book.work == nil)
            book.work = basel
        }
        #expect(book.work == basel)
    }

    @Test("in any other property it stops the program with the decoder's reason")
    func stops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: UUID().uuidString, objectTypes: [AddressBook.self]))
            let book = try realm.write { realm.create(AddressBook.self, value: ["id": 1]) }
            try realm.write { book.setValue("{\"city\": 1}", forKey: "home") }
            print(book.home)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("StoredAddress"))
    }
}
