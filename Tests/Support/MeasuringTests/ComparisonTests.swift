import CausewayMeasuring
import Foundation
import Testing

@Suite struct ComparisonTests {
    private func time(_ name: String, _ ours: Double) -> Row { .less("group", name, "ns", ours: ours) }

    @Test("a time that grew by more than a tenth is slower, and one that grew by a tenth is not")
    func times() {
        let comparison = Comparison(
            before: [time("grew", 100), time("grew a tenth", 100), time("shrank", 100)],
            now: [time("grew", 111), time("grew a tenth", 110), time("shrank", 50)])
        #expect(comparison.slower.map(\.now.name) == ["grew"])
        #expect(comparison.pairs.map(\.slowdown) == [1.11, 1.1, 0.5])
    }

    @Test("a rate that fell is slower, also beside a file that does not say which way is better")
    func rates() {
        var before = Row.more("group", "inserts", "/s", ours: 120)
        before.better = nil
        let comparison = Comparison(before: [before], now: [.more("group", "inserts", "/s", ours: 100)])
        #expect(comparison.slower.map(\.slowdown) == [1.2])
    }

    @Test("rows of one name are compared in their order")
    func equalNames() {
        let comparison = Comparison(
            before: [time("again", 10), time("again", 20)], now: [time("again", 11), time("again", 40)])
        #expect(comparison.pairs.map(\.slowdown) == [1.1, 2])
    }

    @Test("a row is the same when an older name tells the number of its runs")
    func olderNames() {
        let comparison = Comparison(
            before: [time("sort (one run)", 10), time("insert, bulk (three runs), at least", 10)],
            now: [time("sort", 10), time("insert, bulk, at least", 10)])
        #expect(comparison.pairs.count == 2)
        #expect(comparison.new.isEmpty && comparison.gone.isEmpty)
    }

    @Test("rows that only one of the runs has are named")
    func others() {
        let comparison = Comparison(before: [time("old", 1), time("both", 1)], now: [time("both", 1), time("new", 1)])
        #expect(comparison.gone.map(\.name) == ["old"])
        #expect(comparison.new.map(\.name) == ["new"])
        #expect(comparison.text.hasSuffix("1 rows compared, 0 slower by more than 10 %; 1 only now, 1 only before"))
    }

    @Test("an absolute figure of zero on both sides has not changed")
    func nothing() {
        #expect(Comparison(before: [time("none", 0)], now: [time("none", 0)]).pairs.map(\.slowdown) == [1])
    }
}
