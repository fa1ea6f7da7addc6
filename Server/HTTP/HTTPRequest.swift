/// A request of HTTP/1.1, read whole.
package struct HTTPRequest: Sendable {
    package var head: HTTPHead
    package var body: [UInt8]

    package init(_ head: HTTPHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }
}

/// What is known of a request before its body has come.
package struct HTTPHead: Sendable {
    package var method: String
    /// The parts of the path, percent escapes decoded: `/metrics` is `["metrics"]`.
    package var path: [String]
    /// In their order, percent escapes and `+` decoded.
    package var query: [Parameter]
    /// In their order, names in small letters.
    package var headers: [Header]
    package var peer: PeerAddress

    package struct Parameter: Hashable, Sendable {
        package var name: String
        package var value: String
    }

    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Nil when the target is none of ours: not a path, or with escapes that are malformed or no UTF-8.
    package init?(method: String, target: String, headers: [Header] = [], peer: PeerAddress = PeerAddress(nil)) {
        guard target.utf8.first == UInt8(ascii: "/") else { return nil }
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path: [String] = []
        for part in halves[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let decoded = PercentEncoding.decoded(part) else { return nil }
            path.append(decoded)
        }
        // A slash at the end, and the root, name nothing more.
        if path.last == "" { path.removeLast() }
        var query: [Parameter] = []
        for pair in halves.count > 1 ? halves[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decoded(sides[0], spaces: true),
                let value = sides.count > 1 ? PercentEncoding.decoded(sides[1], spaces: true) : ""
            else { return nil }
            query.append(Parameter(name: name, value: value))
        }
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.peer = peer
    }

    /// The first header of a name, which is given in small letters.
    package func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    /// The first parameter of a name.
    package func parameter(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// What follows `Bearer` in the header `authorization`.
    package var bearerToken: String? { header("authorization").flatMap(Self.bearerToken) }

    /// What follows `Bearer` in the content of a header `authorization`.
    package static func bearerToken(_ authorization: String) -> String? {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}
