import Causeway
import CausewayMeasuring
import CausewaySeeds
import Foundation

/// One small write after the other, and who hears of it.
extension EverydayBenchmarks {
    func commits(_ report: ([Row]) -> Void) throws {
        var small = data
        small.count = 1_000
        small.persons = 100
        let peer = try small.sqlite(file("commit.sqlite"))
        try small.addPersons(to: peer)
        try small.addDogs(to: peer)
        let lmdb = try LMDBPeer(file("commit.lmdb"))
        let realm = try DogData.realm(file("commit.realm"))
        let dog = try filled(realm, small)
        let samples = try Commits.ofOneDog(smoke: smoke, sqlite: peer, lmdb: lmdb) { number in
            try realm.write { dog.age = number }
        }
        report([
            rate("durable commit of one property", samples.ours, samples.sqlite),
            rate("durable commit of one property", samples.ours, samples.lmdb, peer: "LMDB"),
        ])
        try inMemory(small, report)
    }

    func filled(_ realm: Realm, _ small: DogData) throws -> Dog {
        try small.addDogs(to: realm, of: small.addPersons(to: realm))
        guard let dog = realm.object(ofType: Dog.self, forPrimaryKey: 500) else {
            throw SQLitePeer.Failure(description: "there is no dog 500")
        }
        return dog
    }

    private func inMemory(_ small: DogData, _ report: ([Row]) -> Void) throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: "everyday", objectTypes: [Dog.self, Person.self]))
        let dog = try filled(realm, small)
        let peer = try small.sqlite(SQLitePeer.inMemory())
        try small.addPersons(to: peer)
        try small.addDogs(to: peer)
        let update = try peer.prepare("UPDATE dog SET age = ? WHERE id = 500")
        let count = smoke ? 100 : 20_000
        let duel = try Duel(
            "commit in memory", smoke: smoke,
            ours: {
                for number in 0..<count { try realm.write { dog.age = number } }
                return [Double(count)]
            },
            theirs: {
                for number in 0..<count {
                    update.bind(1, number)
                    update.run()
                }
                return [Double(count)]
            })
        report([
            .more(
                Self.group, duel.name, "/s", ours: 1e9 / duel.ours.median * Double(count),
                peer: ("SQLite", 1e9 / duel.theirs.median * Double(count)), least: 500_000, under: duel.conditions)
        ])
    }

    /// From the begin of a write to the observer of another Realm of the same thread.
    func notification(_ report: ([Row]) -> Void) throws {
        var small = data
        small.count = 1_000
        small.persons = 100
        let realm = try DogData.realm(file("heard.realm"))
        let dog = try filled(realm, small)
        var heard = 0
        let token = realm.objects(Dog.self).where { $0.age > 1 }.observe { change in
            if case .update = change { heard += 1 }
        }
        realm.refresh()
        let count = smoke ? 10 : 2_000
        var (commits, watch) = (Stopwatch(), Stopwatch())
        for number in 0..<count {
            try watch.time {
                try commits.time { try realm.write { dog.age = 2 + number } }
                realm.refresh()
            }
        }
        token.invalidate()
        guard heard == count else {
            throw SQLitePeer.Failure(description: "an observer heard of \(heard) of \(count) commits")
        }
        let (whole, commit) = (watch.sample(), commits.sample())
        report([
            .less(
                Self.group, "begin of write → observer, of the time of the commit", "times",
                ours: whole.median / commit.median, most: 1.2, under: .hot(whole))
        ])
    }

    /// What each further live result adds to a commit that concerns it, and to one that does not.
    func liveResults(_ report: ([Row]) -> Void) throws {
        var small = data
        small.count = smoke ? 1_000 : 100_000
        small.persons = 100
        let realm = try DogData.realm(file("live.realm"))
        let dog = try filled(realm, small)
        let (few, many) = smoke ? (1, 10) : (1, 101)
        let (count, runs) = smoke ? (5, 1) : (200, 5)
        func commit(heardBy observers: Int, _ change: (Int) -> Void) throws -> Sample {
            // All of them show the dog, and each has a condition of its own.
            let tokens = (0..<observers).map { number in
                realm.objects(Dog.self).where { $0.age >= 0 && $0.id > -1 - number }.observe { _ in }
            }
            realm.refresh()
            var watch = Stopwatch()
            for run in 0..<runs {
                try watch.time {
                    for number in 0..<count {
                        try realm.write { change(run * count + number) }
                        realm.refresh()
                    }
                }
            }
            tokens.forEach { $0.invalidate() }
            return watch.sample(operations: count)
        }
        func each(_ name: String, _ change: (Int) -> Void) throws -> Row {
            let (one, all) = (try commit(heardBy: few, change), try commit(heardBy: many, change))
            return .less(
                Self.group, "each further live result of \(small.count), at a commit \(name)", "µs",
                ours: (all.median - one.median) / 1_000 / Double(many - few), under: .hot(all))
        }
        report([
            try each("of a property it asks for") { dog.age = $0 },
            try each("of another property") { dog.weight = Double($0) },
        ])
    }
}
