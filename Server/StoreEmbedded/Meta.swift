import CausewayModel
import CausewayObjectStore

/// The few numbers of the database as a whole.
struct Meta {
    var epoch: UInt64
    var version: ServerVersion
    /// Differences can be told from this version on.
    var historyStart: ServerVersion
    var historyBytes: UInt64
    /// When the oldest version that is kept was received, in milliseconds; zero while there is none.
    var oldestTime: UInt64
    /// When the last upload was received, in milliseconds, by a clock that is believed: see `receive(at:leap:)`.
    var received: UInt64
    /// The first reading of a clock that leapt and is not believed yet; zero while there is none.
    var leapStart: UInt64
    /// To what time a leap last took `received` back. Versions that seem to be younger than now were received before.
    var setBack: UInt64
    /// The latest stamp that was given here.
    var newestStamp: UInt64

    init(in transaction: Transaction) {
        let tree = transaction.tree(Layout.meta)
        func number(_ name: String) -> UInt64 {
            tree.get(Array(name.utf8)).flatMap { bytes in bytes.withUnsafeBytes { Layout.number($0) } } ?? 0
        }
        epoch = number("epoch")
        version = ServerVersion(number("version"))
        historyStart = ServerVersion(number("historyStart"))
        historyBytes = number("historyBytes")
        oldestTime = number("oldestTime")
        received = number("received")
        leapStart = number("leapStart")
        setBack = number("setBack")
        newestStamp = number("newestStamp")
    }

    func save(in transaction: Transaction) {
        let tree = transaction.tree(Layout.meta)
        for (name, number) in [
            ("epoch", epoch), ("version", version.rawValue), ("historyStart", historyStart.rawValue),
            ("historyBytes", historyBytes), ("oldestTime", oldestTime),
            ("received", received), ("leapStart", leapStart), ("setBack", setBack), ("newestStamp", newestStamp),
        ] {
            tree.put(Array(name.utf8), Layout.bytes(number))
        }
    }
}

// MARK: - A clock that may be wrong for a moment

extension Meta {
    /// Takes a reading of the clock in.
    ///
    /// Within `leap` of what was read before, the time goes on, or stays where the clock goes back a little. A leap beyond
    /// that, either way, is believed once the clock has stood by it for ten minutes: one reading of the year 2099 lets
    /// nothing of the history go, and what the clock says after a year without commits is not doubted for long.
    mutating func receive(at time: UInt64, leap: UInt64) {
        let distance = time > received ? time - received : received - time
        guard received > 0, distance > leap else {
            received = max(received, time)
            leapStart = 0
            return
        }
        guard leapStart > 0, time >= leapStart, time - leapStart <= leap else {
            leapStart = time
            return
        }
        guard time - leapStart >= Self.leapConfirmedMilliseconds else { return }
        if time < received { setBack = time }
        received = time
        leapStart = 0
        oldestTime = whenReceived(oldestTime)
    }

    private static let leapConfirmedMilliseconds: UInt64 = 600_000

    /// When a version was received that says that it was at some time.
    func whenReceived(_ time: UInt64) -> UInt64 { time > received && setBack > 0 ? min(time, setBack) : time }
}

extension StoreEmbedded.Options {
    /// A clock is believed at once that goes on by so much.
    var leapMilliseconds: UInt64 { max(86_400_000, historyAgeMaxMilliseconds / 2) }
}
