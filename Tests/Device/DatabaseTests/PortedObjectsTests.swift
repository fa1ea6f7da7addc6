import Causeway
import Dispatch
import Foundation
import Synchronization
import Testing

/// What apps that come from RealmSwift do with objects, and what they are used to seeing.
@Suite("Objects of an app that comes from RealmSwift")
struct PortedObjectsTests {
    // MARK: - Making

    @Test("a dictionary may hold more than the class declares")
    func unknownKeys() throws {
        let json = ["id": 7, "name": "Ann", "likes": 12, "items": [1, 2]] as [String: Any]
        #expect(PortedOwner(value: json).name == "Ann")
        let realm = try portedRealm()
        try realm.write { realm.create(PortedOwner.self, value: json) }
        #expect(realm.object(ofType: PortedOwner.self, forPrimaryKey: 7)?.name == "Ann")
        try realm.write { realm.create(PortedOwner.self, value: ["id": 7, "surname": "B"], update: .modified) }
        #expect(realm.object(ofType: PortedOwner.self, forPrimaryKey: 7)?.name == "Ann")
    }

    @Test("a decimal is read from text")
    func decimalText() throws {
        let realm = try portedRealm()
        let owner = try realm.write { realm.create(PortedOwner.self, value: ["id": 1, "balance": "4.4"]) }
        #expect(owner.balance == "4.4")
        #expect(PortedOwner(value: ["balance": "-0.10"]).balance == "-0.10")
    }

    @Test("a date without a default begins now")
    func dates() throws {
        let before = Date()
        let owner = PortedOwner()
        #expect(owner.joined >= before && owner.joined <= Date())
        #expect(owner.joined == owner.joined)
        let realm = try portedRealm()
        try realm.write { realm.add(owner) }
        #expect(abs(owner.joined.timeIntervalSince(before)) < 60)
        let created = try realm.write { realm.create(PortedOwner.self, value: ["id": 1]) }
        #expect(created.joined >= owner.joined)
    }

    @Test("a class may have nothing but an inverse relation")
    func inverseOnly() throws {
        let realm = try portedRealm()
        let tag = PortedTag()
        try realm.write {
            realm.add(PortedItem(value: ["tag": tag]))
            realm.create(PortedItem.self, value: ["tag": tag])
            realm.add(PortedTag())
        }
        #expect(tag.items.count == 2)
        #expect(realm.objects(PortedTag.self).map(\.items.count) == [2, 0])
        #expect(realm.objects(PortedTag.self).filter("items.@count > 0").count == 1)
    }

    // MARK: - Updating

    private func stored(_ realm: Realm) throws -> PortedOwner {
        try realm.write {
            realm.create(
                PortedOwner.self,
                value: [
                    "id": 1, "name": "Ann", "home": ["street": "Elm", "city": "Ulm"], "anything": 3,
                    "addresses": [["street": "a"], ["street": "b"]], "dog": ["name": "Rex"], "dogs": [["name": "Bo"]],
                    "addressesByName": ["x": ["street": "x"], "y": ["street": "y"]],
                    "nicknames": ["A"], "tags": ["t"], "counts": ["c": 1],
                ] as [String: Any])
        }
    }

    @Test(
        "adding with an update replaces what the new object never touched",
        arguments: [Realm.UpdatePolicy.all, .modified])
    func untouched(policy: Realm.UpdatePolicy) throws {
        let realm = try portedRealm()
        let owner = try stored(realm)
        let new = PortedOwner()
        new.id = 1
        try realm.write { realm.add(new, update: policy) }
        #expect(owner.name == nil && owner.home == nil && owner.dog == nil && owner.anything == .none)
        #expect(owner.addresses.isEmpty && owner.dogs.isEmpty && owner.nicknames.isEmpty && owner.tags.isEmpty)
        #expect(owner.addressesByName.isEmpty && owner.counts.isEmpty)
        // Objects with a life of their own stay; embedded ones end with their place.
        #expect(realm.objects(PortedDog.self).count == 2)
    }

