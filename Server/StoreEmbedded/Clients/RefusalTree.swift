import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// The refusals of each client's changesets [I7]. They stay after a device has stored them, as long as there is room:
/// the device's file may have been copied before, and then the other copy has not been told.
struct RefusalTree {
    private let transaction: Transaction

    init(in transaction: Transaction) {
        self.transaction = transaction
    }

    /// Stores the refusals of a changeset.
    ///
    /// - Returns: their weight in bytes.
    func append(_ record: RefusalRecord, of client: ClientID, sequence: UInt64) -> UInt64 {
        let key = Self.key(client, sequence)
        let value = record.encoded()
        transaction.tree(Layout.refusals).put(key, value)
        return key.withUnsafeBytes { key in value.withUnsafeBytes { Self.weight(key, $0) } }
    }

    /// The bytes that a record takes, and at least so many for each refusal: in a record that repeats itself a byte
    /// stands for thousands of refusals, each of which is told.
    private static func weight(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> UInt64 {
        let bytes = key.count + value.count
        let isOfOne = key.count > Self.keyBytes
        let count = isOfOne ? 1 : (try? RefusalRecord.count(in: Array(value))) ?? 0
        return UInt64(max(bytes, Self.bytesOfRefusal * count))
    }

    /// The least that a refusal counts: all that wait for a client are read when a view is computed for it.
    private static let bytesOfRefusal = 16

    /// The weight of the refusals of a client's changesets after one.
    func bytes(of client: ClientID, after told: UInt64) -> UInt64 {
        var bytes: UInt64 = 0
        transaction.tree(Layout.refusals)
            .scan(from: Self.key(client, told + 1), upTo: Self.end(client, .max)) { key, value in
                bytes += Self.weight(key, value)
                return true
            }
        return bytes
    }

    /// In the order of changesets and operations. Only whole changesets, until there are at least `limit` refusals.
    func refusals(
        of client: ClientID, after acknowledged: UInt64, through last: UInt64, limit: Int
    ) throws(StoreFailure) -> [Refusal] {
        guard last > acknowledged else { return [] }
        var found: [Refusal] = []
        var damage: StoreFailure?
        transaction.tree(Layout.refusals)
            .scan(from: Self.key(client, acknowledged + 1), upTo: Self.end(client, last)) { key, value in
                do throws(StoreFailure) {
                    found += try Self.refusals(key, value)
                    return found.count < limit
                } catch {
                    damage = error
                    return false
                }
            }
        if let damage { throw damage }
        return found
    }

    /// Hands over all records between two keys, in their order.
    func scan(
        from: [UInt8], upTo: [UInt8]?, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        transaction.tree(Layout.refusals).scan(from: from, upTo: upTo, body)
    }

    /// Hands over a client's records behind a changeset, in their order.
    func scan(
        of client: ClientID, after sequence: UInt64,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        guard sequence < .max else { return }
        scan(from: Self.key(client, sequence + 1), upTo: Self.end(client, .max), body)
    }

    func hasAny(of client: ClientID, after told: UInt64, through last: UInt64) -> Bool {
        guard last > told else { return false }
        var found = false
        transaction.tree(Layout.refusals)
            .scan(from: Self.key(client, told + 1), upTo: Self.end(client, last)) { _, _ in
                found = true
                return false
            }
        return found
    }

    /// Of what a device has stored, keeps the newest, up to so many bytes, for other copies of its file.
    func thin(_ client: ClientID, through told: UInt64, toBytes bytesMax: UInt64) {
        let refusals = transaction.tree(Layout.refusals)
        let first = Self.key(client, 0)
        var bytes: UInt64 = 0
        var newestWithoutRoom: UInt64?
        refusals.scan(from: first, upTo: Self.end(client, told), reversed: true) { key, value in
            bytes += Self.weight(key, value)
            if bytes > bytesMax { newestWithoutRoom = Layout.number(key, at: 8) ?? 0 }
            return newestWithoutRoom == nil
        }
        if let newestWithoutRoom { refusals.removeRange(from: first, upTo: Self.end(client, newestWithoutRoom)) }
    }

    static func refusals(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(StoreFailure) -> [Refusal] {
        guard let sequence: UInt64 = Layout.number(key, at: 8) else {
            throw StoreFailure(missing: "the number of a refusal", Layout.refusals)
        }
        let operation: UInt32? = Layout.number(key, at: 16)
        do throws(EncodingError) {
            guard let operation else { return try RefusalRecord.refusals(in: Array(value), of: sequence) }
            return [try single(Array(value), sequence, Int(operation))]
        } catch {
            throw StoreFailure(damaged: Layout.refusals, error)
        }
    }

    /// An earlier build wrote a record for each operation, with its place in the key.
    private static func single(
        _ value: [UInt8], _ sequence: UInt64, _ operation: Int
    ) throws(EncodingError) -> Refusal {
        var reader = ByteReader(value)
        let code = StoreFailure.Code(try reader.readString())
        let message = try reader.readString()
        let target = ObjectReference(try reader.readString(), try reader.readPrimaryKey())
        return Refusal(sequence: sequence, operation: operation, target: target, failure: StoreFailure(code, message))
    }

    /// In records of an earlier build the place of the operation follows these bytes.
    static let keyBytes = 16

    private static func key(_ client: ClientID, _ sequence: UInt64) -> [UInt8] {
        Layout.bytes(client.rawValue) + Layout.bytes(sequence)
    }

    /// The end of all refusals of the client's changesets up to this one.
    private static func end(_ client: ClientID, _ last: UInt64) -> [UInt8] {
        key(client, last) + Layout.bytes(UInt32.max)
    }
}
