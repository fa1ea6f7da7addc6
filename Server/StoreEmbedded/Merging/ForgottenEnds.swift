import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// What is left of a class's tombstones that were removed with the history.
///
/// A writer that has seen the newest of them has seen them all, and never names a deleted object. Of an older writer
/// nobody can say whether it means an object that was deleted; `RULES.md`, section 12, says what becomes of its
/// changes.
struct ForgottenEnds {
    /// The newest version that made or met one of them; zero while none was forgotten.
    var version = ServerVersion.zero
    /// The greatest life that any of them had reached.
    var lifeMax: UInt32 = 0

    private init() {}

    /// Whether a writer with this base has seen them all.
    func areKnown(to base: ServerVersion) -> Bool { base >= version }

    static func load(_ classNumber: Int, in transaction: Transaction) throws(StoreFailure) -> Self {
        guard let bytes = transaction.tree(Layout.forgotten).get(place(classNumber)) else { return Self() }
        do {
            var reader = ByteReader(bytes)
            var forgotten = Self()
            forgotten.version = ServerVersion(try reader.readVarint())
            forgotten.lifeMax = UInt32(truncatingIfNeeded: try reader.readVarint())
            return forgotten
        } catch {
            throw StoreFailure(damaged: Layout.forgotten, error)
        }
    }

    /// Removes the tombstones that a version made, or met as the last one.
    ///
    /// - Parameter names: what the version touched.
    static func forget(
        _ names: some Sequence<ObjectName>, touchedBy version: ServerVersion, in transaction: Transaction
    ) throws(StoreFailure) {
        var lives: [Int: UInt32] = [:]
        for name in names {
            guard let end = try End.load(name, in: transaction), end.met == version else { continue }
            End.remove(name, in: transaction)
            lives[name.classNumber] = max(lives[name.classNumber] ?? 0, end.life)
        }
        for (classNumber, life) in lives.sorted(by: { $0.key < $1.key }) {
            var forgotten = try load(classNumber, in: transaction)
            forgotten.version = max(forgotten.version, version)
            forgotten.lifeMax = max(forgotten.lifeMax, life)
            forgotten.save(classNumber, in: transaction)
        }
    }

    /// Forgets all objects of a class at once, without a tombstone for each: a writer that has not seen this version
    /// may mean one of them.
    ///
    /// - Parameter lifeMax: the greatest life of an object that is gone.
    static func forgetAll(
        _ classNumber: Int, at version: ServerVersion, lifeMax: UInt32, in transaction: Transaction
    ) throws(StoreFailure) {
        var forgotten = try load(classNumber, in: transaction)
        forgotten.version = max(forgotten.version, version)
        forgotten.lifeMax = max(forgotten.lifeMax, min(lifeMax, Operation.lifeMax) + 1)
        forgotten.save(classNumber, in: transaction)
    }

    private func save(_ classNumber: Int, in transaction: Transaction) {
        var writer = ByteWriter()
        writer.write(varint: version.rawValue)
        writer.write(varint: UInt64(lifeMax))
        transaction.tree(Layout.forgotten).put(Self.place(classNumber), writer.bytes)
    }

    private static func place(_ classNumber: Int) -> [UInt8] {
        Layout.bytes(UInt32(truncatingIfNeeded: classNumber))
    }
}
