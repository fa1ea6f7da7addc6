import CausewayStorage

/// The long texts that a transaction has opened.
final class OpenTexts {
    private struct Place: Hashable {
        var column: UInt32
        var row: Int64
    }

    private var texts: [Place: OpenText] = [:]
    /// The text used last, which is nearly always the one used next.
    private var last: OpenText?
    /// What the texts that were joined take in memory.
    var joinedBytes = 0
    /// Above it, a reader goes on with texts that it has not joined yet.
    private static let joinedMax = 64 << 20

    var isCrowded: Bool { joinedBytes > Self.joinedMax }

    func known(_ column: UInt32, _ row: Int64) -> OpenText? {
        if let last, last.column == column, last.row == row { return last }
        guard !texts.isEmpty, let found = texts[Place(column: column, row: row)] else { return nil }
        last = found
        return found
    }

    func add(_ text: OpenText) {
        texts[Place(column: text.column, row: text.row)] = text
        last = text
    }

    /// The row has another value now, or none.
    func drop(_ column: UInt32, _ row: Int64) {
        if let last, last.column == column, last.row == row { self.last = nil }
        if !texts.isEmpty { texts[Place(column: column, row: row)] = nil }
    }

    func forgetAll() {
        last = nil
        if !texts.isEmpty { texts = [:] }
        joinedBytes = 0
    }

    /// The changed texts of a table.
    func changed(of table: Table) -> [OpenText] {
        texts.isEmpty ? [] : texts.values.filter { $0.owner.map { $0.table === table } ?? false }
    }
}

extension Transaction {
    /// A text that lies outside of its leaf; nil when it is missing, which is noted as damage.
    func openText(_ column: UInt32, _ row: Int64) -> OpenText? {
        if let known = texts.known(column, row) { return known }
        guard let entry = LongValues.bytes(column, row, in: reader),
            let text = OpenText(stored: entry, column, row, self)
        else {
            noteDamage(store.damaged())
            return nil
        }
        texts.add(text)
        return text
    }

    /// The bytes of a value that lies outside of its leaf; nil when they are missing, which is noted as damage.
    func longValue(_ column: UInt32, _ row: Int64, isText: Bool) -> UnsafeRawBufferPointer? {
        if isText, let known = texts.known(column, row) { return known.joined }
        guard let bytes = LongValues.bytes(column, row, in: reader) else {
            noteDamage(store.damaged())
            return nil
        }
        return isText && TextHead.isHead(bytes) ? openText(column, row)?.joined : bytes
    }
}
