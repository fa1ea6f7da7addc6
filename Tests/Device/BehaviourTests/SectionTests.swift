import Causeway
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("Sections")
struct SectionTests {
    private func realmWithDogs() throws -> Realm {
        let realm = try memoryRealm(readPage)
        try realm.write {
            for (name, age) in [("Rex", 10), ("Wolfie", 2), ("Fido", 2), ("Spot", 5)] {
                realm.add(Dog(value: ["name": name, "age": age]))
            }
        }
        return realm
    }

    @Test("S093 results are sectioned by a key path, a computed one too, and stay live")
    func byKeyPath() throws {
        let realm = try realmWithDogs()
        let dogsByFirstLetter: SectionedResults<String, Dog> = realm.objects(Dog.self)
            .sectioned(by: \.firstLetter, ascending: true)
        #expect(dogsByFirstLetter.allKeys == ["F", "R", "S", "W"])
        try realm.write {
            realm.add(Dog(value: ["name": "Ada"]))
            realm.objects(Dog.self).filter("name == 'Rex'")[0].name = "Willow"
        }
        #expect(dogsByFirstLetter.allKeys == ["A", "F", "S", "W"])
        #expect(dogsByFirstLetter[3].map(\.name) == ["Willow", "Wolfie"])
        #expect(realm.objects(Dog.self).sectioned(by: \.firstLetter, ascending: false).allKeys == ["W", "S", "F", "A"])
        let byAge = realm.objects(Dog.self).where { $0.age > 0 }
            .sectioned(by: \.age, sortDescriptors: [SortDescriptor(keyPath: "age"), "name"])
        #expect(byAge.allKeys == [2, 5, 10])
        #expect(byAge[0].map(\.name) == ["Fido", "Wolfie"])
    }

    @Test("S094 sections are counted, and their keys are listed")
    func countAndKeys() throws {
        let dogs = try realmWithDogs().objects(Dog.self).sectioned(by: \.firstLetter, ascending: true)
        #expect(dogs.count == 4)
        #expect(dogs.allKeys == ["F", "R", "S", "W"])
    }

    @Test("S095 a section knows its key")
    func key() throws {
        let dogs = try realmWithDogs().objects(Dog.self).sectioned(by: \.firstLetter, ascending: true)
        #expect(dogs[0].key == "F")
        #expect(dogs.map(\.id) == ["F", "R", "S", "W"])
    }

    @Test("S096 a section is a collection of its objects")
    func content() throws {
        let realm = try realmWithDogs()
        let dogs = realm.objects(Dog.self).sectioned(by: \.firstLetter, ascending: true)
        #expect(dogs[0].first?.name == "Fido")
        #expect(dogs[0].count == 1)
        #expect(dogs[IndexPath(item: 0, section: 3)].name == "Wolfie")
        // A loop may change what it loops over.
        try realm.write {
            for dog in dogs[1] { dog.name = "Zorro" }
        }
        #expect(dogs.allKeys == ["F", "S", "W", "Z"])
    }

    @Test("S097 results and collections of values are sectioned by a block")
    func byBlock() throws {
        let realm = try realmWithDogs()
        let results = realm.objects(Dog.self)
        let sectionedResults = results.sectioned(
            by: { String($0.name.first!) },
            sortDescriptors: [SortDescriptor.init(keyPath: "name", ascending: true)])
        #expect(sectionedResults.allKeys == ["F", "R", "S", "W"])
        // A key that no sort keeps together is still one section.
        let scattered = results.sectioned(by: { $0.age < 5 }, sortDescriptors: ["name"])
        #expect(scattered.allKeys == [true, false])
        #expect(scattered[0].map(\.name) == ["Fido", "Wolfie"])
        #expect(scattered[1].map(\.name) == ["Rex", "Spot"])
        // The block reads what the sort does not.
        try realm.write { results.filter("name == 'Spot'")[0].age = 1 }
        #expect(scattered[0].map(\.name) == ["Fido", "Spot", "Wolfie"])

        let values = try memoryRealm(filterPage)
        let task = FilterPage.Task()
        task.ratings.append(objectsIn: [12, 3, 25, 1, 21])
        try values.write { values.add(task) }
        let tens = task.ratings.sectioned(by: { $0 / 10 }, ascending: false)
        #expect(tens.allKeys == [2, 1, 0])
        #expect(tens.map { Array($0) } == [[25, 21], [12], [3, 1]])
        try values.write { task.ratings.append(33) }
        #expect(tens.allKeys == [3, 2, 1, 0])
        #expect(task.ratings.sectioned(by: { $0 / 10 }).allKeys == [0, 1, 2, 3])
    }

