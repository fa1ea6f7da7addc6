// The invariants of Conversation.swift, checked in debug builds after every event.

extension Conversation {
    func assertInvariants(after actions: [Action]) {
        assert(
            actions.allSatisfy { action in
                action.attempt.map { named in
                    if case .disconnect = action { named <= attempt } else { named == attempt }
                } ?? true
            }, "2: an action names another attempt than \(attempt.number): \(actions)")
        assert(
            actions.count(where: \.isWorkOfDownload) <= 1,
            "3: the file is given more than one piece of the download at once: \(actions)")
        assert(
            deadline.map { deadline in armed.map { $0 <= deadline } ?? false } ?? true, "4: no wake is armed in time")
        assert(upload.isConsistent && ingest.isConsistent, "a lane has dropped what it never logged")
    }
}

extension Outbox {
    /// Nothing has left the log that was never in it.
    fileprivate var isConsistent: Bool { dropped <= logged }
}

extension Conversation.Action {
    fileprivate var attempt: Conversation.Attempt? {
        switch self {
        case .sendHello(let attempt), .openDownload(let attempt, _), .upload(let attempt, _, _, _),
            .ingest(let attempt, _, _), .sendQueries(let attempt, _), .sendMark(let attempt, _, _),
            .sendCredit(let attempt, _, _), .sendDigests(let attempt, _), .disconnect(let attempt, _),
            .digest(let attempt, _):
            attempt
        case .renewToken, .apply, .spill, .refill, .beginAgain, .setAside, .dropOneWay, .queriesRefused, .wake, .finish,
            .fail, .report:
            nil
        }
    }

    fileprivate var isWorkOfDownload: Bool {
        switch self {
        case .apply, .spill, .digest: true
        default: false
        }
    }
}
