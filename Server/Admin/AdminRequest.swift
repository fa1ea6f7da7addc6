package import CausewayHTTP
package import CausewayJSON
import CausewayModel

/// A request to a route, read whole.
package struct AdminRequest: Sendable {
    package let request: HTTPRequest
    private let path: [String: String]
    /// Of the query, checked by the route's description.
    private let query: [String: String]

    package init(_ request: HTTPRequest, parameters: [String: String] = [:], query: [String: String] = [:]) {
        self.request = request
        self.path = parameters
        self.query = query
    }

    /// The part of the path that stands for a parameter of the route's pattern.
    package subscript(_ parameter: String) -> String { path[parameter] ?? "" }

    /// A parameter of the query; nil where the request leaves it out.
    package func text(_ parameter: String) -> String? { query[parameter] }

    package func number(_ parameter: String) -> Int? { query[parameter].flatMap { Int($0) } }

    package func flag(_ parameter: String) -> Bool { query[parameter] == "true" }

    /// Where the caller is, as limits count machines.
    package var address: String { request.head.peer.group }

    // MARK: - The body

    /// The members of the body, an object in which all names are known. A request without a body has none.
    ///
    /// - Parameter names: those that the body may have.
    package func members(_ names: String...) throws(AdminError) -> AdminMembers {
        if request.body.isEmpty { return AdminMembers(.object([])) }
        let json: JSON
        do throws(JSONReader.Failure) {
            json = try JSONReader.read(request.body, bounds: Self.bounds)
        } catch {
            throw AdminError(.requestInvalid, "The body is not JSON: at byte \(error.offset), \(error.reason).")
        }
        guard let members = json.members else {
            throw AdminError(.requestInvalid, "The body is \(json.kind). Expected is an object.")
        }
        if let unknown = members.first(where: { !names.contains($0.name.string) }) {
            throw AdminError(
                .requestInvalid,
                "The body has the member “\(unknown.name.string.prefix(40))”, which is unknown here. Known are: "
                    + names.joined(separator: ", ") + ".")
        }
        return AdminMembers(json)
    }

    /// Bodies of administrators are small.
    private static var bounds: JSONReader.Bounds {
        var bounds = JSONReader.Bounds()
        (bounds.depth, bounds.values) = (32, 10_000)
        return bounds
    }
}

/// The body of a request, by its members.
package struct AdminMembers: Sendable {
    private let json: JSON

    init(_ json: JSON) { self.json = json }

    /// Nil where it is left out, or null.
    package subscript(_ name: String) -> JSON? {
        guard let value = json[name], value != .null else { return nil }
        return value
    }

    /// Nil where it is left out.
    package func text(_ name: String) throws(AdminError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else {
            throw AdminError(.requestInvalid, "\(name) is \(value.kind). Expected is a string.")
        }
        return text
    }

    package func requiredText(_ name: String) throws(AdminError) -> String {
        guard let text = try text(name), !text.isEmpty else {
            throw AdminError(.requestInvalid, "\(name) is missing or empty. Send it as a string.")
        }
        return text
    }

    /// False where it is left out.
    package func flag(_ name: String) throws(AdminError) -> Bool {
        switch self[name] {
        case nil: return false
        case .bool(let flag)?: return flag
        case let value?: throw AdminError(.requestInvalid, "\(name) is \(value.kind). Expected is true or false.")
        }
    }
}
