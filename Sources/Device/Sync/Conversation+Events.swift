package import CausewayMerge
package import CausewayOperations
package import CausewayWire

extension Conversation {
    /// What the driver tells the conversation.
    package enum Event: Hashable, Sendable {
        // What the app does.
        case resumed
        case suspended
        /// Connect now, without waiting for the backoff; what was refused is tried once more.
        case reconnect
        /// The app has logged in again.
        case tokenChanged
        /// When the token of calls from now on expires, by the server's clock in milliseconds since 1970; nil if
        /// unknown.
        case tokenLasts(until: UInt64?)
        /// There is a new token, as `renewToken` asked.
        case tokenRenewed
        /// There is no new token, and why; nil if there is nothing to get one with.
        case renewalFailed(TransportFailure?)
        /// A transaction of the app is in the log, which now ends here.
        case committed(Logged)
        case queriesChanged(version: UInt64)
        /// The file has classes or properties that the hello did not name.
        case schemaChanged
        case waitForUpload(Waiter)
        case waitForDownload(Waiter)
        case waitCancelled(Waiter)

        // What becomes of calls. Those of an older attempt are ignored.
        case welcomed(Attempt, Welcome, Greeting)
        /// The batch that was asked for is on its way, and so many bytes of the log are in it.
        case departed(Attempt, Lane, bytes: Int)
        case uploadAnswered(Attempt, UploadAnswer)
        case uploadFoundNothing(Attempt)
        case ingestAnswered(Attempt, through: UInt64)
        case ingestFoundNothing(Attempt)
        case queriesTaken(Attempt, version: UInt64)
        case creditTaken(Attempt)
        case received(Attempt, DownloadMessage, bytes: Int)
        case downloadClosed(Attempt)
        case failed(Attempt, Call, TransportFailure)
        /// The file cannot supply what a call was to carry at the moment, and why. A lasting failure is `failed`.
        case fileUnreadable(Attempt, String)

        // What the file answers.
        case spilled
        /// The answer to `digest`. It outlives its connection, as all work of the file, and is then useless.
        case digested(Attempt, number: UInt64, [DigestReport])
        case applied(acknowledged: UInt64)
        /// What the server has lost after this number is in the log again.
        case refilled(after: UInt64)
        /// The refill failed, and why.
        case refillFailed(String)
        /// The file goes on as another client; these entries are not counted any more, and its logs end here.
        case beganAgain(passed: Logged, logged: Logged)
        /// What `setAside` asked for is done, or could not be.
        case setAside(Lane)
        case setAsideFailed(Lane, String)
        case fileFailed(String)
        /// The change acknowledges a changeset that another copy of the file made: nothing of it is applied.
        case ofCopy

        case timer
    }

    /// What the conversation asks of the driver.
    package enum Action: Hashable, Sendable {
        case sendHello(Attempt)
        case openDownload(Attempt, session: UInt64)
        /// Send what the log has after this number, up to `batchBytes` of the lane; or only the first entry of it.
        case upload(Attempt, session: UInt64, after: UInt64, alone: Bool = false)
        case ingest(Attempt, after: UInt64, alone: Bool = false)
        case sendQueries(Attempt, session: UInt64)
        case sendMark(Attempt, session: UInt64, id: UInt64)
        case sendCredit(Attempt, session: UInt64, bytes: UInt64)
        case sendDigests(Attempt, ResyncRequest)
        /// Cancel every call of this attempt. In doubt: because the server was not heard in time.
        case disconnect(Attempt, inDoubt: Bool = false)
        /// Get a new token and report the result. Asked before the current token expires if its end is known, otherwise
        /// afterwards.
        case renewToken

        case apply([ViewChange])
        case spill([ViewChunk], from: Int)
        /// Make digests of what the file holds.
        case digest(Attempt, DigestQuestion)
        /// Put back into the log what the server has lost: everything after this number.
        case refill(after: UInt64)
        /// Go on as another client: the file was copied, or restored from a backup, and what it made after these
        /// numbers is not what the server has under the client's name. `refused` names refused operations; those of
        /// later changesets are another copy's.
        case beginAgain(after: Logged, refused: [OperationRefusal])
        /// Move what was refused of an entry to the quarantine. The rest of the entry stays, even if it is only the
        /// number.
        case setAside(Refused)
        /// One-way entries up to this number are on the server.
        case dropOneWay(through: UInt64)
        case queriesRefused(version: UInt64, SyncFailure)

        /// Send `timer` at this moment; replaces an earlier wish.
        case wake(Moment)
        case finish(Waiter)
        case fail(Waiter, Trouble)
        case report(Trouble)
    }

