/// Something made wrong on purpose: the checks have to find it.
enum Mutation: String, CaseIterable, Sendable {
    // The server's record.
    case changesetSkipped, changesetAppliedTwice, oneWayEntryLost
    // The journal; only where there are nodes.
    case entryAppliedTwice, entrySkipped, entriesSwapped, configurationLeaks
    // The view.
    case enterNotTold, updateNotTold, editsNotTold, leaveNotTold, deleteNotTold, rulesForgotten, resyncFindsNothing,
        cutForgotten
    // The device.
    case pendingWriteForgotten, checkpointWithoutData, evictionDeletes
    // Coming to rest.
    case uploadNeverTaken, markNeverAnswered

    /// Whether it is about one node that does otherwise than the others.
    var isOfNodes: Bool {
        [.entryAppliedTwice, .entrySkipped, .entriesSwapped, .configurationLeaks].contains(self)
    }
}
