package import CausewayModel
package import CausewayStore
package import CausewayWire

/// Told what happens in the sessions of one database. Called on the threads of the work, so it must be quick and must
/// not block.
package protocol SessionObserver: Sendable {
    func observe(_ event: SessionEvent)
}

package struct NoSessionObserver: SessionObserver {
    package init() {}
    package func observe(_ event: SessionEvent) {}
}

package enum SessionEvent: Sendable {
    /// A hello was answered.
    case greeted(Greeting)
    /// A session is over.
    case ended(SessionParty, SessionEnding, lifeMilliseconds: UInt64)
    /// A hello has added classes and properties, as messages name them.
    case schemaExtended(SessionParty, additions: [String])
    /// An upload was answered.
    case uploaded(Uploaded)
    /// Uploads were committed together, or failed together.
    case committed(Committed)
    /// It was found out whom new commits concern; those who could be told at once were told.
    case looked(Looked)
    /// Devices were told commits.
    case told(Told)
    /// A download waits until its device has consumed more.
    case creditWaited
    /// It was found out what a device lacks.
    case searched(SessionParty, QuerySet, nanoseconds: UInt64)
    /// A one-way batch was answered.
    case ingested(Ingested)
}

/// Who is at the other end.
package struct SessionParty: Hashable, Sendable {
    package var client: ClientID
    package var user: String
    /// Empty where nobody knows it.
    package var address: String
    /// Zero before it opens.
    package var session: UInt64

    package init(client: ClientID, user: String, address: String, session: UInt64 = 0) {
        self.client = client
        self.user = user
        self.address = address
        self.session = session
    }
}

package struct Greeting: Sendable {
    package var party: SessionParty
    /// What the device offered.
    package var protocolVersions: ClosedRange<UInt32>
    package var outcome: Outcome

    package enum Outcome: Hashable, Sendable {
        case opened(protocolVersion: UInt32)
        /// Another copy of the device's file is online.
        case copied
        case refused(SyncFailure.Code)
    }
}

/// Why a session is over.
package enum SessionEnding: Hashable, Sendable {
    /// Its device has left.
    case gone
    /// Its client has opened another one.
    case replaced
    /// Its device never asked for its download.
    case idle
    /// Its device was told this.
    case failed(SyncFailure.Code)
}

package struct Uploaded: Sendable {
    package var party: SessionParty
    /// Why not all of it was applied.
    package var failure: StoreFailure.Code?
    package var tally: CommitTally

    init(party: SessionParty, _ result: Result<CommitOutcome, StoreFailure>) {
        self.party = party
        switch result {
        case .success(let outcome): (failure, tally) = (outcome.failure?.code, outcome.tally)
        case .failure(let error): (failure, tally) = (error.code, CommitTally())
        }
    }
}

package struct Committed: Sendable {
    /// From the first upload's arrival in the line until the commit began, for each upload.
    package var queuedNanoseconds: [UInt64]
    /// Changes as the line counts them.
    package var operations: Int
    package var nanoseconds: UInt64
    /// The newest version afterwards.
    package var version: ServerVersion
    package var failure: StoreFailure.Code?
    /// Whose upload was the largest.
    package var client: ClientID
    package var user: String
    /// When the first of the uploads came.
    package var arrival: ContinuousClock.Instant
}

package struct Looked: Hashable, Sendable {
    package var through: ServerVersion
    package var audiencesConcerned: Int
    package var predicatesEvaluated: Int
    package var predicatesMatched: Int
}

package struct Told: Hashable, Sendable {
    package var sessions: Int
    /// Whether all of them were sent the same.
    package var isShared: Bool
    /// Since the first commit that they were told.
    package var nanoseconds: UInt64
}

package struct Ingested: Sendable {
    package var client: ClientID
    package var user: String
    package var address: String
    /// How many entries the answer acknowledges of the batch.
    package var entries: Int
    package var failure: SyncFailure.Code?
    package var nanoseconds: UInt64
}

extension ContinuousClock.Instant {
    package var elapsedNanoseconds: UInt64 { nanoseconds(until: .now) }

    package func nanoseconds(until end: ContinuousClock.Instant) -> UInt64 {
        let elapsed = duration(to: end).components
        return UInt64(clamping: elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000)
    }
}
