import Causeway
import Foundation
import Testing

@Suite("Projections")
struct ProjectionTests {
    private typealias Person = ProjectionPage.Person
    private typealias PersonProjection = ProjectionPage.PersonProjection

    private func realmWithPeople() throws -> Realm {
        let realm = try memoryRealm([Person.self, ProjectionPage.Address.self])
        try realm.write {
            let jane = Person(value: ["firstName": "Jane", "lastName": "Doe", "address": ["city": "New York"]])
            jane.friends.append(objectsIn: [
                Person(value: ["firstName": "Ann"]), Person(value: ["firstName": "Bob", "lastName": "Roe"]),
            ])
            realm.add(jane)
        }
        return realm
    }

    @Test("S106 objects are read as a projection shows them")
    func results() throws {
        let realm = try realmWithPeople()
        let people = realm.objects(PersonProjection.self)
        #expect(people.count == 3)
        #expect(people.first?.firstName == "Jane")
        #expect(people.first?.homeCity == "New York")
        #expect(people.first.map { Array($0.firstFriendsName) } == ["Ann", "Bob"])
        #expect(people[1].homeCity == nil)
        #expect(people.map(\.firstName) == ["Jane", "Ann", "Bob"])
        #expect(people.sorted(by: \.firstName).map(\.firstName) == ["Ann", "Bob", "Jane"])
        #expect(people.sorted(by: \.homeCity, ascending: false).first?.firstName == "Jane")
        #expect(people.sectioned(by: \.homeCity).allKeys == [nil, "New York"])
        #expect(people.sorted(by: \.firstName).index(of: people[0]) == 2)
    }

    @Test("S107 a derived query uses a field with the name and type of the original")
    func derived() throws {
        let people = try realmWithPeople().objects(PersonProjection.self)
        #expect(people.filter("firstName == 'Ann'").map(\.firstName) == ["Ann"])
        #expect(people.where { $0.firstName.starts(with: "B") || $0.firstName == "Jane" }.count == 2)
        #expect(people.index(matching: { $0.firstName == "Bob" }) == 2)
    }

