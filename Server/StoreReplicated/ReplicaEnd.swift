/// Why a node no longer serves a database from the replica that it has.
package struct ReplicaEnd: Hashable, Sendable {
    package enum Remedy: Hashable, Sendable {
        /// The replica is thrown away, and made anew from a snapshot or from the journal's beginning.
        case beginAgain
        /// Somebody has to look: the file stays as it is. What is wrong with it may end without that.
        case operatorNeeded
        /// The state is not that of the other nodes. Nothing is served from the file any more, whatever the journal says later.
        case stateDiffers
    }

    package var remedy: Remedy
    /// What happened and what to do, for the operator.
    package var message: String

    package init(_ remedy: Remedy, _ message: String) {
        self.remedy = remedy
        self.message = message
    }
}
