import CausewaySeeds
import Foundation
import Testing

@testable import Causeway

/// Asks for objects while it goes: what apps do that count what they show.
class LoopThingThatAsks: Object {
    @Persisted(primaryKey: true) var id: Int
    /// Of the thread of the test.
    static var asked: (() -> Int?)? {
        get { OfThread.value(of: self) }
        set { OfThread.set(newValue, of: self) }
    }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    deinit {
        // Once for each object, so that what it makes does not ask again.
        let asked = Self.asked
        Self.asked = nil
        _ = asked?()
        Self.asked = asked
    }
}

@Suite("Elements that are asked for by their positions", .serialized)
struct ElementByPositionTests {
    private let realm: Realm
    private let count = 40

    init() throws {
        realm = try LoopThing.realm(
            count, numbers: { [$0, -$0] },
            and: [LoopThingWithState.self, LoopThingThatTells.self, LoopThingThatAsks.self])
    }

    private var things: Results<LoopThing> { realm.objects(LoopThing.self) }

    /// In a function of its own, so that its reference is gone at its end.
    @inline(never)
    private func place(of position: Int, in things: Results<LoopThing>) -> UnsafeMutableRawPointer {
        let thing = things[position]
        #expect(thing.id == position && thing.name == "thing \(position)")
        #expect(thing.next?.id == (position == 0 ? nil : position - 1))
        return Unmanaged.passUnretained(thing).toOpaque()
    }

    @Test("one that nobody keeps moves on to the next position")
    func moves() {
        let things = things
        _ = things.last
        var places: Set<UnsafeMutableRawPointer> = []
        for position in 0..<count { places.insert(place(of: position, in: things)) }
        for position in stride(from: count - 1, through: 0, by: -3) { places.insert(place(of: position, in: things)) }
        #expect(places.count <= 2)
    }

    @inline(never)
    private func numbers(of position: Int, in things: Results<LoopThing>) -> List<Int> { things[position].numbers }

    @Test("one that has cached a value moves no more, and the value stays what it is")
    func cached() {
        let things = things
        _ = things.last
        _ = place(of: 0, in: things)
        #expect(things._source._movedElement(1)?.isInvalidated == false)
        let lists = (0..<count).map { position in
            let list = numbers(of: position, in: things)
            #expect(things._source._movedElement((position + 1) % count) == nil)
            return list
        }
        #expect(lists.map { Array($0) } == (0..<count).map { [$0, -$0] })
        #expect(things[7].id == 7 && Array(things[7].numbers) == [7, -7])
    }

    @Test(
        "those that are kept stay what they are, whatever is asked for next",
        arguments: SeedList.drawn(for: "elements-by-position", count: 1, suite: "ElementByPositionTests"))
    func kept(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let things = things
        var kept: [(position: Int, thing: LoopThing)] = []
        for _ in 0..<400 {
            let position = random.below(count)
            #expect(things[position].id == position)
            if random.once(in: 3) { kept.append((position, things[position])) }
        }
        #expect(kept.allSatisfy { $0.thing.id == $0.position && $0.thing.name == "thing \($0.position)" })
        #expect(things[3] !== things[3] && things[3] == things[3] && things[3] != things[4])
        let (first, second) = (things[7], things[8])
        #expect(first.id == 7 && second.id == 8 && second.next == first)
        #expect((0..<count).map { things[$0] }.map(\.id) == Array(0..<count))
    }

