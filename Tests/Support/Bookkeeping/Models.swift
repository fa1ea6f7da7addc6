package import Causeway

// A small bookkeeping whose every transaction says exactly what the file must hold: the number of the last
// transaction determines all content. The program that writes it is killed, and the test reads what is left.

/// What a balance belongs to. The balances of all accounts add up to nothing after every transaction.
package final class Account: Object {
    @Persisted(primaryKey: true) package var name: String
    @Persisted package var balance: Int
}

/// One transfer: the log row of one transaction.
package final class Transfer: Object {
    @Persisted(primaryKey: true) package var number: Int
    @Persisted package var amount: Int
    @Persisted(indexed: true) package var kind: String
    @Persisted package var from: Account?
    @Persisted package var to: Account?
    @Persisted package var note: String?
}

/// The counter and the transfers that are still kept, oldest first.
package final class Journal: Object {
    @Persisted(primaryKey: true) package var name: String
    @Persisted package var last: Int
    @Persisted package var transfers: List<Transfer>
}