    @Test("creating with an update leaves alone what is not given")
    func notGiven() throws {
        let realm = try portedRealm()
        let owner = try stored(realm)
        try realm.write { realm.create(PortedOwner.self, value: ["id": 1, "name": "Bea"], update: .all) }
        #expect(owner.name == "Bea" && owner.home?.street == "Elm" && owner.dogs.count == 1 && owner.counts["c"] == 1)
    }

    @Test("an update of what differs changes embedded objects where they are")
    func embeddedInPlace() throws {
        let realm = try portedRealm()
        let owner = try stored(realm)
        let home = try #require(owner.home)
        let (first, second) = (owner.addresses[0], owner.addresses[1])
        let named = try #require(owner.addressesByName["x"] ?? nil)
        var heard: [String] = []
        let token = home.observe { change in
            if case .change(_, let properties) = change { heard += properties.map(\.name) }
        }
        defer { token.invalidate() }
        try realm.write {
            realm.create(
                PortedOwner.self,
                value: [
                    "id": 1, "home": ["street": "Oak", "city": "Ulm"], "addresses": [["street": "c"]],
                    "addressesByName": ["x": ["street": "z"], "n": ["street": "n"]],
                ] as [String: Any], update: .modified)
        }
        #expect(!home.isInvalidated && home.street == "Oak" && owner.home?.street == "Oak")
        #expect(!first.isInvalidated && first.street == "c" && second.isInvalidated && owner.addresses.count == 1)
        #expect(!named.isInvalidated && named.street == "z")
        #expect(owner.addressesByName.keys == ["n", "x"])
        realm.refresh()
        #expect(heard == ["street"])
        try realm.write {
            realm.create(PortedOwner.self, value: ["id": 1, "home": ["street": "Ash"]] as [String: Any], update: .all)
        }
        #expect(home.isInvalidated && owner.home?.street == "Ash" && owner.home?.city == "")
    }

    @Test("an embedded object may be assigned to the property that holds it")
    func sameEmbedded() throws {
        let realm = try portedRealm()
        let owner = try stored(realm)
        let home = try #require(owner.home)
        try realm.write {
            owner.home = owner.home
            owner.setValue(home, forKey: "home")
        }
        #expect(!home.isInvalidated && owner.home?.street == "Elm")
    }

    // MARK: - Comparing

    @Test("frozen objects of one row are equal without a primary key")
    func frozenEquality() throws {
        let realm = try portedRealm()
        try realm.write { for name in ["Rex", "Bo"] { realm.create(PortedDog.self, value: ["name": name]) } }
        let dogs = realm.objects(PortedDog.self)
        let (rex, bo) = (dogs[0], dogs[1])
        #expect(rex.freeze() == rex.freeze() && rex.freeze().hash == rex.freeze().hash)
        #expect(rex.freeze() != bo.freeze() && rex.freeze() != rex)
        #expect(Set([rex.freeze(), rex.freeze(), bo.freeze()]).count == 2)
        let before = rex.freeze()
        try realm.write { rex.age += 1 }
        #expect(before != rex.freeze())
    }

    @Test("a query that compares with an unmanaged object finds nothing")
    func unmanagedArgument() throws {
        let realm = try portedRealm()
        let owner = try stored(realm)
        let owners = realm.objects(PortedOwner.self)
        let stranger = PortedDog()
        #expect(owners.filter("dog == %@", stranger).isEmpty)
        #expect(owners.where { $0.dog == stranger }.isEmpty)
        #expect(owners.filter("ANY dogs == %@", stranger).isEmpty)
        #expect(owners.filter("dog != %@", stranger).count == 1)
        #expect(owners.where { $0.dog.in([stranger, owner.dog]) }.count == 1)
        #expect(owner.dogs.index(of: stranger) == nil)
    }

