import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// The stored lineage: one value of the tree `meta`. A count; per run its id as a fixed64 and the version where it
/// began.
extension Lineage {
    private static let name = Array("lineage".utf8)

    static func load(in transaction: Transaction) throws(StoreFailure) -> Lineage {
        guard let bytes = transaction.tree(Layout.meta).get(name) else { return Lineage() }
        do {
            var reader = ByteReader(bytes)
            var runs: [Run] = []
            for _ in 0..<(try reader.readCount(minimumBytesEach: 9)) {
                runs.append(Run(id: try reader.readFixed64(), begin: ServerVersion(try reader.readVarint())))
            }
            try reader.finish()
            return Lineage(runs)
        } catch {
            throw StoreFailure(damaged: Layout.meta, error)
        }
    }

    func save(in transaction: Transaction) {
        var writer = ByteWriter()
        writer.write(varint: UInt64(runs.count))
        for run in runs {
            writer.write(fixed64: run.id)
            writer.write(varint: run.begin.rawValue)
        }
        transaction.tree(Layout.meta).put(Self.name, writer.bytes)
    }
}
