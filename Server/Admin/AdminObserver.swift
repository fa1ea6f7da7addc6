/// Told what happens at the admin listener. Called on the threads of connections: must be quick and must not block.
package protocol AdminObserver: Sendable {
    func observe(_ event: AdminEvent)
}

package enum AdminEvent: Hashable, Sendable {
    case refused(Reason, address: String)
    /// - Parameters:
    ///   - route: method and pattern.
    ///   - isChange: whether the route changes something.
    case answered(route: String, isChange: Bool, status: Int, address: String)

    package enum Reason: String, CaseIterable, Hashable, Sendable {
        /// The request's host is not a name of this machine.
        case host
        /// No token, or a wrong one.
        case token
        /// An administrator asked for what does not exist.
        case route

        init(_ refusal: AdminAccess.Refusal) {
            self =
                switch refusal {
                case .host: .host
                case .token: .token
                }
        }
    }
}

package struct NoAdminObserver: AdminObserver {
    package init() {}
    package func observe(_ event: AdminEvent) {}
}
