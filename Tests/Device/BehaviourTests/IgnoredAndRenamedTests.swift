import Causeway
import Foundation
import Testing

@Suite("The page about defining objects: enumerations, ignored and renamed properties")
struct IgnoredAndRenamedTests {
    @Test("S127 an enumeration is stored as its raw value")
    func enumeration() throws {
        let realm = try memoryRealm([StatusPage.Task.self])
        try realm.write {
            realm.create(StatusPage.Task.self, value: ["name": "a"])
            realm.create(
                StatusPage.Task.self,
                value: ["name": "b", "status": TaskStatusEnum.complete, "optionalTaskStatusEnum": "inProgress"])
        }
        let tasks = realm.objects(StatusPage.Task.self).sorted(byKeyPath: "name")
        #expect(tasks[0].status == .notStarted)
        #expect(tasks[0].optionalTaskStatusEnum == nil)
        #expect(tasks[1].status == .complete)
        #expect(tasks[1].optionalTaskStatusEnum == .inProgress)
        #expect(tasks.where { $0.status == .complete }.map(\.name) == ["b"])
        #expect(tasks.filter("status == 'notStarted'").map(\.name) == ["a"])
        #expect(tasks.filter("status == %@", TaskStatusEnum.complete).map(\.name) == ["b"])
        try realm.write { tasks[0].optionalTaskStatusEnum = .complete }
        #expect(tasks.where { $0.optionalTaskStatusEnum == .complete }.map(\.name) == ["a"])
        #expect(RatingEnum.poor < RatingEnum.good)
    }

    @Test("S124 an ignored property is an ordinary one, which no query names and no notification mentions")
    func ignored() async throws {
        let realm = try memoryRealm([IgnoringPage.Person.self])
        let person = IgnoringPage.Person()
        person.visits = 3
        try realm.write { realm.add(person) }
        person.visits += 1
        #expect(person.visits == 4)
        #expect(realm.objects(IgnoringPage.Person.self)[0].visits == 0)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm([IgnoringPage.Person.self]).objects(IgnoringPage.Person.self)
                .filter("visits == 3").count
        }
        #expect(lastWords(result).contains("Property 'visits' not found in object of type 'Person'"))
    }

    @Test("S125 a computed property is not persisted")
    func computed() throws {
        let realm = try memoryRealm([IgnoringPage.Person.self])
        let person = try realm.write {
            realm.create(IgnoringPage.Person.self, value: ["firstName": "Ada", "lastName": "King"])
        }
        #expect(person.name == "Ada King")
        #expect(!person.description.contains("\tname ="))
    }

    @Test("S126 the older class function names properties to ignore")
    func ignoredProperties() throws {
        let realm = try memoryRealm([IgnoringPage.Person.self])
        let person = IgnoringPage.Person()
        person.tmpId = 7
        try realm.write { realm.add(person) }
        #expect(realm.objects(IgnoringPage.Person.self)[0].tmpId == 0)
        #expect(!realm.objects(IgnoringPage.Person.self)[0].description.contains("tmpId"))
    }

    @Test("S129 a renamed property has its own name in code and another in the file")
    func renamed() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("people.realm")
            do {
                let realm = try Realm(
                    configuration: Realm.Configuration(fileURL: url, objectTypes: [RenamingPage.Person.self]))
                try realm.write {
                    realm.create(RenamingPage.Person.self, value: ["firstName": "Ada", "lastName": "King"])
                }
                #expect(realm.objects(RenamingPage.Person.self).where { $0.firstName == "Ada" }.count == 1)
                #expect(realm.objects(RenamingPage.Person.self).filter("lastName == 'King'").count == 1)
                #expect(realm.objects(RenamingPage.Person.self).sorted(by: \.lastName)[0].firstName == "Ada")
            }
            let stored = try Realm(
                configuration: Realm.Configuration(fileURL: url, objectTypes: [RenamingPage.StoredPerson.self]))
            #expect(stored.objects(RenamingPage.StoredPerson.self)[0].first_name == "Ada")
            #expect(stored.objects(RenamingPage.StoredPerson.self)[0].last_name == "King")
        }
    }
}
