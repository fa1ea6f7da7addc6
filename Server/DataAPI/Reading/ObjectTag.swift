import CausewayQuery
import CausewayJSON
import CausewayStore

/// Names the state of an object as a caller sees it: the `ETag` of the object, and what `If-Match` is compared with.
enum ObjectTag {
    static func text(of row: Row, in snapshot: any StoreSnapshot, under permissions: Permissions?) throws(APIError)
        -> String
    {
        var writer = JSONWriter()
        try ObjectWriter(snapshot, under: permissions).write(row, to: &writer)
        return text(of: writer.bytes)
    }

    /// - Parameter json: the whole object.
    static func text(of json: [UInt8]) -> String {
        var fingerprint = Fingerprint()
        fingerprint.add(String(decoding: json, as: UTF8.self))
        return "\"" + Hexadecimal.text(fingerprint.value, digits: 16) + "\""
    }
}
