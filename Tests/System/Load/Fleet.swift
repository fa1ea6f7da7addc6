import CausewayModel
import CausewayWire
import Synchronization

/// Many devices of one site.
final class Fleet: Sendable {
    let devices: [Device]
    let site: Site

    /// - Parameter query: what the device of a number asks for.
    init(_ count: Int, at site: Site, firstClient: UInt64 = 1, query: (Int) -> String) {
        self.site = site
        devices = (0..<count).map { Device(firstClient + UInt64($0), [Note.query(query($0))]) }
    }

    /// How many handshakes run at a time: more would only wait for each other.
    private static let handshakesAtOnce = 64

    /// Connects all of them and waits until each is live.
    ///
    /// - Parameter live: told of each device that is live, and when it began to connect.
    /// - Returns: how long each took.
    @discardableResult
    func connect(
        atOnce: Int = Fleet.handshakesAtOnce, live: @escaping @Sendable (ContinuousClock.Instant) -> Void = { _ in }
    ) async throws -> Percentiles {
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<atOnce {
                group.addTask { [devices, site] in
                    while let number = progress.next.next(below: devices.count) {
                        let start = ContinuousClock.now
                        try await devices[number].becomeLive(at: site)
                        progress.times.withLock { $0.append(start.milliseconds) }
                        live(start)
                    }
                }
            }
            try await group.waitForAll()
        }
        return Percentiles(progress.times.withLock { $0 })
    }

    private final class Progress: Sendable {
        let next = Counter()
        let times = Mutex<[Double]>([])
    }

    func disconnect() {
        for device in devices { device.disconnect() }
    }
}

/// Numbers that several tasks share out.
final class Counter: Sendable {
    private let value = Atomic(0)

    func next(below end: Int) -> Int? {
        let number = value.wrappingAdd(1, ordering: .relaxed).oldValue
        return number < end ? number : nil
    }
}

/// Counts messages with objects until so many have come.
final class Arrivals: Sendable {
    private let state: Mutex<State>

    private struct State {
        var missing: Int
        var times: [ContinuousClock.Instant] = []
        var waiting: CheckedContinuation<Void, Never>?
    }

    init(_ count: Int) {
        state = Mutex(State(missing: count))
    }

    func note(_ message: DownloadMessage) {
        guard case .changes(let chunk) = message, chunk.objectCount > 0 else { return }
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.missing -= 1
            state.times.append(.now)
            guard state.missing == 0 else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// When they came, in milliseconds after the given instant.
    func all(since start: ContinuousClock.Instant) async -> [Double] {
        await withCheckedContinuation { continuation in
            let isComplete = state.withLock { state in
                if state.missing > 0 { state.waiting = continuation }
                return state.missing <= 0
            }
            if isComplete { continuation.resume() }
        }
        return state.withLock { $0.times.map { ($0 - start) / .milliseconds(1) } }
    }
}
