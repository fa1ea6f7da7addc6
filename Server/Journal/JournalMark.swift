package import CausewayOperations

/// Up to where a replica has applied the journal. It is stored in the transaction that applies the entry.
package struct JournalMark: Hashable, Sendable {
    /// Of the last entry; zero before the first.
    package var position: UInt64
    /// Of everything up to there.
    package var chain: JournalHash
    /// The generation that the journal's entries may need by now.
    package var generation: UInt64

    package init(position: UInt64, chain: JournalHash, generation: UInt64) {
        self.position = position
        self.chain = chain
        self.generation = generation
    }

    /// Of a replica that has applied nothing.
    package static func beginning(of database: UInt64) -> JournalMark {
        JournalMark(position: 0, chain: .empty(of: database), generation: JournalGeneration.first)
    }

    /// After another entry.
    package func followed(by entry: JournalEntry, _ stored: StoredEntry) -> JournalMark {
        var next = JournalMark(position: stored.position, chain: stored.chain, generation: generation)
        if case .generation(let wanted) = entry.body { next.generation = max(generation, wanted) }
        return next
    }

    package init(encoded bytes: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(bytes)
        position = try reader.readVarint()
        guard let chain = JournalHash(try reader.readBytes(count: JournalHash.sizeBytes)) else {
            throw reader.malformed("a hash has another length")
        }
        self.chain = chain
        generation = try reader.readVarint()
        try reader.finish()
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.write(varint: position)
        writer.write(raw: chain.bytes)
        writer.write(varint: generation)
        return writer.bytes
    }
}
