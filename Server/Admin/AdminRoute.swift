package import CausewayHTTP

/// One thing that the admin listener can be asked for.
package struct AdminRoute: Sendable {
    package enum Access: Hashable, Sendable {
        /// What is the same at every server: the files of the console.
        case everybody
        /// What programs that watch the server ask for. It names databases, and nothing that is in them.
        case monitoring
        /// Everything else: only for administrators.
        case administration
    }

    package typealias Handler = @Sendable (AdminRequest) async throws(AdminError) -> HTTPAnswer

    package let method: String
    /// `/databases/{database}/sessions`: a part in braces stands for any one part, which the handler gets by its name.
    package let pattern: String
    package let access: Access
    /// Bytes that the body of a request may have.
    package let bodyBytesMax: Int
    /// Whether it changes something: then every call is in the audit log.
    package let isChange: Bool
    /// Nil for routes that are no part of the API: monitoring and documents.
    package let description: AdminDescription?
    /// The member of the body that names the database, where the path does not.
    private(set) var databaseMember: String?
    let parts: [Part]
    let answer: Handler

    enum Part: Hashable, Sendable {
        case text(String)
        case parameter(String)
    }

    /// A body has room for the largest section of a database in a configuration.
    package static let bodyBytesMaxStandard = 256 << 10

    /// A route of the API. Its query is checked before it is called, it may have a body if the description names one, and
    /// with any method but GET it changes something.
    package init(
        _ method: String, _ pattern: String, _ description: AdminDescription, answer: @escaping Handler
    ) {
        self.init(
            method, pattern, bodyBytesMax: description.body == nil ? 0 : Self.bodyBytesMaxStandard,
            isChange: method != "GET", description: description, answer: answer)
    }

    package init(
        _ method: String, _ pattern: String, access: Access = .administration, bodyBytesMax: Int = 0,
        isChange: Bool = false, description: AdminDescription? = nil, answer: @escaping Handler
    ) {
        precondition(pattern.hasPrefix("/"), "A route begins with a slash.")
        self.method = method
        self.pattern = pattern
        self.access = access
        self.bodyBytesMax = bodyBytesMax
        self.isChange = isChange
        self.description = description
        self.answer = answer
        parts = pattern.split(separator: "/").map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? .parameter(String(part.dropFirst().dropLast())) : .text(String(part))
        }
    }

    /// The same for a route whose body names the database that it is about.
    package func naming(databaseBy member: String) -> AdminRoute {
        var route = self
        route.databaseMember = member
        return route
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
