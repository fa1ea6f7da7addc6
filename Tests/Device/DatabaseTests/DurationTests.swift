import Causeway
import CausewaySeeds
import Foundation
import Testing

class TimedTrip: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var length: Duration
    @Persisted var pause: Duration?
    @Persisted var legs: List<Duration>
    @Persisted var lengths: MutableSet<Duration>
    @Persisted var ofDriver: Map<String, Duration>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A stored type that is one file of the library: what the witness says is all that anybody knows of it.
@Suite("Durations as stored values")
struct DurationTests {
    private func realm(_ name: String = #function) throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: name, objectTypes: [TimedTrip.self]))
    }

    private func filled(_ name: String = #function) throws -> Realm {
        let realm = try realm(name)
        try realm.write {
            for id in 1...10 {
                let trip = realm.create(TimedTrip.self, value: ["id": id])
                trip.length = .seconds(id * 30)
                trip.pause = id.isMultiple(of: 2) ? .milliseconds(id) : nil
                trip.legs.append(objectsIn: (1...id).map { .seconds($0) })
                trip.lengths.insert(.seconds(id % 3))
                trip.ofDriver["ann"] = .minutes(id)
            }
        }
        return realm
    }

    @Test("a property holds what was given, before and after the object is added")
    func values() throws {
        let realm = try realm()
        let trip = TimedTrip()
        #expect(trip.length == .zero && trip.pause == nil)
        trip.length = .seconds(3) + .nanoseconds(7)
        trip.pause = .zero - .milliseconds(1)
        trip.legs.append(.seconds(1))
        try realm.write { realm.add(trip) }
        #expect(trip.length == .nanoseconds(3_000_000_007))
        #expect(trip.pause == .milliseconds(-1))
        #expect(trip.legs.first == .seconds(1))
        try realm.write {
            trip.pause = nil
            trip.length += .seconds(1)
        }
        #expect(trip.length == .nanoseconds(4_000_000_007) && trip.pause == nil)
        #expect(trip.freeze().length == trip.length)
        #expect(trip.value(forKey: "length") as? Duration == trip.length)
    }

    @Test("collections hold durations: lists, sets, maps and their aggregates")
    func collections() throws {
        let realm = try filled()
        let trip = try #require(realm.object(ofType: TimedTrip.self, forPrimaryKey: 3))
        #expect(Array(trip.legs) == [.seconds(1), .seconds(2), .seconds(3)])
        let mean: Duration? = trip.legs.average()
        #expect(trip.legs.sum() == .seconds(6) && trip.legs.max() == .seconds(3) && mean == .seconds(2))
        #expect(trip.lengths.contains(.zero) && !trip.lengths.contains(.seconds(1)))
        #expect(trip.ofDriver["ann"] == .minutes(3))
        #expect(Array(trip.legs.sorted(ascending: false)) == [.seconds(3), .seconds(2), .seconds(1)])
    }

    @Test("queries compare, order, aggregate and look into collections")
    func queries() throws {
        let trips = try filled().objects(TimedTrip.self)
        #expect(trips.where { $0.length < .seconds(90) }.map(\.id) == [1, 2])
        #expect(trips.where { $0.length == .seconds(60) }.map(\.id) == [2])
        #expect(trips.where { $0.length.contains(.seconds(60)...(.seconds(90))) }.map(\.id) == [2, 3])
        #expect(trips.where { $0.pause == nil }.count == 5)
        #expect(trips.where { $0.pause > .milliseconds(6) }.map(\.id) == [8, 10])
        #expect(trips.where { $0.legs.contains(.seconds(9)) }.map(\.id) == [9, 10])
        #expect(trips.where { $0.legs.max >= .seconds(8) }.count == 3)
        #expect(trips.where { $0.ofDriver["ann"] == .minutes(4) }.map(\.id) == [4])
        #expect(trips.filter("length > %@", Duration.seconds(240)).count == 2)
        #expect(trips.filter("length IN %@", [Duration.seconds(30), .seconds(300)]).count == 2)
        #expect(trips.sorted(by: \.length, ascending: false).first?.id == 10)
        #expect(trips.max(of: \.length) == .seconds(300))
        #expect(trips.min(ofProperty: "pause") as Duration? == .milliseconds(2))
        #expect(trips.sum(of: \.length) == .seconds(1_650))
        #expect(trips.average(of: \.length) == .seconds(165))
    }

    @Test("whatever fits comes back to the nanosecond; finer is rounded, longer is held at the border")
    func borders() throws {
        let realm = try realm()
        let trip = TimedTrip()
        try realm.write { realm.add(trip) }
        func stored(_ duration: Duration) throws -> Duration {
            try realm.write { trip.length = duration }
            return trip.length
        }
        let seeds = SeedList.drawn(for: "durations", count: 300)
        for seed in seeds {
            let nanoseconds = Int64(bitPattern: seed &* 0x9E37_79B9_7F4A_7C15)
            #expect(try stored(.nanoseconds(nanoseconds)) == .nanoseconds(nanoseconds), "\(nanoseconds)")
        }
        for border in [Int64.min, Int64.max, 0, -1, 1] {
            #expect(try stored(.nanoseconds(border)) == .nanoseconds(border), "\(border)")
        }
        func attoseconds(_ count: Int64) -> Duration { Duration(secondsComponent: 0, attosecondsComponent: count) }
        #expect(try stored(attoseconds(499_999_999)) == .zero)
        #expect(try stored(attoseconds(500_000_000)) == .nanoseconds(1))
        #expect(try stored(attoseconds(-499_999_999)) == .zero)
        #expect(try stored(attoseconds(-500_000_000)) == .nanoseconds(-1))
        #expect(try stored(.seconds(Int64.max)) == .nanoseconds(Int64.max))
        #expect(try stored(.seconds(Int64.min)) == .nanoseconds(Int64.min))
        #expect(try stored(.nanoseconds(Int64.max) + .nanoseconds(1)) == .nanoseconds(Int64.max))
        #expect(try stored(.nanoseconds(Int64.min) - .nanoseconds(1)) == .nanoseconds(Int64.min))
    }

    @Test("snapshots have it too")
    func snapshots() throws {
        let trip = try #require(try filled().objects(TimedTrip.self).last)
        let snapshot = trip.snapshot()
        #expect(snapshot.length == trip.length && snapshot.pause == trip.pause)
        #expect(snapshot.legs.last == .seconds(10))
    }
}

extension Duration {
    fileprivate static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
}
