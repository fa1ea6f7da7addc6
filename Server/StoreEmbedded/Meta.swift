import CausewayModel
import CausewayObjectStore

/// The few numbers of the database as a whole.
struct Meta {
    var epoch: UInt64
    var version: ServerVersion
    /// The oldest version from which differences can be told.
    var historyStart: ServerVersion
    var historyBytes: UInt64
    /// When the oldest version that is kept was received, in milliseconds; zero while there is none.
    var oldestTime: UInt64
    /// When the last upload was received, in milliseconds, by a clock that is believed: see `receive(at:)`.
    var received: UInt64
    /// The first reading of a clock that leapt and is not believed yet; zero while there is none.
    var leapStart: UInt64
    /// The reading at which a leap was last believed; zero while none was. What was received before counts as received then.
    var leapEnd: UInt64
    /// The latest stamp that was given here.
    var newestStamp: UInt64
    /// The version at which the objects of users were last counted: the newest one, except in a record that an earlier
    /// build has written.
    private(set) var counted: ServerVersion
    /// Of the trees that the record keeps beside the objects; see ``Layout``. Zero in a file of an earlier build.
    private(set) var form: UInt64

    /// Raised when an earlier build could no longer read what is written: it refuses a higher one.
    ///
    /// 1. Records of the history hold their small images.
    static let formNewest: UInt64 = 1
    /// Of a replica: whoever knows no journal must not write to it. Far from the forms that other records will have.
    static let formOfReplica: UInt64 = 1_000

    init(in transaction: Transaction) {
        let tree = transaction.tree(Layout.meta)
        func number(_ name: String) -> UInt64 { Self.number(name, tree) }
        epoch = number("epoch")
        version = ServerVersion(number("version"))
        historyStart = ServerVersion(number("historyStart"))
        historyBytes = number("historyBytes")
        oldestTime = number("oldestTime")
        received = number("received")
        leapStart = number("leapStart")
        leapEnd = number("leapEnd")
        newestStamp = number("newestStamp")
        counted = ServerVersion(number("counted"))
        form = number("form")
    }

    /// `received` alone.
    static func received(in transaction: Transaction) -> UInt64 {
        number("received", transaction.tree(Layout.meta))
    }

    private static func number(_ name: String, _ tree: Tree) -> UInt64 {
        tree.get(Array(name.utf8)).flatMap { bytes in bytes.withUnsafeBytes { Layout.number($0) } } ?? 0
    }

    func save(in transaction: Transaction, isReplica: Bool) {
        let tree = transaction.tree(Layout.meta)
        for (name, number) in [
            ("epoch", epoch), ("version", version.rawValue), ("historyStart", historyStart.rawValue),
            ("historyBytes", historyBytes), ("oldestTime", oldestTime),
            ("received", received), ("leapStart", leapStart), ("leapEnd", leapEnd), ("newestStamp", newestStamp),
            // Whoever makes a version counts what it does.
            ("counted", version.rawValue), ("form", isReplica ? Self.formOfReplica : Self.formNewest),
        ] {
            tree.put(Array(name.utf8), Layout.bytes(number))
        }
    }
}
