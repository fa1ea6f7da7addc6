import CSQLite
import Foundation

/// SQLite through its C interface, as its best users set it up: a write-ahead log that is synced at every commit, a cache
/// that holds the whole file, statements that are prepared once and stay, no locks between threads that share nothing.
final class SQLitePeer {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// After so many pages in its log SQLite moves them to the file at the next commit: its default, said so that the
    /// benchmarks know when that happens.
    static let checkpointPages = 1_000

    /// FULL makes a commit wait for the disk, as ours does.
    static let settings = [
        "journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = \(checkpointPages)",
        "cache_size = -262144", "mmap_size = 1073741824", "temp_store = MEMORY",
    ]

    private var database: OpaquePointer?

    convenience init(_ file: URL, settings: [String] = SQLitePeer.settings) throws {
        try self.init(path: file.path, settings: settings)
    }

    /// A database without a file.
    static func inMemory() throws -> SQLitePeer { try SQLitePeer(path: ":memory:", settings: []) }

    private init(path: String, settings: [String]) throws {
        // One thread uses one connection, which then needs no lock of its own.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &database, flags, nil) == SQLITE_OK else {
            throw Failure(description: "cannot open \(path)")
        }
        for setting in settings { try execute("PRAGMA \(setting)") }
    }

    deinit {
        sqlite3_close(database)
    }

    func execute(_ text: String) throws {
        guard sqlite3_exec(database, text, nil, nil, nil) == SQLITE_OK else { throw failure(text) }
    }

    func prepare(_ text: String) throws -> Statement {
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(database, text, -1, flags, &handle, nil) == SQLITE_OK, let handle else {
            throw failure(text)
        }
        return Statement(handle, of: self)
    }

    private func failure(_ text: String) -> Failure {
        Failure(description: "\(text): \(String(cString: sqlite3_errmsg(database)))")
    }

    // MARK: - Transactions

    /// One durable transaction.
    func write(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        try body()
        try execute("COMMIT")
    }

    /// One snapshot for all that is read: without it each statement takes and leaves its locks.
    func read<Answer>(_ body: () throws -> Answer) throws -> Answer {
        try execute("BEGIN")
        let answer = try body()
        try execute("COMMIT")
        return answer
    }

    /// All that is read from here on is read from one snapshot.
    func keepReading() throws { try execute("BEGIN") }

    /// Moves everything from the log to the file, and lets the planner look at the rows.
    func settle() throws {
        try execute("ANALYZE")
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// What a commit of this connection does, in its own words.
    func durability() throws -> String {
        let mode = try prepare("PRAGMA journal_mode").words()
        let level = try prepare("PRAGMA synchronous").answer().first
        let pages = try prepare("PRAGMA wal_autocheckpoint").answer().first ?? 0
        return "SQLite \(String(cString: sqlite3_libversion())): journal_mode = \(mode), "
            + "synchronous = \(level == 2 ? "FULL" : "\(level ?? -1)"), a checkpoint after \(Int(pages)) pages"
    }

    // MARK: -

    final class Statement {
        private let handle: OpaquePointer
        // SQLite closes no database that has statements.
        private let peer: SQLitePeer
        // SQLITE_TRANSIENT, a macro that Swift does not import: SQLite copies the text before it returns.
        private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

        init(_ handle: OpaquePointer, of peer: SQLitePeer) {
            self.handle = handle
            self.peer = peer
        }

        deinit {
            sqlite3_finalize(handle)
        }

        func bind(_ position: Int32, _ value: Int) { sqlite3_bind_int64(handle, position, Int64(value)) }
        func bind(_ position: Int32, _ value: Double) { sqlite3_bind_double(handle, position, value) }
        /// Without a destructor, which is SQLITE_STATIC: SQLite reads the text where it is.
        func bind(_ position: Int32, _ value: StableTexts.Text) {
            sqlite3_bind_text(handle, position, value.start, value.count, nil)
        }
        /// Copies the text; for rows that are not measured.
        func bind(_ position: Int32, copying value: String) {
            sqlite3_bind_text(handle, position, value, -1, Self.transient)
        }
        func bind(_ position: Int32, _ value: Int?) {
            if let value { bind(position, value) } else { sqlite3_bind_null(handle, position) }
        }
        func bind(_ position: Int32, copying value: String?) {
            if let value { bind(position, copying: value) } else { sqlite3_bind_null(handle, position) }
        }

        /// True while there is a row.
        func step() -> Bool { sqlite3_step(handle) == SQLITE_ROW }
        func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }
        /// How many bytes the text of a column has; the text is read.
        func length(_ column: Int32) -> Int {
            sqlite3_column_text(handle, column) == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
        }
        func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
        func string(_ column: Int32) -> String {
            guard let start = sqlite3_column_text(handle, column) else { return "" }
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
            return String(decoding: bytes, as: UTF8.self)
        }
        func reset() { sqlite3_reset(handle) }

        /// One execution of a statement without rows.
        func run() {
            _ = step()
            reset()
        }

        /// The columns of the first row as numbers.
        func answer() -> [Double] {
            defer { reset() }
            return step() ? (0..<sqlite3_column_count(handle)).map(double) : []
        }

        /// The first column of the first row.
        func words() -> String {
            defer { reset() }
            return step() ? string(0) : ""
        }

        /// The first column of every row.
        func integers() -> [Int] {
            var values: [Int] = []
            while step() { values.append(integer(0)) }
            reset()
            return values
        }
    }
}
