import Causeway
import Dispatch
import Foundation
import Observation
import Synchronization
import Testing

class TrackedDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = "Rex"
    @Persisted var age = 0
    @Persisted var toys: List<String>

    var title: String { "\(name.first!) \(age)" }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@MainActor @Observable
private final class Kennel {
    let puppies: TrackedCollection<Results<TrackedDog>>
    var note = ""

    init(_ realm: Realm) {
        puppies = realm.objects(TrackedDog.self).where { $0.age < 2 }.sorted(by: \.id).tracked()
    }
}

/// Counts what `onChange` says, from wherever it says it.
private final class Calls: Sendable {
    private let calls = Mutex(0)
    var count: Int { calls.withLock { $0 } }
    func call() { calls.withLock { $0 += 1 } }
}

@Suite("The Observation framework", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct TrackingTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [TrackedDog.self])

    private func makeRealm(dogs: Int = 1) throws -> Realm {
        let realm = try Realm(configuration: configuration)
        try realm.write { for id in 0..<dogs { realm.create(TrackedDog.self, value: ["id": id]) } }
        return realm
    }

    private func track(_ read: () -> Void) -> Calls {
        let calls = Calls()
        withObservationTracking(read) { calls.call() }
        return calls
    }

    private func counts(_ calls: Calls...) -> [Int] { calls.map(\.count) }

    @Test("a property that was read is told once, and others are not")
    func property() throws {
        let realm = try makeRealm()
        let dog = realm.objects(TrackedDog.self)[0].tracked()
        let name = track { #expect(dog.name == "Rex") }
        let age = track { #expect(dog.age == 0) }
        let list = track { #expect(dog.toys.isEmpty) }
        try realm.write { dog.object.age = 1 }
        realm.refresh()
        #expect(counts(name, age, list) == [0, 1, 0])
        try realm.write { dog.object.age = 2 }
        realm.refresh()
        #expect(counts(name, age, list) == [0, 1, 0], "a scope is told once")
        let again = track { #expect(dog.age == 2) }
        try realm.write {
            dog.object.toys.append("ball")
            dog.object.name = "Fido"
        }
        realm.refresh()
        #expect(counts(name, again, list) == [1, 0, 1])
    }

    @Test("what reads the whole object, or a computed property, is told of every change")
    func wholeObject() throws {
        let realm = try makeRealm()
        let dog = TrackedObject(realm.objects(TrackedDog.self)[0])
        let computed = track { #expect(dog.title == "R 0") }
        let whole = track { _ = dog.object }
        try realm.write { dog.object.toys.append("ball") }
        realm.refresh()
        #expect(counts(computed, whole) == [1, 1])
    }

    @Test("commits of other threads are told, where the Realm lives")
    func otherThreads() async throws {
        let realm = try makeRealm()
        let dog = realm.objects(TrackedDog.self)[0].tracked()
        let (changes, change) = AsyncStream.makeStream(of: Bool.self)
        withObservationTracking {
            #expect(dog.age == 0)
        } onChange: {
            dispatchPrecondition(condition: .onQueue(.main))
            change.yield(true)
            change.finish()
        }
        let (configuration, queue) = (configuration, DispatchQueue(label: "elsewhere"))
        queue.async {
            #expect(throws: Never.self) {
                let realm = try Realm(configuration: configuration, queue: queue)
                try realm.write { realm.objects(TrackedDog.self)[0].age = 3 }
            }
        }
        for await _ in changes {}
        #expect(dog.age == 3)
    }

    @Test("setting writes, in a transaction of its own or in the open one")
    func setting() throws {
        let realm = try makeRealm()
        let dog = realm.objects(TrackedDog.self)[0].tracked()
        try dog.set(\.name, to: "Fido")
        #expect(!realm.isInWriteTransaction && dog.name == "Fido")
        try realm.write {
            try dog.set(\.age, to: 4)
            #expect(realm.isInWriteTransaction)
        }
        #expect(dog.age == 4)
    }

    @Test("a deleted object is told to whoever read anything of it")
    func deleted() throws {
        let realm = try makeRealm()
        let dog = realm.objects(TrackedDog.self)[0].tracked()
        let name = track { _ = dog.name }
        let end = track { #expect(!dog.isInvalidated) }
        let untouched = track {}
        try realm.write { realm.deleteAll() }
        realm.refresh()
        #expect(counts(name, end, untouched) == [1, 1, 0])
        #expect(dog.isInvalidated)
    }

    @Test("a model of the app's own shows results as an array, and is told once for each change")
    func model() throws {
        let realm = try makeRealm(dogs: 3)
        let kennel = Kennel(realm)
        let names = track { #expect(kennel.puppies.map(\.name) == ["Rex", "Rex", "Rex"]) }
        let count = track { #expect(kennel.puppies.count == 3) }
        let note = track { _ = kennel.note }
        realm.refresh()
        #expect(counts(names, count, note) == [0, 0, 0], "nothing has changed yet")
        try realm.write { kennel.puppies[1].name = "Fido" }
        realm.refresh()
        #expect(counts(names, count, note) == [1, 1, 0])
        let outside = track { _ = kennel.puppies.first }
        try realm.write { _ = realm.create(TrackedDog.self, value: ["id": 9, "age": 12]) }
        realm.refresh()
        #expect(outside.count == 0, "an old dog is no puppy")
        try realm.write { kennel.puppies[0].age = 2 }
        try realm.write { kennel.puppies[0].age = 2 }
        realm.refresh()
        #expect(outside.count == 1)
        #expect(kennel.puppies.map(\.id) == [2])
    }

    @Test("key paths narrow what counts as a modification")
    func keyPaths() throws {
        let realm = try makeRealm(dogs: 2)
        let dogs = realm.objects(TrackedDog.self).tracked(keyPaths: ["age"])
        let calls = track { _ = dogs.count }
        try realm.write { dogs[0].name = "Fido" }
        realm.refresh()
        #expect(calls.count == 0)
        try realm.write { dogs[0].age = 1 }
        realm.refresh()
        #expect(calls.count == 1)
    }

    @Test("lists are tracked like results")
    func lists() throws {
        let realm = try makeRealm()
        let toys = realm.objects(TrackedDog.self)[0].toys.tracked()
        let calls = track { #expect(toys.isEmpty) }
        try realm.write { toys.base.append("ball") }
        realm.refresh()
        #expect(calls.count == 1)
        #expect(Array(toys) == ["ball"])
    }

    @Test("nothing keeps what is tracked, and nobody is told after it is let go of")
    func lifetime() async throws {
        do {
            let realm = try makeRealm()
            weak var object: TrackedObject<TrackedDog>?
            weak var collection: TrackedCollection<Results<TrackedDog>>?
            do {
                let dog = realm.objects(TrackedDog.self)[0].tracked()
                let dogs = realm.objects(TrackedDog.self).tracked()
                _ = track { _ = dog.name }
                _ = track { _ = dogs.count }
                (object, collection) = (dog, dogs)
                realm.refresh()
                #expect(object != nil && collection != nil)
            }
            #expect(object == nil && collection == nil)
            try realm.write { realm.deleteAll() }
            realm.refresh()
        }
        while Realm.fileExists(for: configuration) { try await Task.sleep(for: .milliseconds(1)) }
    }
}
