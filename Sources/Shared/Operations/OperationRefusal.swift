/// An operation of a changeset or one-way entry that the server refused for good.
package struct OperationRefusal: Hashable, Sendable {
    /// The number of the changeset or the entry.
    package var sequence: UInt64
    /// The index of the operation in it, from 0.
    package var operation: UInt64
    /// A code of the table in PROTOCOL.md.
    package var code: UInt32
    /// A sentence for people.
    package var reason: String

    package init(sequence: UInt64, operation: UInt64, code: UInt32, reason: String) {
        self.sequence = sequence
        self.operation = operation
        self.code = code
        self.reason = reason
    }
}
