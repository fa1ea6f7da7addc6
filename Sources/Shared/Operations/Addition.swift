package import CausewayModel

/// An addition to a counter: to the value that its writer saw, together with what others add to it.
package struct Addition: Hashable, Sendable {
    /// Sums wrap around at 64 bits, so that they do not depend on their order.
    package var amount: Int64
    /// The stamp of the set that the addition was made on, zero for the value that the object was created with.
    ///
    /// Nil: the current value, whatever it is. The base is never sent: a device does not know the stamps of what it
    /// has, and the server works them out from what the changeset's writer had seen (`RULES.md`, C5).
    package var base: Stamp?

    package init(_ amount: Int64, base: Stamp? = nil) {
        self.amount = amount
        self.base = base
    }
}