    @Test("objects of classes with state of their own, and such as tell others of them, are each their own")
    func state() {
        let counters = realm.objects(LoopThingWithState.self)
        for position in 0..<count {
            let counter = counters[position]
            #expect(counter.visits == 0 && counter.id == position)
            counter.visits += 1
        }
        LoopThingThatTells.made = []
        let telling = realm.objects(LoopThingThatTells.self)
        for position in 0..<count { #expect(telling[position].id == position) }
        LoopThingThatTells.made = []
    }

    @Test("they follow every change: in a write, after it, after a delete, and of sorted and filtered results")
    func changes() throws {
        let all = things
        let few = things.filter("id > 30 OR id < 3").sorted(byKeyPath: "id", ascending: false)
        #expect(all[5].id == 5 && few[0].id == count - 1)
        let kept = all[9]
        try realm.write {
            all[5].name = "renamed"
            #expect(all[5].name == "renamed" && all[6].name == "thing 6")
            realm.delete(all[2])
            #expect(all[2].id == 3 && all[5].id == 6 && kept.id == 9)
            realm.create(LoopThing.self, value: ["id": 100, "name": "new"])
            #expect(all[count - 1].id == 100 && few[0].id == 100 && few[1].id == count - 1)
        }
        #expect(all.count == count && all[2].id == 3 && all[count - 1].name == "new" && few[0].id == 100)
        #expect(few[few.count - 1].id == 0 && kept.id == 9 && !kept.isInvalidated)
        try realm.write { realm.delete(kept) }
        #expect(kept.isInvalidated && all[8].id == 10)
        realm.beginWrite()
        realm.deleteAll()
        #expect(all.count == 0)
        realm.cancelWrite()
        #expect(all[0].id == 0 && all[8].id == 10)
    }

    @Test("frozen ones are shared by threads, and each thread gets its own")
    func frozen() {
        // Frozen results may be read by every thread; the compiler does not know which results are frozen.
        nonisolated(unsafe) let things = things.freeze()
        DispatchQueue.concurrentPerform(iterations: 8) { [count] _ in
            for round in 0..<200 {
                let position = round % count
                let thing = things[position]
                guard thing.id == position, thing.name == "thing \(position)" else {
                    Issue.record("position \(position) is thing \(thing.id)")
                    return
                }
            }
        }
    }

    private func placeAfterWalk(from thing: LoopThing, _ steps: Int) -> Int {
        var thing = thing
        for _ in 0..<steps { thing = thing.next ?? thing }
        return thing.id
    }

    @Test("a walk along links from one of them, or from one of a loop, keeps none of those it leaves")
    func longWalk() throws {
        let things = things
        // A ring of forty, so that the walk is as long as one likes: a multiple of forty ends where it began.
        try realm.write { things[0].next = things[count - 1] }
        _ = things.last
        #expect(placeAfterWalk(from: things[3], 30_000) == 3 && things[4].id == 4)
        #expect(placeAfterWalk(from: things[3], 1) == 2)
        for thing in things where thing.id < 2 { #expect(placeAfterWalk(from: thing, 30_000) == thing.id) }
    }

    @Test("an object that asks for others in its deinit gets them, and nothing is released twice")
    func deinitAsks() throws {
        let things = realm.objects(LoopThingThatAsks.self)
        defer { LoopThingThatAsks.asked = nil }
        LoopThingThatAsks.asked = { things.isEmpty ? nil : things[things.count - 1].id }
        for round in 0..<30 {
            #expect(things[0].id == 0 && things[1].id == 1 && things[things.count - 1].id == count + round - 1)
            let kept = things[2]
            for thing in things { #expect(thing.id >= 0) }
            try realm.write {
                realm.create(LoopThingThatAsks.self, value: ["id": count + round])
                #expect(things[things.count - 1].id == count + round)
            }
            // Nothing that the results depend on.
            try realm.write { realm.create(LoopThing.self, value: ["id": 1_000 + round]) }
            #expect(kept.id == 2 && things[3].id == 3)
        }
    }

    @Test("an observer of one hears of its own object")
    func observed() throws {
        let things = things
        _ = things.last
        var heard: [Int: [String]] = [:]
        let tokens = (0..<4).map { position in
            things[position].observe { change in
                if case .change(_, let properties) = change { heard[position, default: []] += properties.map(\.name) }
            }
        }
        try realm.write { things[2].name = "heard" }
        realm.refresh()
        #expect(heard == [2: ["name"]])
        tokens.forEach { $0.invalidate() }
    }
}

@Suite("Short texts")
struct ShortTextsTests {
    @Test(
        "have the very words that the standard library gives them, whatever the bytes are",
        arguments: SeedList.drawn(for: "short-texts", count: 1, suite: "ShortTextsTests"))
    func same(seed: UInt64) {
        ShortTexts.prepare()
        #expect(ShortTexts.areAsDescribed)
        var random = SeededNumbers(seed: seed)
        let pieces: [[UInt8]] = [
            Array("a".utf8), Array("Z".utf8), [0], [0x7F], Array("é".utf8), Array("日".utf8), Array("👍".utf8), [0xFF],
            [0xC3], [0x80],
        ]
        for round in 0..<20_000 {
            var bytes: [UInt8] = []
            // Half of them are plain, which is what has a way of its own.
            let kinds = round % 2 == 0 ? 4 : pieces.count
            for _ in 0..<random.below(20) { bytes += pieces[random.below(kinds)] }
            bytes.withUnsafeBytes { bytes in
                let expected = String(decoding: bytes, as: UTF8.self)
                let text = ShortTexts.text(bytes)
                #expect(text == expected && Array(text.utf8) == Array(expected.utf8))
                guard bytes.count <= 15, bytes.allSatisfy({ $0 < 0x80 }) else { return }
                let (found, standard) = (
                    unsafeBitCast(text, to: (UInt64, UInt64).self), unsafeBitCast(expected, to: (UInt64, UInt64).self)
                )
                #expect(found == standard)
            }
        }
        #expect(ShortTexts.text(UnsafeRawBufferPointer(start: nil, count: 0)).isEmpty)
    }
}