    @Test("S108 a derived query on a field with another name or type fails")
    func refused() async {
        let sentence = "of projection 'PersonProjection' cannot be queried"
        let renamed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm([ProjectionPage.Person.self, ProjectionPage.Address.self])
            _ = realm.objects(ProjectionPage.PersonProjection.self).filter("homeCity == 'New York'").count
        }
        #expect(lastWords(renamed).contains("Property 'homeCity' " + sentence))
        let typed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm([ProjectionPage.Person.self, ProjectionPage.Address.self])
            _ = realm.objects(ProjectionPage.PersonProjection.self).where { $0.homeCity == "New York" }.count
        }
        #expect(lastWords(typed).contains("Property 'homeCity' " + sentence))
        let mapped = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm([ProjectionPage.Person.self, ProjectionPage.Address.self])
            _ = realm.objects(ProjectionPage.PersonProjection.self).filter("ANY firstFriendsName == 'Ann'").count
        }
        #expect(lastWords(mapped).contains("Property 'firstFriendsName' " + sentence))
    }

    @Test("S130 a projection is declared over an object or an embedded object")
    func declared() throws {
        let realm = try realmWithPeople()
        let person = realm.objects(Person.self)[0]
        let projection = PersonProjection(projecting: person)
        #expect(projection.rootObject == person)
        #expect(projection.firstName == "Jane")
        let address = try #require(person.address)
        #expect(ProjectionPage.AddressProjection(projecting: address).city == "New York")
        // Unmanaged objects are projected as well.
        let draft = Person(value: ["firstName": "Draft"])
        let shown = PersonProjection(projecting: draft)
        shown.firstName = "Done"
        #expect(draft.firstName == "Done" && shown.realm == nil && shown.homeCity == nil)
    }

    @Test("S131 a passthrough field has the name and type of the original, and writes it")
    func passthrough() throws {
        let realm = try realmWithPeople()
        let projection = realm.objects(PersonProjection.self)[0]
        let name: String = projection.firstName
        #expect(name == "Jane")
        try realm.write { projection.firstName = "Janet" }
        #expect(realm.objects(Person.self)[0].firstName == "Janet")
    }

    @Test("S132 a field is renamed and reads through an embedded object; such a path is not written")
    func renamed() async throws {
        let realm = try realmWithPeople()
        let projection = realm.objects(PersonProjection.self)[0]
        let city: String? = projection.homeCity
        #expect(city == "New York")
        try realm.write { projection.rootObject.address = nil }
        #expect(projection.homeCity == nil)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ProjectionPage.PersonProjection(projecting: ProjectionPage.Person()).homeCity = "Paris"
        }
        #expect(lastWords(result).contains("The projected property cannot be written"))
    }

    @Test("S133 a collection maps to one property of its objects, live")
    func collection() throws {
        let realm = try realmWithPeople()
        let jane = realm.objects(Person.self)[0]
        let names = PersonProjection(projecting: jane).firstFriendsName
        #expect(Array(names) == ["Ann", "Bob"])
        #expect(names[1] == "Bob" && names.index(of: "Bob") == 1 && names.realm == realm)
        let frozen = names.freeze()
        var heard: [String] = []
        let token = names.observe { change in
            switch change {
            case .initial(let names): heard.append(names.joined(separator: " "))
            case .update(let names, let deletions, let insertions, let modifications):
                heard.append("\(names.joined(separator: " ")) \(deletions)\(insertions)\(modifications)")
            case .error: heard.append("error")
            }
        }
        realm.refresh()
        try realm.write { jane.friends[1].firstName = "Ben" }
        realm.refresh()
        try realm.write { jane.friends[1].lastName = "Silent" }
        realm.refresh()
        try realm.write { jane.friends.remove(at: 0) }
        realm.refresh()
        #expect(heard == ["Ann Bob", "Ann Ben [][][1]", "Ben [0][][]"])
        #expect(Array(frozen) == ["Ann", "Bob"])
        #expect(frozen.thaw().map(Array.init) == ["Ben"])
        #expect(jane.friends.projectTo.firstName == names)
        token.invalidate()
    }

    @Test("S134 an observer of a projection does not hear of what is not projected")
    func silent() throws {
        let realm = try realmWithPeople()
        let jane = realm.objects(Person.self)[0]
        let projection = realm.objects(PersonProjection.self)[0]
        var heard: [String] = []
        let token = projection.observe { change in
            switch change {
            case .change(let projection, let properties):
                for property in properties {
                    heard.append(
                        "\(projection.firstName): \(property.name) \(property.oldValue ?? "nil") → "
                            + "\(property.newValue ?? "nil")")
                }
            case .deleted: heard.append("deleted")
            case .error: heard.append("error")
            }
        }
        var named: [[String]] = []
        let namedToken = projection.observe(keyPaths: [\PersonProjection.homeCity]) { change in
            if case .change(_, let properties) = change { named.append(properties.map(\.name)) }
        }
        realm.refresh()
        try realm.write { jane.lastName = "Silent" }
        realm.refresh()
        try realm.write { jane.address?.street = "Silent" }
        realm.refresh()
        try realm.write { jane.friends[0].lastName = "Silent" }
        realm.refresh()
        #expect(heard.isEmpty)
        try realm.write { jane.firstName = "Janet" }
        realm.refresh()
        try realm.write { jane.address?.city = "Paris" }
        realm.refresh()
        try realm.write { jane.address = ProjectionPage.Address(value: ["city": "Paris"]) }
        realm.refresh()
        try realm.write { jane.address = nil }
        realm.refresh()
        try realm.write { jane.friends[0].firstName = "Anna" }
        realm.refresh()
        try realm.write { realm.delete(jane) }
        realm.refresh()
        #expect(
            heard == [
                "Janet: firstName Jane → Janet", "Janet: homeCity New York → Paris", "Janet: homeCity Paris → nil",
                "Janet: firstFriendsName nil → nil", "deleted",
            ])
        #expect(named == [["homeCity"], ["homeCity"]])
        token.invalidate()
        namedToken.invalidate()
    }

    @Test("S134 an observer of results of projections does not hear of what is not projected")
    func silentResults() throws {
        let realm = try realmWithPeople()
        let jane = realm.objects(Person.self)[0]
        var all: [[Int]] = []
        var named: [[Int]] = []
        func record(_ change: RealmCollectionChange<Results<PersonProjection>>, _ list: inout [[Int]]) {
            if case .update(_, _, _, let modifications) = change { list.append(modifications) }
        }
        let people = realm.objects(PersonProjection.self)
        let tokens = [
            people.observe { record($0, &all) },
            people.observe(keyPaths: ["homeCity"]) { record($0, &named) },
        ]
        realm.refresh()
        try realm.write { jane.lastName = "Silent" }
        realm.refresh()
        #expect(all.isEmpty)
        try realm.write { jane.friends[0].firstName = "Anna" }
        realm.refresh()
        try realm.write { jane.address?.city = "Paris" }
        realm.refresh()
        #expect(all == [[0, 1], [0]])
        #expect(named == [[0]])
        for token in tokens { token.invalidate() }
    }

    @Test("projections are equal by object, hash alike, and are frozen and thawed")
    func identity() throws {
        let realm = try realmWithPeople()
        let people = realm.objects(PersonProjection.self)
        #expect(people[0] == people[0] && people[0] != people[1])
        #expect(Set([people[0], people[0], people[1]]).count == 2)
        let frozen = people[0].freeze()
        #expect(frozen.isFrozen && frozen != people[0])
        try realm.write { people[0].firstName = "Janet" }
        #expect(frozen.firstName == "Jane")
        #expect(frozen.thaw()?.firstName == "Janet")
        #expect(people.freeze().isFrozen)
        try realm.write { realm.delete(realm.objects(Person.self)[0]) }
        #expect(frozen.thaw() == nil)
    }
}
