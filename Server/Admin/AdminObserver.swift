/// Told what happens at the admin listener. Called on the threads of connections: must be quick and must not block.
package protocol AdminObserver: Sendable {
    func observe(_ event: AdminEvent)
}

package enum AdminEvent: Hashable, Sendable {
    case refused(Reason, address: String)
    case answered(Call)

    /// A call of a route that there is.
    package struct Call: Hashable, Sendable {
        /// Method and pattern.
        package var route: String
        /// Whether the route changes something.
        package var isChange: Bool
        package var status: Int
        /// Why it was refused; nil where it was not.
        package var code: AdminError.Code?
        /// The database that it is about, as the caller named it; nil for the server as a whole.
        package var database: String?
        package var address: String

        package init(
            route: String, isChange: Bool, status: Int, code: AdminError.Code? = nil, database: String? = nil,
            address: String
        ) {
            self.route = route
            self.isChange = isChange
            self.status = status
            self.code = code
            self.database = database
            self.address = address
        }
    }

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
