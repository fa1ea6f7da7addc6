import CausewayEnvironment
import CausewayModel
import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayPostgreSQL
import CausewaySinks
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import Foundation
import Logging
import Synchronization

/// What a database has on a server that is one of several nodes: its replica, and the journal that the replica follows.
final class ServedNode: Sendable {
    let replica: StoreEmbedded
    let record: StoreReplicated
    let journal: PostgreSQLJournal
    /// Whether this node has the webhooks and sinks at work.
    let turn: CarrierTurn
    /// Whether the journal did not answer when it was last followed.
    private let isAway = Atomic(false)
    /// When it was followed to its end.
    private let followed = Mutex(ContinuousClock.now)
    /// The version that devices were told of last.
    private let told = Mutex(ServerVersion.zero)

    private init(
        _ replica: StoreEmbedded, _ record: StoreReplicated, _ journal: PostgreSQLJournal, _ turn: CarrierTurn
    ) {
        (self.replica, self.record, self.journal, self.turn) = (replica, record, journal, turn)
    }

    /// Opens the replica in the database's folder, or begins one, and brings it up to the journal's head.
    ///
    /// A replica that has what the journal has lost is made anew.
    static func open(
        _ database: Configuration.Database, _ journal: Configuration.Journal, _ options: StoreEmbedded.Options,
        _ logger: Logger
    ) throws(CommandFailure) -> ServedNode {
        let ended: ReplicaEnd
        switch try begin(database, journal, options) {
        case .ready(let node): return node
        case .ended(let end): ended = end
        }
        guard ended.remedy == .beginAgain else {
            throw failure(database, StoppedReplica(inFolder: database.folder).note(ended))
        }
        logger.warning("\(ended.message)", metadata: ["database": "\(database.name)"])
        let file = DatabaseFolder(database.folder).objectsPath
        do {
            try FileManager.default.removeItem(atPath: file)
        } catch {
            throw failure(
                database, "The replica \(file) cannot be removed: \(error.localizedDescription) Remove it by hand.")
        }
        switch try begin(database, journal, options) {
        case .ready(let node): return node
        case .ended(let end): throw failure(database, end.message)
        }
    }

    private enum Beginning {
        case ready(ServedNode)
        /// The replica cannot be used.
        case ended(ReplicaEnd)
    }

    private static func begin(
        _ database: Configuration.Database, _ journal: Configuration.Journal, _ options: StoreEmbedded.Options
    ) throws(CommandFailure) -> Beginning {
        if let reason = StoppedReplica(inFolder: database.folder).reason { throw failure(database, reason) }
        let found: PostgreSQLJournal
        do throws(JournalFailure) {
            found = try PostgreSQLJournal.open(database.name, journal.settings) { SystemRandom().nextNonZero() }
            // An empty replica would read the whole journal, and its beginning may be gone.
            if DatabaseFolder(database.folder).hasNoObjects, let newest = try found.snapshots().first {
                try found.load(newest, into: DatabaseFolder(database.folder).objectsPath)
            }
        } catch {
            throw failure(database, error.message)
        }
        let replica: StoreEmbedded
        do throws(StoreFailure) {
            replica = try StoreEmbedded.openReplica(
                folder: database.folder, options: options, of: found.database)
        } catch {
            let file = DatabaseFolder(database.folder).objectsPath
            throw failure(
                database,
                "\(error.message) It is a copy of what the journal has. If the file is damaged, delete \(file): the node makes it again."
            )
        }
        var record: StoreReplicated?
        do throws(StoreFailure) {
            let following = try StoreReplicated(replica, following: found)
            record = following
            try following.begin(with: options.settings)
            // Of before: who is shut out is read from the state.
            _ = following.takeActs()
            return .ready(
                ServedNode(replica, following, found, CarrierTurn(of: database.name, journal.settings)))
        } catch {
            replica.close()
            if let end = record?.end { return .ended(end) }
            throw failure(database, record?.lastTrouble ?? error.message)
        }
    }

    private static func failure(_ database: Configuration.Database, _ reason: String) -> CommandFailure {
        CommandFailure("The database '\(database.name)' could not be opened: \(reason)")
    }

    /// Whether the journal answered last time, and the replica follows it.
    var answers: Bool { !isAway.load(ordering: .relaxed) && record.end == nil }

    /// When the replica had everything that was in the journal.
    var followedTo: ContinuousClock.Instant { followed.withLock { $0 } }

    /// Applies what other nodes have appended.
    ///
    /// - Returns: whether there is anything since it was followed last, whoever applied it.
    func follow(_ logger: Logger) -> Bool {
        do throws(StoreFailure) {
            try record.catchUp()
            followed.withLock { $0 = .now }
            if isAway.exchange(false, ordering: .relaxed) { logger.notice("the journal answers again") }
        } catch  where record.isWaitingToBeAlone {
            // The journal answers: what comes next needs that nobody is here.
        } catch {
            if record.end == nil, !isAway.exchange(true, ordering: .relaxed) {
                logger.error(
                    "the journal cannot be followed; devices are shown what is here: \(record.lastTrouble ?? error.message)"
                )
            }
        }
        let version = record.version
        return told.withLock { told in
            defer { told = version }
            return told != version
        }
    }
}

extension Configuration.Journal {
    /// Read at each connecting, so that a password can be changed.
    var settings: PostgreSQLSettings {
        { [connectionFile] () throws(PostgreSQLFailure) in
            do throws(SinkFailure) {
                return try SecretFile.text(of: connectionFile)
            } catch {
                throw PostgreSQLFailure(.settingsWrong, error.message)
            }
        }
    }
}
