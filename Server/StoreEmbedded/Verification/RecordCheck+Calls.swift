import CausewayModel
import CausewayObjectStore
import CausewayStore

// Rule 12: receipts of calls and their order.

extension RecordCheck {
    func checkReceipts() {
        let (receipts, order) = (transaction.tree(Layout.receipts), transaction.tree(Layout.receiptOrder))
        receipts.scan { key, value in
            guard let receipt = ReceiptTree.entry(Array(value)) else {
                report.note("A receipt of a call cannot be read.")
                return true
            }
            checkVersion(receipt.version, "Receipt \(receipt.number) of a call")
            if order.get(Layout.bytes(receipt.number)).map({ $0.elementsEqual(key) }) != true {
                report.note("Receipt \(receipt.number) of a call is not in the order of receipts.")
            }
            return true
        }
        var last: UInt64?
        order.scan { key, place in
            guard key.count == 8, let number: UInt64 = Layout.number(key) else {
                report.note("A key of the tree '\(Layout.receiptOrder)' has \(key.count) bytes instead of 8.")
                return true
            }
            if receipts.get(Array(place)) == nil { report.note("Receipt \(number) of a call is missing.") }
            if let last, number != last + 1 {
                report.note("The order of receipts goes from number \(last) to \(number).")
            }
            last = number
            return true
        }
    }
}
