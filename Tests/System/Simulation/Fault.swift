import CausewaySeeds
import CausewayWire

/// What befalls the world between two steps, beside what happens to single messages, calls and files. A new kind of
/// fault is a case here and its branch in `strike`.
enum Fault: CaseIterable {
    case deviceDies, serverDies, serverEnds, serverIsRestored
    case tokenExpires, tokenExpiresInSession
    case deviceClockIsSet, serverClockIsSet
    case appIsUpgraded
    case rulesChange
}

extension World {
    func strike(_ fault: Fault) throws {
        let device = random.one(of: devices)
        switch fault {
        case .deviceDies: device.crash()
        case .serverDies: anyNode().crash()
        case .serverEnds: try anyNode().restartGracefully()
        case .serverIsRestored: try server.restore(callsLost: random.below(40))
        case .tokenExpires:
            story.note("the token of device \(device.number) expires")
            device.isTokenValid = false
        case .tokenExpiresInSession:
            story.note("the server ends the session of device \(device.number), whose token has expired")
            device.isTokenValid = false
            device.server.endSession(of: device.client, SyncFailure(.tokenExpired, "The token has expired."))
        case .deviceClockIsSet:
            device.clock.change(&random)
            story.note("the clock of device \(device.number) is set: \(device.clock)")
        case .serverClockIsSet:
            setClock(of: anyNode(), off: Int64(random.below(600_000)) - 300_000)
        case .appIsUpgraded: try device.upgrade()
        case .rulesChange: if plan.hasRules { try changeRules() }
        }
    }
}

// MARK: - Clocks that leap

extension World {
    /// One clock leaps to the year 2099 or to 1980, and comes back at once, later, or not before something else sets it.
    func leapClock() {
        if random.happens(percent: 40) {
            let device = random.one(of: devices)
            device.clock = DeviceClock(off: random.one(of: Self.leaps))
            story.note("the clock of device \(device.number) leaps: \(device.clock)")
            return
        }
        let node = anyNode()
        if node.clockOffset.magnitude > UInt64(Self.believedAfter), random.happens(percent: 60) {
            // It has been wrong for long enough to be believed: so much time passes for this clock alone.
            setClock(of: node, off: node.clockOffset + Self.believedAfter)
        } else {
            setClock(of: node, off: random.one(of: Self.leaps))
            guard random.happens(percent: 60) else { return }
            after(UInt64(random.below(2_000))) { [self] in setClock(of: node, off: 0) }
        }
    }

    fileprivate func setClock(of node: ServerProcess, off milliseconds: Int64) {
        node.clockOffset = milliseconds
        story.note("the clock of \(node.name) is off by \(milliseconds) ms")
    }

    /// From the beginning of the story, in November 2023.
    private static let leaps: [Int64] = [76, -44].map { $0 * 365 * 86_400_000 }
    private static let believedAfter: Int64 = 660_000
}
