package import CausewayStore

/// Everything that operators decide and that the state of a record depends on. In a journal it is an entry, so that no
/// node's own configuration reaches the state. A record says what each of them means: `StoreEmbedded.Options`.
package struct RecordSettings: Hashable, Sendable {
    package var historyVersionsMax: UInt64
    package var historyBytesMax: UInt64
    package var historyAgeMaxMilliseconds: UInt64
    package var editedBytesMin: Int
    package var refusalBytesMax: UInt64
    package var toldRefusalBytesMax: UInt64
    package var refusalsMax: Int
    package var pastEntriesMax: Int
    package var ruleElementsMax: Int
    package var receiptsMax: UInt64
    package var receiptAgeMaxMilliseconds: UInt64
    package var schemaBounds: SchemaBounds
    package var clientDaysMax: UInt64
    package var objectsOfUserMax: Int?

    package init(
        historyVersionsMax: UInt64, historyBytesMax: UInt64, historyAgeMaxMilliseconds: UInt64, editedBytesMin: Int,
        refusalBytesMax: UInt64, toldRefusalBytesMax: UInt64, refusalsMax: Int, pastEntriesMax: Int,
        ruleElementsMax: Int, receiptsMax: UInt64, receiptAgeMaxMilliseconds: UInt64, schemaBounds: SchemaBounds,
        clientDaysMax: UInt64, objectsOfUserMax: Int?
    ) {
        self.historyVersionsMax = historyVersionsMax
        self.historyBytesMax = historyBytesMax
        self.historyAgeMaxMilliseconds = historyAgeMaxMilliseconds
        self.editedBytesMin = editedBytesMin
        self.refusalBytesMax = refusalBytesMax
        self.toldRefusalBytesMax = toldRefusalBytesMax
        self.refusalsMax = refusalsMax
        self.pastEntriesMax = pastEntriesMax
        self.ruleElementsMax = ruleElementsMax
        self.receiptsMax = receiptsMax
        self.receiptAgeMaxMilliseconds = receiptAgeMaxMilliseconds
        self.schemaBounds = schemaBounds
        self.clientDaysMax = clientDaysMax
        self.objectsOfUserMax = objectsOfUserMax
    }
}
