import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Synchronization

/// Every two deeds each of three devices, by every itinerary: through the log of the device, the merging of the server and
/// the difference of views, to the files of all. In the end all must show what the server has, and that must be what the naive
/// reference makes of everything that was sent, in the server's order.
///
/// A *case* is a corner, an itinerary, and the six deeds. Many cases share one server and three devices, each with items
/// of its own, and go through the itinerary together: they touch nothing of each other.
package struct Journeys: Sendable {
    package let corners: [Corner]
    package let itineraries: [Itinerary]
    /// What goes wrong on purpose with the last device, for tests of the checker.
    private let fault: Fault?

    package enum Fault: CaseIterable, Sendable {
        case missesUpdates, missesLeaves, missesDeletes
        /// The reference does not hear of what it sends.
        case unknownToReference
    }

    package init(
        corners: [Corner] = Corner.all, itineraries: [Itinerary] = Itinerary.all, fault: Fault? = nil
    ) {
        self.corners = corners
        self.itineraries = itineraries
        self.fault = fault
    }

    static let devices = 3
    static let deedsEach = 2

    /// Of a corner: each of six deeds is one of five.
    private static let deedsOfCorner = 15_625

    package var cases: Int { corners.count * itineraries.count * Self.deedsOfCorner }

    /// Cases of one corner and one itinerary have consecutive numbers.
    package static var block: Int { deedsOfCorner }

    struct Case {
        let number: Int
        let corner: Corner
        let itinerary: Itinerary
        /// The first two are the first device's.
        let deeds: [Deed]
    }

    func find(_ number: Int) -> Case {
        let (family, place) = number.quotientAndRemainder(dividingBy: Self.deedsOfCorner)
        let corner = corners[family / itineraries.count]
        var rest = place
        let deeds = (0..<Self.devices * Self.deedsEach).map { _ in
            defer { rest /= corner.deeds.count }
            return corner.deeds[rest % corner.deeds.count]
        }
        return Case(
            number: number, corner: corner, itinerary: itineraries[family % itineraries.count], deeds: deeds)
    }

    package struct Outcome: Sendable {
        /// Cases in which every device could do what it was asked.
        package var cases = 0
        package var differences: [(number: Int, how: String)] = []
    }

    /// Runs cases of one corner and itinerary together.
    ///
    /// - Parameter story: told what every device shows after every step.
    package func run(_ numbers: [Int], story: ((String) -> Void)? = nil) throws -> Outcome {
        guard let first = numbers.first else { return Outcome() }
        let stage = try JourneyStage(numbers.map(find), find(first).itinerary, fault, story)
        defer { stage.close() }
        return try stage.run()
    }

    package func title(of number: Int) -> String {
        let found = find(number)
        return "case \(number): \(found.corner.name); \(found.itinerary.name); "
            + found.deeds.map(\.rawValue).joined(separator: ", ")
    }
}
