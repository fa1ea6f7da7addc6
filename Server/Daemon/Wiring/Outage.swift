import CausewayDataAPI
import CausewayEndpoint
import CausewayHTTP
import CausewaySession
import CausewayTelemetry
import CausewayWire

/// A database of the configuration that could not be opened: its file is damaged, its disk is gone, or another server has it.
/// The other databases are served, and a reload tries this one again.
struct Outage: Sendable {
    var name: String
    var folder: String
    /// What is wrong and what to do, for the operator. Devices are not told.
    var reason: String
    /// Milliseconds since 1970.
    var since: UInt64
    /// Whether it is being opened anew: devices come again at once.
    var isShort = false

    /// What devices and back ends are told meanwhile.
    var failure: SyncFailure { isShort ? .replicaBeginsAgain : .databaseNotOpen }

    /// - Parameter isNode: whether the database is one of a journal, which does not answer either.
    func samples(isNode: Bool) -> [MetricSample] {
        [MetricSample(MetricCatalog.databaseUp, name, is: 0)]
            + (isNode ? [MetricSample(MetricCatalog.journalAnswers, name, is: 0)] : [])
    }
}

extension SyncFailure {
    /// They try again by themselves.
    fileprivate static let databaseNotOpen = SyncFailure(
        .serverBusy,
        "The server cannot open this database now; its log says why. Nothing is lost: the device keeps its data and its "
            + "unsent changes, and tries again.", retryAfterMilliseconds: 30_000)
}

extension SyncFailure {
    /// What devices are told when a node makes its replica anew.
    static let replicaBeginsAgain = SyncFailure(
        .serverBusy, "The server opens this database anew. Nothing is lost: the device tries again.",
        retryAfterMilliseconds: 1_000)
}

/// Stands for the accounts of a database that is not open.
struct AccountsNotOpen: AccountService {
    private static let answer = AccountServiceAnswer.maintenance(
        "The server cannot open this database now. Try again later.", retryAfterSeconds: 30)

    func admit(_ call: String, token: String?) -> AccountAdmission { .refused(Self.answer) }

    func answer(_ call: String, body: [UInt8], token: String?, peer: String) async -> AccountServiceAnswer {
        Self.answer
    }
}
