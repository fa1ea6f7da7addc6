/// Whether joining an operation changed what anybody sees.
package enum Outcome: Hashable, Sendable {
    case applied
    /// Nobody's view of the values changed, because something stronger was there. The state may still have learnt from
    /// the operation (a list position that later operations may name), so the new state is to be kept either way.
    case noEffect
}
