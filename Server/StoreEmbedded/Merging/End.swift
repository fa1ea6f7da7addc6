import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// A tombstone: a deletion beats changes that were made without having seen it. It is kept as long as the history
/// reaches back to it, or to the last change that it beat. After that `ForgottenEnds` says what a writer must have seen
/// to know of it.
struct End {
    /// The causal length that the object reached; even.
    var life: UInt32
    /// The version that made it.
    var version: ServerVersion
    /// The client that made it: a writer has seen its own deletions, whatever its base is. An earlier build did not
    /// note it.
    var client = ClientID.nobody
    /// The last version that changed the deleted object: its writer goes on doing so until it has heard of the
    /// deletion.
    var met: ServerVersion

    init(life: UInt32, version: ServerVersion, client: ClientID) {
        self.life = life
        self.version = version
        self.client = client
        met = version
    }

    static func load(_ name: ObjectName, in transaction: Transaction) throws(StoreFailure) -> End? {
        try transaction.tree(Layout.ends).get(place(name)).map { bytes throws(StoreFailure) in try load(encoded: bytes)
        }
    }

    static func load(encoded bytes: [UInt8]) throws(StoreFailure) -> End {
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
        writer.write(varint: met.rawValue)
        writer.write(fixed64: client.rawValue)
        transaction.tree(Layout.ends).put(Self.place(name), writer.bytes)
    }

    static func remove(_ name: ObjectName, in transaction: Transaction) {
        transaction.tree(Layout.ends).remove(place(name))
    }

    private init(_ bytes: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(bytes)
        life = UInt32(truncatingIfNeeded: try reader.readVarint())
        version = ServerVersion(try reader.readVarint())
        met = reader.isAtEnd ? version : ServerVersion(try reader.readVarint())
        if !reader.isAtEnd { client = ClientID(try reader.readFixed64()) }
    }

    private static func place(_ name: ObjectName) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(name.key)
        return Layout.bytes(UInt32(truncatingIfNeeded: name.classNumber)) + writer.bytes
    }
}