    @Test("an update with the same link, or with a new object of its key, leaves the link alone")
    func sameLink() throws {
        let realm = try portedRealm()
        let task = try realm.write { realm.create(PortedTask.self, value: ["kind": 1]) }
        let owner = try realm.write {
            realm.create(PortedOwner.self, value: ["id": 1, "dog": ["name": "Rex"]] as [String: Any])
        }
        var heard = 0
        let token = owner.observe { _ in heard += 1 }
        defer { token.invalidate() }
        try realm.write {
            realm.create(PortedOwner.self, value: ["id": 1, "dog": owner.dog as Any], update: .modified)
        }
        realm.refresh()
        #expect(heard == 0 && owner.dog?.name == "Rex" && task.kind == .small)
    }

    @Test("parts of a new object that are stored as embedded objects are written whole by an update")
    func mappedUpdate() throws {
        let realm = try portedRealm()
        try realm.write {
            realm.create(
                PortedRoute.self,
                value: ["points": [["x": 1.0, "y": 2.0], ["x": 3.0]], "start": ["x": 5.0, "y": 6.0]] as [String: Any])
        }
        let route = try #require(realm.objects(PortedRoute.self).first)
        #expect(route.points.map(\.y) == [2, 0] && route.start == PortedPoint(x: 5, y: 6))
    }

    // MARK: - To other threads

