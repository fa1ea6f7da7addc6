import CSQLite
import Foundation

/// SQLite through its C interface, as a careful user would set it up: WAL, synchronous FULL, prepared statements.
final class SQLitePeer {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var database: OpaquePointer?

    init(_ file: URL) throws {
        guard sqlite3_open(file.path, &database) == SQLITE_OK else { throw Failure(description: "cannot open \(file)") }
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = FULL")
    }

    deinit {
        sqlite3_close(database)
    }

    func execute(_ text: String) throws {
        guard sqlite3_exec(database, text, nil, nil, nil) == SQLITE_OK else {
            throw Failure(description: "\(text): \(String(cString: sqlite3_errmsg(database)))")
        }
    }

    func prepare(_ text: String) throws -> Statement {
        var handle: OpaquePointer?
        guard sqlite3_prepare_v2(database, text, -1, &handle, nil) == SQLITE_OK, let handle else {
            throw Failure(description: "\(text): \(String(cString: sqlite3_errmsg(database)))")
        }
        return Statement(handle, of: self)
    }

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
        func bind(_ position: Int32, _ value: String) {
            sqlite3_bind_text(handle, position, value, -1, Self.transient)
        }
        func bind(_ position: Int32, _ value: Int?) {
            if let value { bind(position, value) } else { sqlite3_bind_null(handle, position) }
        }
        func bind(_ position: Int32, _ value: String?) {
            if let value { bind(position, value) } else { sqlite3_bind_null(handle, position) }
        }

        /// True while there is a row.
        func step() -> Bool { sqlite3_step(handle) == SQLITE_ROW }
        func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }
        func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
        func text(_ column: Int32) -> UnsafePointer<UInt8>? { sqlite3_column_text(handle, column) }
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

        /// The first column of every row.
        func integers() -> [Int] {
            var values: [Int] = []
            while step() { values.append(integer(0)) }
            reset()
            return values
        }
    }
}
