/// In which order three devices write, send and hear. Each of them writes twice.
package struct Itinerary: Sendable {
    package enum Step: Sendable {
        /// The next deed of a device, in a write of its own.
        case write(Int)
        case upload(Int)
        case download(Int)
        case watch(Int, Watching)
    }

    /// What a device subscribes to.
    package enum Watching: Sendable {
        case all, flagged, nothing
    }

    package let name: String
    package let steps: [Step]
    /// How many versions the server remembers: with few, a device that comes late is told by comparison.
    package var historyVersionsMax: UInt64 = 1_000_000
    /// Whether the first device's clock is an hour ahead.
    package var isFirstAhead = false

    package static let all: [Itinerary] = [
        Itinerary(
            name: "offline, then one after another",
            steps: [
                .write(0), .write(0), .write(1), .write(1), .write(2), .write(2), .upload(0), .upload(1), .upload(2),
            ]),
        Itinerary(
            name: "offline, the first one comes last, with a clock that is ahead",
            steps: [
                .write(0), .write(0), .write(1), .write(1), .write(2), .write(2), .upload(2), .upload(1), .upload(0),
            ],
            isFirstAhead: true),
        Itinerary(
            name: "each hears the one before between its writes",
            steps: [
                .write(0), .write(1), .write(2), .upload(0), .download(1), .write(1), .upload(1), .download(2),
                .write(2),
                .upload(2), .download(0), .write(0),
            ]),
        Itinerary(name: "hearing while something is pending", steps: crossing),
        Itinerary(
            name: "hearing while something is pending, below the horizon", steps: crossing, historyVersionsMax: 1),
        Itinerary(name: "leaving views and entering them", steps: watching),
        Itinerary(name: "leaving views and entering them, below the horizon", steps: watching, historyVersionsMax: 1),
        Itinerary(
            name: "unsubscribing with something pending",
            steps: [
                .write(0), .write(1), .write(2), .watch(1, .nothing), .upload(0), .download(1), .upload(2),
                .watch(2, .flagged), .download(2), .watch(1, .all), .upload(1), .download(1), .write(1), .write(2),
                .download(0), .write(0), .upload(1),
            ]),
    ]

    private static let crossing: [Step] = [
        .write(0), .write(1), .write(2), .upload(1), .download(0), .download(2), .write(0), .write(2), .upload(2),
        .upload(0), .download(1), .write(1), .download(1),
    ]

    private static let watching: [Step] = [
        .watch(1, .flagged), .download(1), .write(0), .write(1), .upload(0), .upload(1), .download(1), .write(2),
        .upload(2), .watch(2, .nothing), .download(2), .write(0), .upload(0), .watch(2, .all), .download(2), .write(2),
        .watch(0, .flagged), .upload(2), .download(0), .write(1), .download(1),
    ]
}