    /// What a notification said, in a form that compares.
    private enum Heard: Equatable {
        case initial([String])
        case update(
            [String], deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
            sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)

        init(_ change: SectionedResultsChange<SectionedResults<String, Dog>>) {
            switch change {
            case .initial(let sections): self = .initial(sections.allKeys)
            case .update(let sections, let deletions, let insertions, let modifications, let inserted, let deleted):
                self = .update(
                    sections.allKeys, deletions: deletions, insertions: insertions, modifications: modifications,
                    sectionsToInsert: inserted, sectionsToDelete: deleted)
            }
        }
    }

    private func place(_ section: Int, _ item: Int) -> IndexPath { IndexPath(item: item, section: section) }

    @Test("S098 all sections, and one of them, are observed")
    func observed() throws {
        let realm = try realmWithDogs()
        let dogs = realm.objects(Dog.self)
        let sections = dogs.sectioned(by: \.firstLetter)
        var heard: [Heard] = []
        var heardOfR: [String] = []
        let tokens = [
            sections.observe { heard.append(Heard($0)) },
            sections[1].observe { change in
                switch change {
                case .initial(let section): heardOfR.append("\(section.key) has \(section.count)")
                case .update(let section, let deletions, let insertions, let modifications, let inserted, let deleted):
                    heardOfR.append(
                        "\(section.count) \(deletions.count)\(insertions.count)\(modifications.count) "
                            + "\(Array(inserted))\(Array(deleted))")
                }
            },
        ]
        realm.refresh()
        try realm.write { realm.add(Dog(value: ["name": "Rufus"])) }
        realm.refresh()
        // The section of Fido ends, one of Ada begins, and Spot is a year older.
        try realm.write {
            realm.delete(dogs.filter("name == 'Fido'"))
            realm.add(Dog(value: ["name": "Ada"]))
            dogs.filter("name == 'Spot'")[0].age += 1
        }
        realm.refresh()
        try realm.write { for dog in dogs.filter("name BEGINSWITH 'R'") { dog.name = "W" + dog.name } }
        realm.refresh()
        try realm.write { realm.objects(Dog.self).filter("name == 'WRex'")[0].name = "Rex" }
        realm.refresh()
        #expect(
            heard == [
                .initial(["F", "R", "S", "W"]),
                .update(
                    ["F", "R", "S", "W"], deletions: [], insertions: [place(1, 1)], modifications: [],
                    sectionsToInsert: [], sectionsToDelete: []),
                .update(
                    ["A", "R", "S", "W"], deletions: [], insertions: [place(0, 0)], modifications: [place(2, 0)],
                    sectionsToInsert: [0], sectionsToDelete: [0]),
                .update(
                    ["A", "S", "W"], deletions: [], insertions: [place(2, 0), place(2, 1)], modifications: [],
                    sectionsToInsert: [], sectionsToDelete: [1]),
                .update(
                    ["A", "R", "S", "W"], deletions: [place(2, 0)], insertions: [place(1, 0)], modifications: [],
                    sectionsToInsert: [1], sectionsToDelete: []),
            ])
        #expect(heardOfR == ["R has 1", "2 010 [][]", "0 000 [][1]", "1 010 [1][]"])
        for token in tokens { token.invalidate() }
        try realm.write { realm.deleteAll() }
        realm.refresh()
        #expect(heard.count == 5)
    }

    @Test("S098 sections are confined to their Realm, and are frozen and thawed")
    func confined() throws {
        let realm = try realmWithDogs()
        let sections = realm.objects(Dog.self).sectioned(by: \.firstLetter)
        let values: [any ThreadConfined] = [sections, sections[0]]
        #expect(values.allSatisfy { $0.realm == realm && !$0.isFrozen && !$0.isInvalidated })
        let (frozen, frozenSection) = (sections.freeze(), sections[0].freeze())
        #expect(frozen.isFrozen && frozenSection.isFrozen)
        try realm.write { realm.deleteAll() }
        #expect(sections.isEmpty)
        #expect(frozen.allKeys == ["F", "R", "S", "W"])
        #expect(frozenSection.map(\.name) == ["Fido"])
        #expect(frozen.thaw()?.count == 0)
        #expect(frozenSection.thaw()?.isEmpty == true)
    }

    @Test("S098 threads that read frozen sections for the first time at once see the same ones")
    func frozenForThreads() throws {
        let realm = try realmWithDogs()
        for round in 0..<200 {
            let live = realm.objects(Dog.self).sectioned(by: \.firstLetter)
            // Frozen sections may be read by every thread; the compiler does not know which are frozen.
            nonisolated(unsafe) let (frozen, section) = (live.freeze(), live[0].freeze())
            let right = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                guard frozen.allKeys == ["F", "R", "S", "W"], section.map(\.name) == ["Fido"] else { return }
                guard frozen.flatMap({ $0.map(\.name) }).count == frozen.reduce(0, { $0 + $1.count }) else { return }
                right.wrappingAdd(1, ordering: .relaxed)
            }
            #expect(right.load(ordering: .relaxed) == 4, "round \(round)")
        }
    }

    @Test("S098 sections are observed on a queue and on an actor")
    @MainActor
    func elsewhere() async throws {
        let configuration = memoryConfiguration(readPage)
        let realm = try await Realm.open(configuration: configuration)
        try realm.write { realm.add(Dog(value: ["name": "Rex"])) }
        let sections = realm.objects(Dog.self).sectioned(by: \.firstLetter)
        let (changes, continuation) = AsyncStream.makeStream(of: [String].self)
        let onQueue = sections.observe(on: DispatchQueue(label: "sections")) { change in
            switch change {
            case .initial(let sections), .update(let sections, _, _, _, _, _): continuation.yield(sections.allKeys)
            }
        }
        var heard = changes.makeAsyncIterator()
        #expect(await heard.next() == ["R"])
        let keeper = Keeper()
        let onActor = await sections.observe(on: keeper) { keeper, change in
            switch change {
            case .initial(let sections), .update(let sections, _, _, _, _, _): keeper.keys.append(sections.allKeys)
            }
        }
        #expect(await keeper.keys == [["R"]])
        try realm.write { realm.add(Dog(value: ["name": "Ada"])) }
        #expect(await heard.next() == ["A", "R"])
        while await keeper.keys.count < 2 { await Task.yield() }
        #expect(await keeper.keys == [["R"], ["A", "R"]])
        onQueue.invalidate()
        onActor.invalidate()
    }

    private actor Keeper {
        var keys: [[String]] = []
    }

    @Test("an order that scatters the sections stops the program")
    func scattered() async {
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm(readPage).objects(Dog.self).sectioned(by: \.firstLetter, sortDescriptors: ["age"])
        }
        #expect(lastWords(other).contains("The section key path must match the primary sort descriptor."))
        let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try memoryRealm(readPage).objects(Dog.self).sectioned(by: \.firstLetter, sortDescriptors: [])
        }
        #expect(lastWords(none).contains("There must be at least one SortDescriptor when using SectionedResults."))
    }
}
