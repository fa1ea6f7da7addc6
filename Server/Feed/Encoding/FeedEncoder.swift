package import CausewayJSON
package import CausewayModel

/// The JSON form of objects and values in the feed, in webhooks and in sinks.
package protocol FeedEncoder: Sendable {
    /// Appends an object.
    func append(_ object: ObjectValues, to json: inout JSONWriter)
    /// Appends what one property holds.
    func append(_ content: ObjectValues.Content, to json: inout JSONWriter)
    /// Appends a single value; links are named by the primary key of their target.
    func append(_ value: Value, to json: inout JSONWriter)
}

extension FeedEncoder {
    package func append(_ key: PrimaryKey, to json: inout JSONWriter) {
        append(key.value ?? .null, to: &json)
    }
}
