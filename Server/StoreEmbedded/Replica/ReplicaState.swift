package import CausewayJournal
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// What a replica keeps in the tree `meta` beside what every record keeps.

extension JournalMark {
    private static let name = Array("journal".utf8)

    /// Nil in a record that is no replica.
    static func load(in transaction: Transaction) throws(StoreFailure) -> JournalMark? {
        guard let bytes = transaction.tree(Layout.meta).get(name) else { return nil }
        do {
            return try JournalMark(encoded: bytes)
        } catch {
            throw StoreFailure(damaged: Layout.meta, error)
        }
    }

    func save(in transaction: Transaction) {
        transaction.tree(Layout.meta).put(Self.name, encoded)
    }

    static func remove(in transaction: Transaction) { transaction.tree(Layout.meta).remove(name) }
}

extension RecordSettings {
    private static let name = Array("settings".utf8)

    static func load(in transaction: Transaction) throws(StoreFailure) -> RecordSettings? {
        guard let bytes = transaction.tree(Layout.meta).get(name) else { return nil }
        do {
            return try RecordSettings(encoded: bytes)
        } catch {
            throw StoreFailure(damaged: Layout.meta, error)
        }
    }

    func save(in transaction: Transaction) {
        transaction.tree(Layout.meta).put(Self.name, encoded)
    }

    static func remove(in transaction: Transaction) { transaction.tree(Layout.meta).remove(name) }
}

extension ClientKeeping {
    private static let name = Array("keeping".utf8)

    /// Where the replica's last look at its clients ended.
    static func load(in transaction: Transaction) throws(StoreFailure) -> ClientKeeping {
        guard let bytes = transaction.tree(Layout.meta).get(name) else { return ClientKeeping() }
        do {
            var reader = ByteReader(bytes)
            let day = try reader.readVarint()
            let next = try reader.readByte() == 0 ? nil : try reader.readFixed64()
            try reader.finish()
            return ClientKeeping(next: next, day: day)
        } catch {
            throw StoreFailure(damaged: Layout.meta, error)
        }
    }

    func save(in transaction: Transaction) {
        var writer = ByteWriter()
        writer.write(varint: day)
        writer.write(byte: next == nil ? 0 : 1)
        if let next { writer.write(fixed64: next) }
        transaction.tree(Layout.meta).put(Self.name, writer.bytes)
    }

    static func remove(in transaction: Transaction) { transaction.tree(Layout.meta).remove(name) }
}

extension StoreEmbedded.Options {
    /// What the state of a record depends on. The rest is the machine's: where the file lies and how large it may be.
    package var settings: RecordSettings {
        get {
            RecordSettings(
                historyVersionsMax: historyVersionsMax, historyBytesMax: historyBytesMax,
                historyAgeMaxMilliseconds: historyAgeMaxMilliseconds, editedBytesMin: editedBytesMin,
                refusalBytesMax: refusalBytesMax, toldRefusalBytesMax: toldRefusalBytesMax, refusalsMax: refusalsMax,
                pastEntriesMax: pastEntriesMax, ruleElementsMax: ruleElementsMax, receiptsMax: receiptsMax,
                receiptAgeMaxMilliseconds: receiptAgeMaxMilliseconds, schemaBounds: schemaBounds,
                clientDaysMax: clientDaysMax, objectsOfUserMax: objectsOfUserMax)
        }
        set {
            historyVersionsMax = newValue.historyVersionsMax
            historyBytesMax = newValue.historyBytesMax
            historyAgeMaxMilliseconds = newValue.historyAgeMaxMilliseconds
            editedBytesMin = newValue.editedBytesMin
            refusalBytesMax = newValue.refusalBytesMax
            toldRefusalBytesMax = newValue.toldRefusalBytesMax
            refusalsMax = newValue.refusalsMax
            pastEntriesMax = newValue.pastEntriesMax
            ruleElementsMax = newValue.ruleElementsMax
            receiptsMax = newValue.receiptsMax
            receiptAgeMaxMilliseconds = newValue.receiptAgeMaxMilliseconds
            schemaBounds = newValue.schemaBounds
            clientDaysMax = newValue.clientDaysMax
            objectsOfUserMax = newValue.objectsOfUserMax
        }
    }
}
