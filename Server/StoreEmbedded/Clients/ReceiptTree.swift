import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// What calls with a key have committed, written in the transaction that applies them. So a call that is made again is
/// known, also after a kill between its commit and its answer.
///
/// | Tree | Value |
/// |---|---|
/// | receipts | varint number, fixed64 fingerprint, varint version, varint time, bytes answer |
/// | receipts.order | the receipt's key in the other tree |
///
/// Numbers ascend without gaps, so the first and the last one tell how many receipts there are.
struct ReceiptTree {
    private let transaction: Transaction

    /// How many old receipts go with each new one.
    static let forgottenAtOnce = 16

    init(in transaction: Transaction) {
        self.transaction = transaction
    }

    struct Entry {
        var number: UInt64
        var time: UInt64
        var receipt: CallReceipt

        var version: ServerVersion { receipt.version }
    }

    func receipt(_ key: CallKey) throws(StoreFailure) -> CallReceipt? {
        guard let bytes = transaction.tree(Layout.receipts).get(Self.place(of: key)) else { return nil }
        return try Self.read(bytes).receipt
    }

    /// Stores a receipt, and forgets some that are too old or too many.
    ///
    /// - Precondition: there is none with this key.
    func append(
        _ receipt: CallTerms.Receipt, _ meta: Meta, _ options: StoreEmbedded.Options
    ) throws(StoreFailure) {
        let place = Self.place(of: receipt.key)
        let number = (last ?? 0) + 1
        var writer = ByteWriter()
        writer.write(varint: number)
        writer.write(fixed64: receipt.fingerprint)
        writer.write(varint: meta.version.rawValue)
        writer.write(varint: meta.received)
        writer.write(bytes: receipt.answer)
        transaction.tree(Layout.receipts).put(place, writer.bytes)
        transaction.tree(Layout.receiptOrder).put(Layout.bytes(number), place)
        try forget(upTo: number, meta, options)
    }

    private func forget(
        upTo newest: UInt64, _ meta: Meta, _ options: StoreEmbedded.Options
    ) throws(StoreFailure) {
        for _ in 0..<Self.forgottenAtOnce {
            guard let (number, place) = oldest, number < newest else { return }
            let receipts = transaction.tree(Layout.receipts)
            if newest - number < options.receiptsMax, let bytes = receipts.get(place) {
                let entry = try Self.read(bytes)
                let kept = meta.whenReceived(entry.time) + options.receiptAgeMaxMilliseconds
                guard kept < meta.received else { return }
            }
            receipts.remove(place)
            transaction.tree(Layout.receiptOrder).remove(Layout.bytes(number))
        }
    }

    private var last: UInt64? {
        var found: UInt64?
        transaction.tree(Layout.receiptOrder).scan(reversed: true) { key, _ in
            found = Layout.number(key)
            return false
        }
        return found
    }

    private var oldest: (number: UInt64, place: [UInt8])? {
        var found: (UInt64, [UInt8])?
        transaction.tree(Layout.receiptOrder).scan { key, place in
            found = Layout.number(key).map { ($0, Array(place)) }
            return false
        }
        return found
    }

    private static func place(of key: CallKey) -> [UInt8] {
        let user = Array(key.user.string.utf8)
        return Layout.bytes(UInt16(clamping: user.count)) + user + Array(key.key.string.utf8)
    }

    private static func read(_ bytes: [UInt8]) throws(StoreFailure) -> Entry {
        do {
            return try Entry(bytes)
        } catch {
            throw StoreFailure(damaged: Layout.receipts, error)
        }
    }

    /// Nil for bytes that cannot be read.
    static func entry(_ bytes: [UInt8]) -> Entry? { try? Entry(bytes) }
}

extension ReceiptTree.Entry {
    fileprivate init(_ bytes: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(bytes)
        let number = try reader.readVarint()
        let fingerprint = try reader.readFixed64()
        let version = ServerVersion(try reader.readVarint())
        let time = try reader.readVarint()
        let receipt = CallReceipt(fingerprint: fingerprint, version: version, answer: try reader.readBytes())
        self.init(number: number, time: time, receipt: receipt)
    }
}
