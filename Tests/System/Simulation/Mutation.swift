/// Something made wrong on purpose: the checks have to find it.
enum Mutation: String, CaseIterable, Sendable {
    // The server's record.
    case changesetSkipped, changesetAppliedTwice, oneWayEntryLost
    // The view.
    case enterNotTold, updateNotTold, editsNotTold, leaveNotTold, deleteNotTold, rulesForgotten, resyncFindsNothing,
        cutForgotten
    // The device.
    case pendingWriteForgotten, checkpointWithoutData, evictionDeletes
    // Coming to rest.
    case uploadNeverTaken, markNeverAnswered
}
