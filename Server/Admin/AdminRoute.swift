package import CausewayHTTP

/// One thing that the admin listener can be asked for.
package struct AdminRoute: Sendable {
    package enum Access: Hashable, Sendable {
        /// What programs that watch the server ask for. It names databases, and nothing that is in them.
        case monitoring
        /// Everything else: only for administrators.
        case administration
    }

    package typealias Handler = @Sendable (AdminRequest) async -> HTTPAnswer

    package let method: String
    /// `/databases/{database}/sessions`: a part in braces stands for any one part, which the handler gets by its name.
    package let pattern: String
    package let access: Access
    /// Bytes that the body of a request may have.
    package let bodyBytesMax: Int
    /// Whether it changes something: then every call is in the audit log.
    package let isChange: Bool
    let parts: [Part]
    let answer: Handler

    enum Part: Hashable, Sendable {
        case text(String)
        case parameter(String)
    }

    package init(
        _ method: String, _ pattern: String, access: Access = .administration, bodyBytesMax: Int = 0,
        isChange: Bool = false, answer: @escaping Handler
    ) {
        precondition(pattern.hasPrefix("/"), "A route begins with a slash.")
        self.method = method
        self.pattern = pattern
        self.access = access
        self.bodyBytesMax = bodyBytesMax
        self.isChange = isChange
        self.answer = answer
        parts = pattern.split(separator: "/").map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? .parameter(String(part.dropFirst().dropLast())) : .text(String(part))
        }
    }

    /// The parameters of a path that the route is for; nil when it is for others.
    func parameters(of path: [String]) -> [String: String]? {
        guard path.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, text) in zip(parts, path) {
            switch part {
            case .text(let known): guard known == text else { return nil }
            case .parameter(let name): parameters[name] = text
            }
        }
        return parameters
    }
}

/// A request to a route, read whole.
package struct AdminRequest: Sendable {
    package let request: HTTPRequest
    private let parameters: [String: String]

    package init(_ request: HTTPRequest, parameters: [String: String] = [:]) {
        self.request = request
        self.parameters = parameters
    }

    /// The part of the path that stands for a parameter of the route's pattern.
    package subscript(_ parameter: String) -> String { parameters[parameter] ?? "" }
}
