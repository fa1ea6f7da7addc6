/// A call of one of the operator's functions by an app.
package struct FunctionCall: Codable, Hashable, Sendable {
    package var function: String
    package var database: String
    /// Who calls; nil while the function is asked who somebody is.
    package var user: String?
    package var arguments: [ClaimValue]
}

package enum FunctionOutcome: Hashable, Sendable {
    case result(ClaimValue)
    /// With the function's message to the app.
    case failed(String)
    case unknown
    /// Too many run and wait already.
    case busy
}

/// Runs the operator's functions.
package protocol FunctionRunner: Sendable {
    func run(_ call: FunctionCall) async -> FunctionOutcome
}

/// A server without functions.
package struct NoFunctions: FunctionRunner {
    package init() {}

    package func run(_ call: FunctionCall) async -> FunctionOutcome { .unknown }
}
