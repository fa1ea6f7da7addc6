/// Every limit on what one address, user, client or database may take of the server. The name is the key in the section
/// `limits` of the configuration, and the label of the metric.
package enum Limit: String, CaseIterable, Hashable, Sendable {
    // How many at a time
    case connections
    case connectionsOfAddress
    case handshakes
    case handshakesOfAddress
    case sessions
    case sessionsOfUser
    case queryMegabytesOfUser
    case beginnings
    // How many in a time
    case requestsPerSecondOfAddress
    case requestsPerSecondOfUser
    case operationsPerSecondOfClient
    case operationsPerSecondOfUser
    case operationsPerSecondOfDatabase
    case kilobytesPerSecondOfClient
    case kilobytesPerSecondOfUser
    case kilobytesPerSecondOfDatabase
    case readMillisecondsPerSecondOfUser
    case accountsPerHourOfAddress
    case accountsPerHourOfDatabase
    case schemaAdditionsPerHourOfUser
    // How much is kept
    case storageMegabytes
    case objectsOfUser

    /// What a rate is about.
    package struct Form: Hashable, Sendable {
        package var standard: Int
        /// What the value counts, in words.
        package var unit: String
        /// How many of what is charged make one of that.
        var scale = 1
    }

    /// Nil for a limit that is no rate.
    package var form: Form? {
        switch self {
        case .requestsPerSecondOfAddress: Form(standard: 2_000, unit: "requests")
        case .requestsPerSecondOfUser: Form(standard: 500, unit: "requests")
        case .operationsPerSecondOfClient, .operationsPerSecondOfUser: Form(standard: 50_000, unit: "operations")
        case .operationsPerSecondOfDatabase: Form(standard: 10_000_000, unit: "operations")
        // Charged in bytes.
        case .kilobytesPerSecondOfClient, .kilobytesPerSecondOfUser:
            Form(standard: 8_192, unit: "kilobytes", scale: 1_024)
        case .kilobytesPerSecondOfDatabase: Form(standard: 1_048_576, unit: "kilobytes", scale: 1_024)
        // Charged in microseconds of a thread.
        case .readMillisecondsPerSecondOfUser: Form(standard: 500, unit: "milliseconds of reading", scale: 1_000)
        case .accountsPerHourOfAddress: Form(standard: 400, unit: "new accounts")
        case .accountsPerHourOfDatabase: Form(standard: 10_000, unit: "new accounts")
        case .schemaAdditionsPerHourOfUser: Form(standard: 1_000, unit: "new classes and properties")
        case .connections, .connectionsOfAddress, .handshakes, .handshakesOfAddress, .sessions, .sessionsOfUser,
            .queryMegabytesOfUser, .beginnings, .storageMegabytes, .objectsOfUser:
            nil
        }
    }

    package var period: Rate.Period { rawValue.contains("PerHour") ? .hour : .second }

    /// Whether it is one of the whole server, and not of each database.
    package var isOfServer: Bool {
        switch self {
        case .connections, .connectionsOfAddress, .handshakes, .handshakesOfAddress, .requestsPerSecondOfAddress: true
        default: false
        }
    }

    /// What is counted together.
    package var scope: Scope {
        if rawValue.hasSuffix("OfAddress") { return .address }
        if rawValue.hasSuffix("OfUser") { return .user }
        if rawValue.hasSuffix("OfClient") { return .client }
        return self == .connections || self == .handshakes ? .server : .database
    }

    package enum Scope: String, CaseIterable, Sendable {
        case address
        case user
        case client
        case database
        case server
    }
}
