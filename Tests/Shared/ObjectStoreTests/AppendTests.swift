import CausewayModel
import CausewayQuery
import CausewaySeeds
import CausewayStorage
import Testing

@testable import CausewayObjectStore

/// Links that are appended to many lists in turn enter them later, which nobody may notice.
@Suite("Appending to many lists in turn")
struct AppendTests {
    private static let seeds = SeedList.drawn(for: "appends", count: 12)

    private static let schema = Schema([
        ClassSchema(
            name: "Person",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true),
                Property(name: "dogs", type: .object, collection: .list, target: "Dog"),
                Property(name: "friends", type: .object, collection: .list, target: "Person"),
            ]),
        ClassSchema(name: "Dog", properties: [Property(name: "id", type: .int, isPrimaryKey: true)]),
    ])
    private static let (dogs, friends) = (1, 2)

    /// The lists as arrays.
    private struct Model {
        var persons: [ObjectKey] = []
        var dogs: [ObjectKey] = []
        var lists: [ChangedList: [ObjectKey]] = [:]

        mutating func forget(_ key: ObjectKey, from column: Int) {
            for place in lists.keys where place.column == column { lists[place]?.removeAll { $0 == key } }
        }
    }

    @Test("lists, backlinks and edits are those of arrays, whatever is read and deleted in between", arguments: seeds)
    func againstArrays(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let store = try openInMemory("appends \(seed)")
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema)
        if numbers.once(in: 2) { transaction.waitingLinksMax = numbers.one(of: [1, 2, 7]) }
        let (persons, dogs) = (try transaction.existing("Person"), try transaction.existing("Dog"))
        var model = Model()
        model.persons = try (0..<30).map { try persons.create(.int(Int64($0))) }
        model.dogs = try (0..<40).map { try dogs.create(.int(Int64($0))) }
        for round in 0..<30 {
            let notesEdits = numbers.once(in: 2)
            if !transaction.isWritable { try transaction.beginWriting { notesEdits } }
            let before = model
            var isNoted = round > 0 && transaction.notesEdits
            for _ in 0..<numbers.one(of: [1, 5, 60, 300]) {
                switch numbers.below(40) {
                case 0: try expect(model, transaction, "seed \(seed), round \(round)")
                case 1 where model.persons.count > 5:
                    let person = model.persons.remove(at: numbers.below(model.persons.count))
                    persons.delete(person)
                    model.lists[ChangedList(key: person, column: Self.dogs)] = nil
                    model.lists[ChangedList(key: person, column: Self.friends)] = nil
                    model.forget(person, from: Self.friends)
                    isNoted = false
                case 2 where model.dogs.count > 5:
                    let dog = model.dogs.remove(at: numbers.below(model.dogs.count))
                    dogs.delete(dog)
                    model.forget(dog, from: Self.dogs)
                    isNoted = false
                case 3 where model.dogs.count > 5:
                    // Lists keep the links to a ghost.
                    let dog = model.dogs.remove(at: numbers.below(model.dogs.count))
                    let isLinked = model.lists.contains { $0.key.column == Self.dogs && $0.value.contains(dog) }
                    dogs.delete(dog, leavingGhost: true)
                    #expect(dogs.isGhost(dog) == isLinked, "seed \(seed), round \(round)")
                    isNoted = false
                case 4:
                    let place = ChangedList(key: numbers.one(of: model.persons), column: Self.dogs)
                    let count = model.lists[place, default: []].count
                    #expect(persons.listCount(place.key, place.column) == count)
                    if count > 0 {
                        let index = numbers.below(count)
                        persons.listRemove(place.key, place.column, index)
                        model.lists[place]?.remove(at: index)
                    }
                default:
                    let column = numbers.one(of: [Self.dogs, Self.friends])
                    let place = ChangedList(key: numbers.one(of: model.persons), column: column)
                    let target = numbers.one(of: column == Self.dogs ? model.dogs : model.persons)
                    let editsBefore = persons.listVersion.pointee
                    persons.listAppend(place.key, column, .object(target))
                    #expect(persons.listVersion.pointee != editsBefore)
                    model.lists[place, default: []].append(target)
                }
            }
            if isNoted {
                let changes = transaction.changes.classes["Person"] ?? ClassChanges()
                for (place, list) in model.lists where list != before.lists[place] ?? [] {
                    let edited = ListModels.apply(
                        changes.listEdits[place] ?? [], to: (before.lists[place] ?? []).map { .object($0) })
                    #expect(edited == list.map { .object($0) }, "seed \(seed), round \(round)")
                }
            }
            if numbers.once(in: 4), round > 0 {
                transaction.abort()
                model = before
            } else {
                try transaction.commit(.relaxed)
            }
            try expect(model, transaction, "seed \(seed), after round \(round)")
        }
        transaction.end()
        #expect(try store.verify().problems == [], "seed \(seed)")
    }

    private func expect(_ model: Model, _ transaction: Transaction, _ when: String) throws {
        let (persons, dogs) = (try transaction.existing("Person"), try transaction.existing("Dog"))
        var backlinks: [ObjectKey: Int] = [:]
        for person in model.persons {
            for column in [Self.dogs, Self.friends] {
                let list = model.lists[ChangedList(key: person, column: column)] ?? []
                #expect(persons.listValues(person, column) == list.map { .object($0) }, "\(when)")
                if column == Self.dogs { for dog in list { backlinks[dog, default: 0] += 1 } }
            }
        }
        for dog in model.dogs {
            #expect(dogs.backlinks(to: dog, from: persons, Self.dogs).count == backlinks[dog] ?? 0, "\(when)")
        }
    }

    @Test("the schema may grow while links wait, and a queried list has them")
    func growingSchema() throws {
        let store = try openInMemory("appends and a schema")
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema)
        let (persons, dogs) = (try transaction.existing("Person"), try transaction.existing("Dog"))
        let people = try (0..<3).map { try persons.create(.int($0)) }
        let dog = try dogs.create(.int(1))
        for person in people { persons.listAppend(person, Self.dogs, .object(dog)) }
        let cat = ClassSchema(name: "Cat", properties: [Property(name: "id", type: .int, isPrimaryKey: true)])
        try transaction.extendSchema(Schema(Self.schema.classes + [cat]))
        persons.listAppend(people[0], Self.dogs, .object(dog))
        let predicate = try Predicate.parse("dogs.@count == 2").bound(to: "Person", in: Self.schema)
        #expect(try transaction.keys("Person", matching: predicate) == [people[0]])
        try transaction.commit()
        #expect(try transaction.keys("Person", matching: predicate) == [people[0]])
        #expect(dogs.backlinkCount(to: dog) == 4)
    }

    @Test("a write that does nothing but append is a write, and an aborted one is none")
    func onlyAppends() throws {
        let store = try openInMemory("only appends")
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema)
        let (persons, dogs) = (try transaction.existing("Person"), try transaction.existing("Dog"))
        let (person, dog) = (try persons.create(.int(1)), try dogs.create(.int(1)))
        let first = try transaction.commit()
        try transaction.beginWriting()
        persons.listAppend(person, Self.dogs, .object(dog))
        let second = try transaction.commit()
        #expect(second == first + 1)
        #expect(persons.listValues(person, Self.dogs) == [.object(dog)])
        try transaction.beginWriting()
        persons.listAppend(person, Self.dogs, .object(dog))
        transaction.abort()
        #expect(persons.listCount(person, Self.dogs) == 1)
        #expect(dogs.backlinkCount(to: dog) == 1)
    }
}
