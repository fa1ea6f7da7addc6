package import CausewayJSON
import CausewayModel

extension ChangeEvent {
    /// One event as a JSON object on one line; FEED.md has the fields.
    package func append(to json: inout JSONWriter) {
        json.object { json in
            json.field("position", position.text)
            json.field("version", version.rawValue)
            if time > 0 { json.field("time", DateText.text(milliseconds: time)) }
            json.field("kind", kind.rawValue)
            json.field("class", className)
            json.name("key")
            json.write(key)
            if kind == .updated {
                json.name("changed")
                json.array(changed) { $1.write($0) }
            }
            if let author {
                json.field("client", String(author.client.rawValue, radix: 16))
                if let user = author.user { json.field("user", user) }
            }
            for (name, values) in [("before", before), ("after", after)] {
                guard let values else { continue }
                json.name(name)
                json.write(values)
            }
        }
    }
}

extension FeedFailure {
    /// As the body of a refusal, and as the last event of a feed.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("kind", "end")
            json.field("code", code.name)
            json.field("message", message)
            if let oldest { json.field("oldest", oldest.rawValue) }
        }
        return json.bytes
    }
}