    /// The number of one attempt at a session. Answers to earlier attempts are ignored.
    package struct Attempt: Hashable, Comparable, Sendable {
        package var number: UInt64

        package init(number: UInt64) {
            self.number = number
        }

        package static func < (left: Attempt, right: Attempt) -> Bool {
            left.number < right.number
        }
    }

    /// Names one caller that waits.
    package struct Waiter: Hashable, Sendable {
        package var number: UInt64

        package init(number: UInt64) {
            self.number = number
        }
    }

    /// The ends of the two logs in the file.
    package struct Logged: Hashable, Sendable {
        package var changesets: UInt64
        package var oneWay: UInt64

        package init(changesets: UInt64, oneWay: UInt64) {
            self.changesets = changesets
            self.oneWay = oneWay
        }
    }

    /// What an answered hello had said.
    package struct Greeting: Hashable, Sendable {
        package var wanted: UInt64
        package var logged: Logged
        /// The last numbers that have left the file's logs; nil if the file was not asked. Only the file knows: a
        /// commit that failed may have taken effect, and one that was counted on may have failed.
        package var dropped: Logged?
        /// What the file keeps of a change that was cut, if the hello told of it.
        package var staged: StagedChange?
        /// Which openings of the file made its changesets.
        package var openings: Openings
        /// Which of them made its one-way entries.
        package var oneWayOpenings: Openings

        package init(
            wanted: UInt64, logged: Logged, dropped: Logged? = nil, staged: StagedChange? = nil,
            openings: Openings = Openings(), oneWayOpenings: Openings = Openings()
        ) {
            self.staged = staged
            self.openings = openings
            self.oneWayOpenings = oneWayOpenings
            self.wanted = wanted
            self.logged = logged
            self.dropped = dropped
        }
    }

    /// The two logs that are sent to the server.
    package enum Lane: Hashable, Sendable {
        case changesets, oneWay
    }

    /// What the server refuses for good, by its number.
    package enum Refused: Hashable, Sendable {
        case changeset(UInt64, SyncFailure)
        case oneWay(UInt64, SyncFailure)
        /// Some operations of one-way entries.
        case oneWayOperations([OperationRefusal])

        package var lane: Lane {
            switch self {
            case .changeset: .changesets
            case .oneWay, .oneWayOperations: .oneWay
            }
        }
    }

    package enum Call: Hashable, Sendable {
        case hello, upload, download, credit, digests, queries, ingest
        case mark(UInt64)
    }
}

/// What the app should hear about.
package enum Trouble: Error, Hashable, Sendable {
    /// The first failure of an outage; attempts go on.
    case interrupted(TransportFailure)
    /// Attempts have ended until the app or the operator does something.
    case stopped(TransportFailure)
    /// One lane stands still: the entry after this number was refused. It stays in the log.
    case uploadRefused(SyncFailure, after: UInt64)
    case ingestRefused(SyncFailure, after: UInt64)
    /// The file could not take what the server sent.
    case file(String)
    /// The server was restored from an older copy, and so many changesets up to a number exist nowhere any more but in
    /// the objects of this file.
    case changesetsLost(UInt64, through: UInt64)

    package var message: String {
        switch self {
        case .interrupted(let failure), .stopped(let failure): failure.message
        case .uploadRefused(let failure, _), .ingestRefused(let failure, _): failure.message
        case .file(let message): message
        case .changesetsLost(let count, let last):
            "The server was restored from an older copy, and this device does not keep \(count) of the changes that the "
                + "server had acknowledged (up to number \(last)). What they did and no other device has is lost on the "
                + "server; newer changes are sent again."
        }
    }
}

/// The connection as the app sees it.
package enum ConnectionState: Hashable, Sendable {
    case disconnected, connecting, connected
}
