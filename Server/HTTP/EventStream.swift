/// The form of server-sent events.
package enum EventStream {
    package static let contentType = "text/event-stream"
    /// What a reader ignores: it shows that the connection is alive.
    package static let signOfLife = Array(": \n\n".utf8)

    /// Appends an event.
    ///
    /// - Parameters:
    ///   - id: what a reader sends as `Last-Event-ID` when it connects again; nil for none.
    ///   - json: on one line.
    package static func append(_ kind: String, id: String? = nil, _ json: [UInt8], to bytes: inout [UInt8]) {
        if let id { bytes += "id: \(id)\n".utf8 }
        bytes += "event: \(kind)\ndata: ".utf8
        bytes += json
        bytes += "\n\n".utf8
    }
}
