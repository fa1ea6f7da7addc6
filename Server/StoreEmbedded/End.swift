import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// A deletion, kept for ever: it beats changes that were made without having seen it, however late they arrive.
struct End {
    /// Even: the causal length that the object reached.
    var life: UInt32
    var version: ServerVersion

    init(life: UInt32, version: ServerVersion) {
        self.life = life
        self.version = version
    }

    static func load(_ name: ObjectName, in transaction: Transaction) throws(StoreFailure) -> End? {
        guard let bytes = transaction.tree(Layout.ends).get(place(name)) else { return nil }
        do {
            return try End(bytes)
        } catch {
            throw StoreFailure(damaged: Layout.ends, error)
        }
    }

    func save(_ name: ObjectName, in transaction: Transaction) {
        var writer = ByteWriter()
        writer.write(varint: UInt64(life))
        writer.write(varint: version.rawValue)
        transaction.tree(Layout.ends).put(Self.place(name), writer.bytes)
    }

    static func remove(_ name: ObjectName, in transaction: Transaction) {
        transaction.tree(Layout.ends).remove(place(name))
    }

    private init(_ bytes: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(bytes)
        life = UInt32(truncatingIfNeeded: try reader.readVarint())
        version = ServerVersion(try reader.readVarint())
    }

    private static func place(_ name: ObjectName) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(name.key)
        return Layout.bytes(UInt32(truncatingIfNeeded: name.classNumber)) + writer.bytes
    }
}
