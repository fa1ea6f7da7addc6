package import CausewayHTTP

/// A change of one object that somebody asks for who looks at it.
package struct ObjectEdit: Sendable {
    package enum Kind: Hashable, Sendable {
        case create
        case patch
        case delete
    }

    package var kind: Kind
    package var className: String
    /// The object, as a path names it; empty for one that is created.
    package var key = ""
    /// Its body holds the properties as the data API takes them, and its `If-Match` the state that was looked at.
    package var request: HTTPRequest

    /// Bytes of a body.
    package static let bodyBytesMax = 1 << 20
}
