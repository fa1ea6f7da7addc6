import Causeway
import Foundation
import Testing

@Suite("The page about defining objects: properties of the older style")
struct LegacyPropertyTests {
    @Test("S114 lists, inverse relations and optional numbers declared with let are persisted")
    func boxes() throws {
        let realm = try memoryRealm([LegacyPage.Dog.self, LegacyPage.Person.self])
        let rex = LegacyPage.Dog()
        rex.age.value = 10
        rex.tricks.append(objectsIn: ["sit", "roll"])
        let person = LegacyPage.Person()
        person.age.value = 30
        person.dogs.append(rex)
        person.cities.insert(objectsIn: ["New York", "Boston"])
        person.parks["Chicago"] = "Jackson Park"
        #expect(rex.owners.count == 0)
        try realm.write { realm.add(person) }
        // The objects that were added are live.
        #expect(person.realm == realm && rex.realm == realm)
        #expect(person.dogs.count == 1 && person.dogs[0].age.value == 10)
        #expect(rex.owners.count == 1 && rex.owners[0].age.value == 30)
        // And so are those that are read.
        let read = try #require(realm.objects(LegacyPage.Person.self).first)
        #expect(read.age.value == 30)
        #expect(Array(read.dogs[0].tricks) == ["sit", "roll"])
        #expect(read.cities.contains("Boston") && read.cities.count == 2)
        #expect(read.parks["Chicago"] == "Jackson Park")
        #expect(read.dogs[0].owners.first == read || read.dogs[0].owners[0].isSameObject(as: read))
        try realm.write {
            read.age.value = nil
            read.dogs[0].tricks.append("fetch")
            read.parks["Boston"] = "Common"
            read.cities.remove("New York")
        }
        #expect(person.age.value == nil)
        #expect(Array(rex.tricks) == ["sit", "roll", "fetch"])
        #expect(person.parks.keys == ["Boston", "Chicago"])
        #expect(Array(person.cities) == ["Boston"])
        #expect(realm.objects(LegacyPage.Dog.self).filter("age > 9 AND ANY owners.age == nil").count == 1)
    }

    @Test("S116 RealmProperty holds every optional number and Bool")
    func numbers() throws {
        let realm = try memoryRealm([LegacyPage.Numbers.self])
        let empty = try realm.write { realm.create(LegacyPage.Numbers.self) }
        #expect(empty.int.value == nil && empty.float.value == nil && empty.double.value == nil)
        #expect(empty.bool.value == nil && empty.int8.value == nil && empty.int16.value == nil)
        #expect(empty.int32.value == nil && empty.int64.value == nil)
        let full = LegacyPage.Numbers()
        full.int.value = .max
        full.float.value = 1.5
        full.double.value = -2.25
        full.bool.value = false
        full.int8.value = .min
        full.int16.value = .max
        full.int32.value = .min
        full.int64.value = .max
        try realm.write { realm.add(full) }
        let read = try #require(realm.objects(LegacyPage.Numbers.self).filter("bool == false").first)
        #expect(read.int.value == .max && read.float.value == 1.5 && read.double.value == -2.25)
        #expect(read.bool.value == false && read.int8.value == .min && read.int16.value == .max)
        #expect(read.int32.value == .min && read.int64.value == .max)
        try realm.write { read.int.value = nil }
        #expect(full.int.value == nil)
        #expect(realm.objects(LegacyPage.Numbers.self).where { $0.int8 == .min }.count == 1)
        #expect(realm.objects(LegacyPage.Numbers.self).filter("int == nil").count == 2)
    }
}
