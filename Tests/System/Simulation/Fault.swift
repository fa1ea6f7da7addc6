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
        case .serverDies: server.crash()
        case .serverEnds: try server.restartGracefully()
        case .serverIsRestored: try server.restore(callsLost: random.below(40))
        case .tokenExpires:
            story.note("the token of device \(device.number) expires")
            device.isTokenValid = false
        case .tokenExpiresInSession:
            story.note("the server ends the session of device \(device.number), whose token has expired")
            device.isTokenValid = false
            server.endSession(of: device.file.client, SyncFailure(.tokenExpired, "The token has expired."))
        case .deviceClockIsSet:
            device.clock.change(&random)
            story.note("the clock of device \(device.number) is set: \(device.clock)")
        case .serverClockIsSet:
            server.clockOffset = Int64(random.below(600_000)) - 300_000
            story.note("the clock of the server is off by \(server.clockOffset) ms")
        case .appIsUpgraded: try device.upgrade()
        case .rulesChange: if plan.hasRules { try server.changeRules() }
        }
    }
}