    /// What the body answers on a thread of its own, while this one waits.
    private func elsewhere<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) -> Answer? {
        let answer = Mutex<Answer?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread {
            answer.withLock { $0 = body() }
            done.signal()
        }.start()
        done.wait()
        return answer.withLock { $0 }
    }

    @Test("what a write makes can be referred to before its commit")
    func referencesOfAWrite() throws {
        let realm = try portedRealm()
        let configuration = realm.configuration
        realm.beginWrite()
        let dog = realm.create(PortedDog.self, value: ["name": "Rex"])
        let owner = realm.create(PortedOwner.self, value: ["id": 1, "dogs": [dog]] as [String: Any])
        let reference = ThreadSafeReference(to: dog)
        let list = ThreadSafeReference(to: owner.dogs)
        @ThreadSafe var kept = dog
        let wrapper = _kept
        #expect(elsewhere { wrapper.wrappedValue == nil } == true)
        try realm.commitWrite()
        let names = elsewhere { () -> [String?] in
            guard let realm = try? Realm(configuration: configuration) else { return [] }
            return [realm.resolve(reference)?.name, realm.resolve(list)?.first?.name, wrapper.wrappedValue?.name]
        }
        #expect(names == ["Rex", "Rex", "Rex"] && kept?.name == "Rex")
    }

    @Test("what an undone write had made is nothing, also where another object has its row")
    func referencesOfAnUndoneWrite() throws {
        let realm = try portedRealm()
        let configuration = realm.configuration
        let owner = try realm.write { realm.create(PortedOwner.self, value: ["id": 1, "dogs": [["name": "Rex"]]]) }
        realm.beginWrite()
        let lost = ThreadSafeReference(to: realm.create(PortedDog.self))
        let stays = ThreadSafeReference(to: owner.dogs)
        @ThreadSafe var kept = realm.create(PortedDog.self)
        realm.cancelWrite()
        try realm.write { for _ in 0..<3 { realm.create(PortedDog.self, value: ["name": "another"]) } }
        let found = elsewhere { (try? Realm(configuration: configuration)).map { $0.resolve(lost) == nil } ?? false }
        #expect(found == true && kept == nil && realm.resolve(stays)?.count == 1)
    }

    @Test("a commit without notifying a Realm's own observer is not told to it")
    func realmToken() throws {
        let realm = try portedRealm()
        var heard: [String] = []
        let quiet = realm.observe { _, _ in heard.append("quiet") }
        let other = realm.observe { _, _ in heard.append("other") }
        defer { [quiet, other].forEach { $0.invalidate() } }
        try realm.write(withoutNotifying: [quiet]) { _ = realm.create(PortedDog.self) }
        #expect(heard == ["other"])
        try realm.write { _ = realm.create(PortedDog.self) }
        #expect(heard == ["other", "quiet", "other"])
    }

    @Test("a stored value that a type of the app rejects reads as nil where the property is optional")
    func rejectedValues() throws {
        let realm = try portedRealm()
        let unmanaged = PortedStrict(value: ["code": "a", "lastCode": "", "codes": ["b", ""]] as [String: Any])
        #expect(unmanaged.lastCode == nil && unmanaged.codes.map { $0?.text } == ["b", nil])
        let strict = try realm.write {
            realm.create(PortedStrict.self, value: ["code": "a", "lastCode": "", "codes": ["b", ""]] as [String: Any])
        }
        #expect(strict.lastCode == nil && strict.codes.map { $0?.text } == ["b", nil])
        try realm.write { strict["lastCode"] = "c" }
        #expect(strict.lastCode?.text == "c")
        try realm.write { strict["lastCode"] = "" }
        #expect(strict.lastCode == nil && strict.code.text == "a")
    }

    @Test("mixed values that are not there have a sum of zero")
    func emptyMixedSums() throws {
        let realm = try portedRealm()
        let owner = try realm.write { realm.create(PortedOwner.self) }
        for owner in [owner, PortedOwner()] {
            #expect(owner.mixed.sum() == .int(0) || owner.mixed.sum() == .decimal128(0))
            #expect(owner.mixed.min() == nil && owner.mixed.max() == nil)
        }
    }

    @Test("a Realm that is opened to resolve a reference is at least where the reference was made")
    func freshReference() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("tags.realm"), objectTypes: [PortedTag.self, PortedItem.self])
        let realm = try Realm(configuration: configuration)
        let item = try realm.write { realm.create(PortedItem.self) }
        for _ in 0..<20 {
            try realm.write { item.tag = realm.create(PortedTag.self) }
            let reference = ThreadSafeReference(to: item)
            let hasTag = elsewhere {
                guard let fresh = try? Realm(configuration: configuration) else { return false }
                let found = fresh.resolve(reference)
                return found?.tag != nil && fresh.objects(PortedTag.self).count > 0
            }
            #expect(hasTag == true)
            try realm.write { realm.delete(realm.objects(PortedTag.self)) }
        }
    }

    @Test("two classes of one name are told apart in an error that names both")
    func twins() throws {
        let error = #expect(throws: Realm.Error.self) {
            try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "twins",
                    objectTypes: [PortedNorth.PortedTwin.self, PortedSouth.PortedTwin.self]))
        }
        #expect(error?.message.contains("PortedNorth") == true && error?.message.contains("PortedSouth") == true)
    }

    @Test("a dynamic object of a declared class has the names that the class gives its properties")
    func mappedNames() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [PortedMapped.self]))
        let mapped = try realm.write { realm.create(PortedMapped.self, value: ["firstName": "a"]) }
        let dynamic = try #require(realm.dynamicObjects("PortedMapped").first)
        #expect(dynamic["firstName"] as? String == "a" && dynamic.firstName as? String == "a")
        #expect(realm.dynamicObjects("PortedMapped").filter("firstName == 'a'").count == 1)
        try realm.write { dynamic["firstName"] = "b" }
        #expect(mapped.firstName == "b" && mapped["firstName"] as? String == "b")
        let made = try realm.write { realm.dynamicCreate("PortedMapped", value: ["firstName": "c"]) }
        #expect(made["firstName"] as? String == "c")
    }

    @Test("a mixed property does not call itself optional")
    func mixedIsNotOptional() throws {
        for name in ["anything", "mixed"] { #expect(PortedOwner().objectSchema[name]?.isOptional == false, "\(name)") }
        #expect(PortedOwner().objectSchema["name"]?.isOptional == true)
    }
}

enum PortedNorth {
    class PortedTwin: Object {
        @Persisted var north = 1
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum PortedSouth {
    class PortedTwin: Object {
        @Persisted var south = 1
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

class PortedMapped: Object {
    @Persisted var firstName = ""
    override class func propertiesMapping() -> [String: String] { ["firstName": "first_name"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
