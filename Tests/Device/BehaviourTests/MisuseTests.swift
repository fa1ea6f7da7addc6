import Causeway
import Foundation
import Testing

/// Mistakes of the program, which RealmSwift answers with exceptions: each stops the process with its sentence.
@Suite("Misuse stops the program and says why")
struct MisuseTests {
    @Test("a Realm is used on another thread")
    func wrongThread() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            // The compiler would not let this pass otherwise.
            nonisolated(unsafe) let realm = try memoryRealm(readPage)
            let thread = Thread { _ = realm.objects(Dog.self).count }
            thread.start()
            while true { sleep(1) }
        }
        #expect(lastWords(result).contains("Realm accessed from incorrect thread."))
    }

    @Test("an object is read on another thread")
    func wrongThreadObject() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm(readPage)
            try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
            nonisolated(unsafe) let dog = realm.objects(Dog.self)[0]
            let thread = Thread { _ = dog.age }
            thread.start()
            while true { sleep(1) }
        }
        #expect(lastWords(result).contains("Realm accessed from incorrect thread."))
    }

    @Test("a property is written outside a transaction")
    func writeOutside() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm(readPage)
            try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
            realm.objects(Dog.self)[0].name = "Wolfie"
        }
        #expect(lastWords(result).contains("Attempting to modify object outside of a write transaction"))
    }

    @Test("an object is added outside a transaction")
    func addOutside() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try memoryRealm(readPage).add(Dog())
        }
        #expect(lastWords(result).contains("Can only add, remove, or create objects in a Realm in a write transaction"))
    }

    @Test("a transaction is begun inside a transaction")
    func nestedWrite() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm(readPage)
            try realm.write { try realm.write {} }
        }
        #expect(lastWords(result).contains("The Realm is already in a write transaction"))
    }

    @Test("a deleted object is read")
    func deletedObject() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try memoryRealm(readPage)
            let dog = Dog(value: ["name": "Rex"])
            try realm.write { realm.add(dog) }
            try realm.write { realm.delete(dog) }
            _ = dog.name
        }
        #expect(lastWords(result).contains("Object has been deleted or invalidated."))
    }

    @Test("a filter names an unknown property")
    func unknownProperty() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm(readPage).objects(Dog.self).filter("favoriteToy.colour == 'red'").count
        }
        #expect(lastWords(result).contains("Property 'colour' not found in object of type 'DogToy'"))
    }

    @Test("a filter cannot be read")
    func malformedFilter() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm(readPage).objects(Dog.self).filter("age >").count
        }
        #expect(lastWords(result).contains("Unable to parse the format string \"age >\""))
    }

    @Test("a filter lacks an argument")
    func missingArgument() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm(readPage).objects(Dog.self).filter("age > %@").count
        }
        #expect(lastWords(result).contains("at least 1 arguments"))
    }

    @Test("a filter is handed something no property can hold")
    func strangeArgument() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm(readPage).objects(Dog.self).filter("age > %@", NSObject()).count
        }
        #expect(lastWords(result).contains("Invalid argument of type"))
    }

    @Test("S172 a subquery without a collection")
    func subqueries() async {
        let without = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm(filterPage).objects(FilterPage.Project.self).where { ($0.name == "a").count > 0 }
        }
        #expect(lastWords(without).contains("Subqueries must contain a keypath starting with a collection."))
    }

    @Test("a predicate runs a block of the app")
    func blockPredicate() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm(readPage).objects(Dog.self).filter(NSPredicate(block: { _, _ in true })).count
        }
        #expect(lastWords(result).contains("a block cannot be run over a database"))
    }

    @Test("a sort goes through a collection")
    func sortThroughList() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm(readPage).objects(Person.self).sorted(byKeyPath: "dogs.name").count
        }
        #expect(lastWords(result).contains("dogs"))
        #expect(lastWords(result).contains("Causeway: "))
    }

    @Test("a result is read beyond its end")
    func beyondEnd() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm(readPage).objects(Dog.self)[0]
        }
        #expect(lastWords(result).contains("Index 0 is out of bounds"))
    }

    @Test("two collections are compared with each other")
    func twoCollections() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm(readPage).objects(Person.self).where { $0.dogs.name == $0.dogs.color }.count
        }
        #expect(lastWords(result).contains("Comparing two collection columns is not permitted."))
    }

    @Test("an object of another Realm is added")
    func foreignObject() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let one = try memoryRealm(readPage)
            let other = try memoryRealm(readPage)
            let dog = Dog()
            try one.write { one.add(dog) }
            try other.write { other.add(dog) }
        }
        #expect(lastWords(result).contains("Object is already managed by another Realm."))
    }
}
