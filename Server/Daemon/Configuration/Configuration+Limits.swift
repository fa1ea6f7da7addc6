import CausewayLimits
import Yams

extension Configuration {
    /// The section `limits`.
    static func readLimits(_ root: inout Section) -> Limits {
        var section = Section(root.node("limits"), path: "limits")
        var limits = Limits()
        limits.connections = section.number("connections", 1...1_000_000, default: limits.connections)
        limits.connectionsOfAddress = section.number(
            "connectionsOfAddress", 1...1_000_000, default: limits.connectionsOfAddress)
        limits.handshakes = section.number("handshakes", 1...1_000_000, default: limits.handshakes)
        limits.handshakesOfAddress = section.number(
            "handshakesOfAddress", 1...1_000_000, default: limits.handshakesOfAddress)
        limits.frameMegabytes = section.number("frameMegabytes", 1...256, default: limits.frameMegabytes)
        limits.operations = section.number("operations", 1_000...4_000_000, default: limits.operations)
        limits.gracefulEndSeconds = section.number("gracefulEndSeconds", 1...600, default: limits.gracefulEndSeconds)
        readRates(&section, Limit.allCases, &limits.rates)
        readDatabaseLimits(&section, &limits)
        root.take(section.finish())
        return limits
    }

    /// The section `limits` of a database. What it leaves out is as in the section of all; nil when there is none.
    static func readLimits(of database: inout Section, inheriting inherited: Limits) -> Limits? {
        guard let node = database.node("limits") else { return nil }
        var section = Section(node, path: database.key("limits"))
        var limits = inherited
        // Requests are counted by address before it is known which database they are for.
        readRates(&section, Limit.allCases.filter { $0 != .requestsPerSecondOfAddress }, &limits.rates)
        readDatabaseLimits(&section, &limits)
        database.take(section.finish())
        return limits
    }

    private static func readRates(_ section: inout Section, _ limits: [Limit], _ rates: inout Rates) {
        for limit in limits {
            guard limit.form != nil, let known = rates.amounts[limit] else { continue }
            rates.amounts[limit] = section.number(limit.rawValue, rateRange, default: known)
        }
        rates.burstSeconds = section.number("burstSeconds", 1...3_600, default: rates.burstSeconds)
    }

    private static let rateRange = 1...1_000_000_000

    /// What may be different in each database.
    private static func readDatabaseLimits(_ section: inout Section, _ limits: inout Limits) {
        limits.storageMegabytes = section.number("storageMegabytes", 1...268_435_456, default: limits.storageMegabytes)
        limits.objectsOfUser = section.number("objectsOfUser", 1...1_000_000_000_000, default: limits.objectsOfUser)
        limits.creditKilobytes = section.number("creditKilobytes", 64...65_536, default: limits.creditKilobytes)
        limits.heartbeatSeconds = section.number("heartbeatSeconds", 1...300, default: limits.heartbeatSeconds)
        limits.historyVersions = section.number(
            "historyVersions", 1_000...1_000_000_000, default: limits.historyVersions)
        limits.historyMegabytes = section.number("historyMegabytes", 16...1_048_576, default: limits.historyMegabytes)
        limits.historyDays = section.number("historyDays", 1...36_500, default: limits.historyDays)
        limits.beginnings = section.number("beginnings", 1...1_000_000, default: limits.beginnings)
        limits.clientDays = section.number("clientDays", 1...36_500, default: limits.clientDays)
        limits.refusals = section.number("refusals", 100...4_000_000, default: limits.refusals)
        limits.queryTerms = section.number("queryTerms", 100...100_000, default: limits.queryTerms)
        limits.sessions = section.number("sessions", 10...1_000_000, default: limits.sessions)
        limits.sessionsOfUser = section.number("sessionsOfUser", 1...1_000_000, default: limits.sessionsOfUser)
        limits.queryMegabytesOfUser = section.number(
            "queryMegabytesOfUser", 1...65_536, default: limits.queryMegabytesOfUser)
        limits.looksCheckedPercent = section.number("looksCheckedPercent", 0...100, default: limits.looksCheckedPercent)
        limits.schemaClasses = section.number("schemaClasses", 1...1_000, default: limits.schemaClasses)
        limits.schemaProperties = section.number("schemaProperties", 1...1_000_000, default: limits.schemaProperties)
        limits.schemaClassesOfUser = section.number(
            "schemaClassesOfUser", 0...1_000, default: limits.schemaClassesOfUser)
        limits.schemaPropertiesOfUser = section.number(
            "schemaPropertiesOfUser", 0...1_000_000, default: limits.schemaPropertiesOfUser)
    }
}
