package import CausewayAdmin
import CausewayHTTP
import CausewayJSON

/// What somebody who looks is told first: what there is to look at, and what can be done with it.
package struct About: Sendable {
    package enum Kind: String, Sendable {
        /// A server with databases.
        case server
        /// One file, opened by `causeway browse`.
        case file
    }

    package var kind: Kind
    /// Of the program.
    package var version: String
    /// Of the file.
    package var name: String?
    /// Whether objects can be created, changed and deleted.
    package var isWritable: Bool
    /// Whether it is known what happened to an object.
    package var hasHistory: Bool

    package init(kind: Kind, version: String, name: String? = nil, isWritable: Bool, hasHistory: Bool) {
        self.kind = kind
        self.version = version
        self.name = name
        self.isWritable = isWritable
        self.hasHistory = hasHistory
    }

    package func route() -> AdminRoute {
        AdminRoute(
            "GET", "/admin/v1/about",
            AdminDescription(
                "readAbout", "What there is to look at, and what can be done with it.", answer: "About")
        ) { _ in
            .json { json in
                json.object { json in
                    json.field("kind", kind.rawValue)
                    json.field("version", version)
                    json.field("name", ifAny: name)
                    json.field("isWritable", isWritable)
                    json.field("hasHistory", hasHistory)
                }
            }
        }
    }

    package static let schemas = """
            About:
              type: object
              required: [kind, version, isWritable, hasHistory]
              additionalProperties: false
              properties:
                kind: {enum: [server, file]}
                version: {type: string}
                name: {type: string}
                isWritable: {type: boolean}
                hasHistory: {type: boolean}

        """
}
