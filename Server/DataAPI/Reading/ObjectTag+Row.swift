import CausewayJSON
import CausewayStore

extension ObjectTag {
    static func text(of row: Row, in snapshot: any StoreSnapshot, under permissions: Permissions?) throws(APIError)
        -> String
    {
        var writer = JSONWriter()
        try ObjectWriter(snapshot, under: permissions).write(row, to: &writer)
        return text(of: writer.bytes)
    }
}
