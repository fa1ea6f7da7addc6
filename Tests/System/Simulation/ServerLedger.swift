import CausewayModel
import CausewayOperations

/// What outlives the processes of the server, and is of the whole database whichever node does it: for the checks, and what
/// operators decide.
final class ServerLedger {
    var access = ServerAccess()
    /// Which entries are refused as a whole.
    var obstinacy = Obstinacy()
    /// Every operation that the record ever refused, by its changeset and its place there.
    var refused: [ClientID: Set<[UInt64]>] = [:]
    /// Every changeset that ever reached the record, for sending it again.
    var delivered: [ClientID: [Changeset]] = [:]
    /// Clients that could not send again all that a restored server lacks.
    var incomplete: Set<ClientID> = []
    /// How often the database became an older one.
    var restores = 0
}
