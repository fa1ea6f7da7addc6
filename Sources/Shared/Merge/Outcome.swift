/// What joining an operation did for those who look at the values.
package enum Outcome: Hashable, Sendable {
    case applied
    /// Nobody's view of the values changed, because something stronger was there. The state may still have learnt
    /// from the operation (a list position that later operations may name), so it is to be kept either way.
    case noEffect
}
