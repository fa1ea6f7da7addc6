import Causeway
import Foundation
import Testing

@Suite("Sets and maps on the page about reading")
struct SetAndMapTests {
    private func realmWithDogs() throws -> Realm {
        let realm = try memoryRealm(readPage)
        try realm.write {
            let maui = realm.create(Dog.self, value: ["name": "Maui"])
            maui.citiesVisited.insert(objectsIn: ["New York", "Toronto"])
            maui.favoriteParksByCity["New York"] = "Domino Park"
            maui.favoriteParksByCity["Chicago"] = "Wiggly Field"
            let lita = realm.create(Dog.self, value: ["name": "Lita"])
            lita.citiesVisited.insert(objectsIn: ["New York", "Toronto", "Boston"])
            _ = realm.create(Dog.self, value: ["name": "Rex"])
        }
        return realm
    }

    private func dog(_ name: String, _ realm: Realm) throws -> Dog {
        try #require(realm.objects(Dog.self).where { $0.name == name }.first)
    }

    @Test("S027 where counts the entries of a map")
    func mapCount() throws {
        let realm = try realmWithDogs()
        #expect(names(realm.objects(Dog.self).where { $0.favoriteParksByCity.count >= 1 }) == ["Maui"])
        #expect(names(realm.objects(Dog.self).filter("favoriteParksByCity.@count >= 1")) == ["Maui"])
    }

    @Test("S028 a map tells its keys")
    func mapKeys() throws {
        let realm = try realmWithDogs()
        #expect(try dog("Maui", realm).favoriteParksByCity.keys.contains("Chicago"))
        #expect(try !dog("Maui", realm).favoriteParksByCity.keys.contains("Boston"))
    }

    @Test("S029 a map is looped over by its entries")
    func mapLoop() throws {
        let realm = try realmWithDogs()
        var found: [String: String] = [:]
        for element in try dog("Maui", realm).favoriteParksByCity { found[element.key] = element.value }
        #expect(found == ["New York": "Domino Park", "Chicago": "Wiggly Field"])
    }

    @Test("S030 where asks whether a set contains an element")
    func setContains() throws {
        let realm = try realmWithDogs()
        let visited = realm.objects(Dog.self).where { $0.citiesVisited.contains("New York") }
        #expect(Set(names(visited)) == ["Maui", "Lita"])
        #expect(names(realm.objects(Dog.self).filter("ANY citiesVisited == 'Boston'")) == ["Lita"])
    }

    @Test("S031 a set describes itself")
    func setDescription() throws {
        let text = "\(try dog("Maui", realmWithDogs()).citiesVisited)"
        #expect(text.hasPrefix("MutableSet<string> ("))
        #expect(text.contains("New York") && text.contains("Toronto"))
    }

    @Test("S032 sets with a common element intersect")
    func setIntersects() throws {
        let realm = try realmWithDogs()
        #expect(try dog("Maui", realm).citiesVisited.intersects(dog("Lita", realm).citiesVisited))
        #expect(try !dog("Maui", realm).citiesVisited.intersects(dog("Rex", realm).citiesVisited))
    }

    @Test("S033 a set is a subset of one that has all its elements")
    func setSubset() throws {
        let realm = try realmWithDogs()
        let (maui, lita) = (try dog("Maui", realm), try dog("Lita", realm))
        #expect(maui.citiesVisited.isSubset(of: lita.citiesVisited))
        #expect(!lita.citiesVisited.isSubset(of: maui.citiesVisited))
    }
}
