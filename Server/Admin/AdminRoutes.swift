import CausewayHTTP

/// The routes of the admin listener: a table, in which each part of the server enters what it can be asked for.
package struct AdminRoutes: Sendable {
    package private(set) var all: [AdminRoute] = []
    /// The schemas that the descriptions of the routes name, as they stand in `components/schemas` of the document.
    package private(set) var schemas = ""

    package init(_ routes: [AdminRoute] = []) {
        for route in routes { add(route) }
    }

    package mutating func add(_ route: AdminRoute) {
        precondition(
            !all.contains { $0.method == route.method && $0.parts == route.parts }, "A route is in the table already.")
        all.append(route)
    }

    /// Adds the routes of one part of the server, with the schemas that they name.
    ///
    /// - Parameter schemas: YAML, indented by four spaces.
    package mutating func add(_ routes: [AdminRoute], schemas: String = "") {
        for route in routes { add(route) }
        self.schemas += schemas
    }

    enum Finding {
        case route(AdminRoute, parameters: [String: String])
        /// The path is known, with other methods.
        case methods([String])
        case nothing
    }

    /// Routes without parameters come first, whatever the order of the table is.
    func find(_ head: HTTPHead) -> Finding {
        // HEAD is GET without a body.
        let method = head.method == "HEAD" ? "GET" : head.method
        let fitting = all.compactMap { route in route.parameters(of: head.path).map { (route, $0) } }
            .sorted { $0.1.count < $1.1.count }
        if let (route, parameters) = fitting.first(where: { $0.0.method == method }) {
            return .route(route, parameters: parameters)
        }
        return fitting.isEmpty ? .nothing : .methods(Set(fitting.map(\.0.method)).sorted())
    }
}
