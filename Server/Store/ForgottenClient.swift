/// What remained of a client that was to be forgotten.
package enum ForgottenClient: Hashable, Sendable {
    /// It never wrote: nothing is left.
    case all
    /// Its numbers stay [I2], with its user and what it was not told of its refusals [I7].
    case partly
}
