import CausewayJourneyUniverse
import CausewayMergeUniverse
import CausewaySeeds
import Testing

/// A sample of `deploy/test --enumerate --level journeys`.
@Suite struct JourneyTests {
    /// Which part is tried.
    private static let seeds = SeedList.drawn(for: "journeys", count: 1)

    @Test("by every itinerary every device ends with what the server and the reference have", arguments: Corner.all)
    func everyItinerary(_ corner: Corner) throws {
        let journeys = Journeys(corners: [corner])
        let parts = Journeys.block / 25
        let drawn = Set(Self.seeds.map { Int($0 % UInt64(parts)) + 1 })
        var cases = 0
        for first in stride(from: 0, to: journeys.cases, by: Journeys.block) {
            let numbers = (first..<first + Journeys.block).filter {
                drawn.contains(SpreadParts.part(ofScenario: $0, of: parts))
            }
            let outcome = try journeys.run(numbers)
            cases += outcome.cases
            for (number, how) in outcome.differences.prefix(2) {
                Issue.record(
                    """
                    \(journeys.title(of: number)), corner \(corner.name): \(how)
                        all of them: deploy/test --enumerate --level journeys
                    """)
            }
        }
        #expect(cases > 0)
    }

    @Test("a device that misses something is found", arguments: Journeys.Fault.allCases)
    func fault(_ fault: Journeys.Fault) throws {
        let corners = Corner.all.filter { ["life", "views"].contains($0.name) }
        let journeys = Journeys(corners: corners, fault: fault)
        var found: [(number: Int, how: String)] = []
        for first in stride(from: 0, to: journeys.cases, by: Journeys.block) {
            let numbers = (first..<first + Journeys.block).filter {
                SpreadParts.part(ofScenario: $0, of: Journeys.block / 10) == 1
            }
            found += try journeys.run(numbers).differences
        }
        let how = try #require(found.first?.how)
        #expect(how.contains(fault == .unknownToReference ? "the reference" : "device 2"))
    }

    @Test("every device writes twice, whatever the itinerary")
    func turns() {
        for itinerary in Itinerary.all {
            var turns = [0, 0, 0]
            for case .write(let device) in itinerary.steps { turns[device] += 1 }
            #expect(turns == [2, 2, 2], "\(itinerary.name)")
        }
    }

    @Test("each corner has five different deeds")
    func corners() {
        for corner in Corner.all { #expect(Set(corner.deeds).count == 5, "\(corner.name)") }
    }
}
