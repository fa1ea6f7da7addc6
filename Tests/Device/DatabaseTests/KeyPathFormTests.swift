import Causeway
import Foundation
import Testing

/// Whatever takes the name of a property takes a key path, too. Both must do the same.
@Suite("Key paths where names are taken")
struct KeyPathFormTests {
    private let realm: Realm

    init() throws {
        realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [
                    QueriedPet.self, QueriedPerson.self, QueriedAddress.self, ForeseenPet.self, ForeseenHome.self,
                ]))
        try realm.write {
            for (number, name) in ["Rex", "Bello", "Rex", "Ada"].enumerated() {
                let pet = realm.create(QueriedPet.self)
                (pet.name, pet.age) = (name, number)
                let foreseen = realm.create(ForeseenPet.self, value: ["id": number])
                foreseen.petsByName["x"] = foreseen
            }
        }
    }

    @Test("setting a property of all elements")
    func setting() throws {
        let pets = realm.objects(QueriedPet.self)
        try realm.write { pets.setValue(7, for: \.age) }
        #expect(Set(pets.map(\.age)) == [7])
        try realm.write { pets.setValue("x", for: \.nickname) }
        #expect(Set(pets.map(\.nickname)) == ["x"])
        let unmanaged = List<QueriedPet>()
        unmanaged.append(objectsIn: [QueriedPet(), QueriedPet()])
        unmanaged.setValue("Rex", for: \.name)
        #expect(unmanaged.map(\.name) == ["Rex", "Rex"])
    }

    @Test("tracked collections, maps and sections, which notice the named property and no other")
    func tracked() throws {
        let pets = realm.objects(QueriedPet.self)
        let pet = realm.objects(ForeseenPet.self)[0]
        #expect(pets.tracked(keyPaths: [\QueriedPet.name]).map(\.age) == [0, 1, 2, 3])
        #expect(pet.petsByName.tracked(keyPaths: [\ForeseenPet.name]).count == 1)
        let sections = pets.sectioned(by: \.name)
        #expect(sections.tracked(keyPaths: [\QueriedPet.name]).count == 3)
        #expect(sections[0].tracked(keyPaths: [\QueriedPet.age]).count == 1)
    }

    @Test("sequences of changes, which report the named property and no other")
    @MainActor
    func sequences() async throws {
        let realm = try Realm(configuration: realm.configuration, queue: .main)
        let pets = realm.objects(QueriedPet.self)
        var values = pets.values(keyPaths: [\QueriedPet.age]).makeAsyncIterator()
        #expect(await values.next()?.count == 4)
        try realm.write { pets[0].name = "not asked for" }
        try realm.write { pets[0].age = 50 }
        #expect(await values.next()?[0].age == 50)
        let map = realm.objects(ForeseenPet.self)[0].petsByName
        var changes = map.changes(keyPaths: [\ForeseenPet.name]).makeAsyncIterator()
        guard case .initial? = await changes.next() else {
            Issue.record("no initial content")
            return
        }
        try realm.write { realm.objects(ForeseenPet.self)[0].age = 3 }
        try realm.write { realm.objects(ForeseenPet.self)[0].name = "new" }
        guard case .update(_, _, _, let modified)? = await changes.next() else {
            Issue.record("no change")
            return
        }
        #expect(modified == ["x"])
    }
}
