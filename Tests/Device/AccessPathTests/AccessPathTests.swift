import Causeway
import CausewayFolders
import CausewaySeeds
import Foundation
import Testing

/// Every way to reach an object, with a property of every type, against a dictionary that the library knows nothing of.
@Suite("Every way to reach an object × every type of property")
struct AccessPathTests {
    private static let seeds = SeedList.drawn(for: "access-paths", count: 1)

    /// In two leaves of each column, at their ends and between.
    private static let ids = [0, 1, 2, 500, 999, 1000, 1001, 1202]

    /// In memory, in a file, and in an encrypted one.
    private enum Place: CaseIterable {
        case memory
        case file
        case encryptedFile
    }

    private let realm: Realm
    private let place: Place
    private let folder: TemporaryFolder
    /// The number of the value that each thing was last given.
    private var numbers: [Int: Int] = [:]

    init() throws {
        folder = try TemporaryFolder()
        place = Place.allCases.randomElement() ?? .memory
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: folder.path).appendingPathComponent("things.causeway"),
            objectTypes: [
                ReachedThing.self, ReachedPart.self, ReachedPlace.self, ReachedHolder.self, ReachedOrigin.self,
                ReachedAnchor.self,
            ])
        switch place {
        case .memory: configuration.inMemoryIdentifier = UUID().uuidString
        case .file: break
        case .encryptedFile: configuration.encryptionKey = Data((0..<64).map { UInt8($0) })
        }
        realm = try Realm(configuration: configuration)
        try realm.write {
            for id in 0..<partCount { realm.create(ReachedPart.self, value: ["id": id]) }
            for id in 0...Self.ids.last! { realm.create(ReachedThing.self, value: ["id": id, "group": id % 3]) }
            for id in 0...Self.ids.last! where !Self.ids.contains(id) {
                realm.delete(realm.object(ofType: ReachedThing.self, forPrimaryKey: id)!)
            }
            let all = realm.create(ReachedHolder.self, value: ["id": allHolderID])
            let anchor = realm.create(ReachedAnchor.self, value: ["id": 1])
            for id in Self.ids {
                let thing = realm.object(ofType: ReachedThing.self, forPrimaryKey: id)!
                let holder = realm.create(ReachedHolder.self, value: ["id": id])
                holder.thing = thing
                thing.anchor = anchor
                holder.any = .object(thing)
                realm.create(ReachedOrigin.self, value: ["id": id]).holder = holder
                all.list.append(thing)
                all.some.insert(thing)
                all.named["\(id)"] = thing
                for probe in probes { probe.write?(thing, id) }
            }
        }
        for id in Self.ids { numbers[id] = id }
    }

    /// What a path reads of all things is what the model holds, and each thing comes once.
    private func expectModel(_ path: AccessPath, _ when: String) throws {
        var seen: [Int: [String]] = [:]
        try path.visit(realm) { thing in
            #expect(seen[thing.id] == nil, "\(path.name) reaches \(thing.id) twice, \(when), \(place)")
            seen[thing.id] = probes.map { $0.read(thing) }
        }
        #expect(seen.keys.sorted() == Self.ids, "\(path.name), \(when), \(place)")
        for (id, texts) in seen {
            guard let number = numbers[id] else { continue }
            for (probe, text) in zip(probes, texts) {
                #expect(
                    text == probe.text(id, number), "\(probe.name) of thing \(id) by \(path.name), \(when), \(place)")
            }
        }
    }

    @Test("reads what is there", arguments: accessPaths.indices)
    func reading(_ index: Int) throws {
        try expectModel(accessPaths[index], "as it was made")
        // Again in the same transaction, where accessors and collections may be remembered.
        if accessPaths[index].isWritable { try realm.write { try expectModel(accessPaths[index], "in a write") } }
    }

    @Test(
        "writes to the object that it reached, and to no other",
        arguments: accessPaths.indices.filter { accessPaths[$0].isWritable }, seeds)
    mutating func writing(_ index: Int, seed: UInt64) throws {
        let path = accessPaths[index]
        var random = SeededNumbers(seed: seed)
        var given: [Int: Int] = [:]
        // A number of its own for each thing, so that what lands in another one is seen.
        for (position, id) in Self.ids.shuffled(using: &random).enumerated() {
            given[id] = random.below(1_000) * 10 + position
        }
        try realm.write {
            try path.visit(realm) { thing in
                guard let number = given[thing.id] else { return }
                for probe in probes.shuffled(using: &random) { probe.write?(thing, number) }
            }
            numbers = given
            try expectModel(path, "in the write, seed \(seed)")
        }
        try expectModel(path, "written by it, seed \(seed)")
        for other in [random.one(of: accessPaths), random.one(of: accessPaths), accessPaths[0]] {
            try expectModel(other, "written by \(path.name), seed \(seed)")
        }
    }
}
