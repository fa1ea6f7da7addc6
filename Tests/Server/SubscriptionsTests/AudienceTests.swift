import CausewayModel
import CausewayQuery
import CausewaySeeds
import Testing

@testable import CausewaySubscriptions

@Suite("Whom a commit concerns")
struct AudienceTests {
    // MARK: - Where predicates stand

    private func anchors(_ text: String) throws -> [Anchor] {
        Anchor.anchors(of: try Predicate.parse(text).bound(to: "Item", in: AudienceUniverse.schema))
    }

    private func property(_ name: String) -> Int { AudienceUniverse.schema["Item"]!.index(of: name)! }

    @Test("An equality stands at its value, IN at each of its values")
    func values() throws {
        let store = property("store")
        #expect(try anchors("store == 17") == [.value(property: store, .int(17))])
        #expect(try anchors("17 == store") == [.value(property: store, .int(17))])
        #expect(
            try anchors("store IN {1, 2}") == [.value(property: store, .int(1)), .value(property: store, .int(2))])
        #expect(try anchors("name == 'x'") == [.value(property: property("name"), .string("x"))])
        #expect(try anchors("name == nil") == [.value(property: property("name"), .null)])
    }

    @Test("Of a conjunction the narrowest part counts, and its ranges of one property are one range")
    func conjunctions() throws {
        let (store, price) = (property("store"), property("price"))
        #expect(try anchors("price > 3 AND store == 17 AND done == true") == [.value(property: store, .int(17))])
        let both = RangeOfValues(first: OrderedValue(.double(3))!, last: OrderedValue(.double(9))!)
        #expect(try anchors("price > 3 AND price <= 9") == [.range(property: price, both)])
        #expect(try anchors("price BETWEEN {3, 9}") == [.range(property: price, both)])
        #expect(try anchors("price > 9 AND price < 3").isEmpty)
        #expect(try anchors("FALSEPREDICATE").isEmpty)
    }

    @Test("A disjunction stands at all its parts; what says nothing of a value meets every object")
    func disjunctions() throws {
        let store = property("store")
        #expect(
            try anchors("store == 1 OR store == 2") == [
                .value(property: store, .int(1)), .value(property: store, .int(2)),
            ])
        for text in [
            "store == 1 OR name CONTAINS 'x'", "NOT store == 1", "store != 1", "name ==[c] 'x'", "place.city == 'x'",
            "ANY labels == 'x'", "TRUEPREDICATE", "store == price", "price == nil",
        ] {
            #expect(try anchors(text) == [.everything], "\(text)")
        }
    }

    @Test("Numbers and dates have the order of the query language")
    func order() {
        let doubles: [Double] = [
            -.infinity, -1e300, -2, -1, -Double.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 1, 1.5, 2, 1e300,
            .infinity,
        ]
        for (left, right) in zip(doubles, doubles.dropFirst()) {
            #expect(OrderedValue(.double(left))! < OrderedValue(.double(right))!)
        }
        #expect(OrderedValue(.double(-0.0)) == OrderedValue(.double(0.0)))
        #expect(OrderedValue(.double(.nan)) == nil)
        #expect(OrderedValue(.null) == nil)
        #expect(OrderedValue(.int(.min))! < OrderedValue(.int(.max))!)
        #expect(
            OrderedValue(.timestamp(Timestamp(seconds: -1, nanoseconds: -5)))!
                < OrderedValue(.timestamp(Timestamp(seconds: -1, nanoseconds: 0)))!)
    }

    // MARK: - Ranges

    @Test("A value finds the ranges that it is in, whatever came and went")
    func ranges() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SeededNumbers(seed: seed)
        var index = RangeIndex()
        var model: [Int: [RangeOfValues]] = [:]
        func value(_ bound: Int) -> OrderedValue { OrderedValue(.int(Int64(bound)))! }
        for step in 0..<400 {
            let number = numbers.below(60)
            if numbers.happens(percent: 30) {
                index.remove(number)
                model[number] = nil
            } else {
                let first = numbers.below(100)
                var range = RangeOfValues(first: value(first), last: value(first + numbers.below(20)))
                if numbers.happens(percent: 20) { range.last = .highest }
                if numbers.happens(percent: 20) { range.first = .lowest }
                index.insert(range, number)
                model[number, default: []].append(range)
            }
            guard step % 7 == 0 else { continue }
            index.prepare()
            for probe in stride(from: 0, to: 120, by: 3) {
                var found: [Int] = []
                index.forEach(at: value(probe)) { found.append($0) }
                let expected = model.flatMap { number, ranges in
                    ranges.filter { $0.first <= value(probe) && value(probe) <= $0.last }.map { _ in number }
                }
                #expect(found.sorted() == expected.sorted(), "seed \(seed), step \(step), at \(probe)")
            }
        }
    }

    // MARK: - Sessions

    /// Every answer is compared with the difference that the history gives.
    @Test("Nobody sleeps over what the history has for them, and few are woken for nothing", arguments: 0..<12)
    func againstTheHistory(_ number: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var universe = try AudienceUniverse(seed: seed)
        for _ in 0..<150 {
            let wrong = try universe.step()
            #expect(wrong == nil, "seed \(seed)")
            if wrong != nil { return }
        }
        #expect(universe.slept > 200, "seed \(seed): \(universe.slept) of \(universe.asked) slept on")
        #expect(
            universe.wokenForNothing * 4 < universe.asked,
            "seed \(seed): \(universe.wokenForNothing) of \(universe.asked) were woken for nothing")
    }
}
