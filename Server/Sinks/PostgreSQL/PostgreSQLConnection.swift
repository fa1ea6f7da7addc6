import Glibc

/// A connection to PostgreSQL. Its calls block, and it is used by one thread at a time.
final class PostgreSQLConnection {
    private let library: LibPQ
    private let connection: OpaquePointer

    /// How long connecting, and each statement, may take.
    private static let connectSeconds = 10
    private static let statementMilliseconds = 60_000

    /// - Parameter settings: a connection string of libpq. It may hold a password: no error repeats any of it.
    init(_ settings: String) throws(SinkFailure) {
        library = try LibPQ.load()
        try Self.check(settings, library)
        guard let connection = library.connect(Self.bounded(settings)) else {
            throw SinkFailure("There is no memory for a connection to PostgreSQL.")
        }
        self.connection = connection
        guard library.status(connection) == LibPQ.connectionIsGood else {
            let reason = library.errorMessage(connection).map { String(cString: $0) } ?? ""
            throw SinkFailure(
                "PostgreSQL cannot be reached: \(Self.oneLine(reason)). Check that it runs, and the connection in the file."
            )
        }
        // Notices are dropped, for example that a table exists already.
        _ = library.setNoticeProcessor(connection, { _, _ in }, nil)
        try execute("SET client_encoding TO 'UTF8'")
        try execute("SET statement_timeout TO \(Self.statementMilliseconds)")
        try execute("SET standard_conforming_strings TO on")
    }

    deinit { library.finish(connection) }

    /// The settings with limits of time; the operator's own values come last, and count.
    private static func bounded(_ settings: String) -> String {
        let limits = [("connect_timeout", connectSeconds), ("keepalives_idle", 30), ("tcp_user_timeout", 60_000)]
        guard settings.contains("://") else {
            return limits.map { "\($0)=\($1) " }.joined() + "application_name=causeway " + settings
        }
        let missing = limits.filter { !settings.contains($0.0) }.map { "\($0)=\($1)" }.joined(separator: "&")
        return settings + (settings.contains("?") ? "&" : "?") + missing
    }

    /// The library would say what it cannot read, which may be a part of the password.
    private static func check(_ settings: String, _ library: LibPQ) throws(SinkFailure) {
        var complaint: UnsafeMutablePointer<CChar>?
        let options = library.parse(settings, &complaint)
        if let complaint { library.freeMemory(complaint) }
        guard let options else {
            throw SinkFailure(
                "The connection to PostgreSQL cannot be read. Write it as host=… port=… dbname=… user=… password=…, or as "
                    + "postgresql://USER:PASSWORD@HOST/DATABASE.")
        }
        library.freeOptions(options)
    }

    private static func oneLine(_ text: String) -> String {
        text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
    }

    /// Runs one statement.
    ///
    /// - Parameter parameters: as texts.
    /// - Returns: the rows, all values as texts; nulls are empty.
    @discardableResult
    func execute(_ statement: String, _ parameters: [[UInt8]] = [], columns: Int32 = 0) throws(SinkFailure)
        -> [[String]]
    {
        let texts = parameters.map { bytes in
            let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
            for (index, byte) in bytes.enumerated() { text[index] = CChar(bitPattern: byte) }
            text[bytes.count] = 0
            return text
        }
        defer { for text in texts { text.deallocate() } }
        let values: [LibPQ.Text?] = texts.map { UnsafePointer($0) }
        let result = values.withUnsafeBufferPointer { values in
            library.execute(connection, statement, Int32(values.count), nil, values.baseAddress, nil, nil, 0)
        }
        defer { library.clear(result) }
        let status = library.resultStatus(result)
        guard status == LibPQ.commandIsDone || status == LibPQ.tuplesAreThere else { throw failure(result) }
        return (0..<library.rowCount(result)).map { row in
            (0..<columns).map { column in library.value(result, row, column).map { String(cString: $0) } ?? "" }
        }
    }

    /// What PostgreSQL says in words may repeat values of the data; its codes and names do not.
    private func failure(_ result: OpaquePointer?) -> SinkFailure {
        func field(_ number: Int32) -> String? { library.resultField(result, number).map { String(cString: $0) } }
        guard let state = field(LibPQ.sqlState) else {
            return SinkFailure("The connection to PostgreSQL broke. Check that it runs; the objects come again.")
        }
        let places = [
            (LibPQ.schemaName, "schema"), (LibPQ.tableName, "table"), (LibPQ.columnName, "column"),
            (LibPQ.constraintName, "constraint"),
        ].compactMap { number, word in field(number).map { "\(word) \($0)" } }
        let place = places.isEmpty ? "" : " (\(places.joined(separator: ", ")))"
        return SinkFailure(
            "PostgreSQL refuses a statement with SQLSTATE \(state)\(place). Its own log has the statement; the appendix “Error "
                + "Codes” of its manual has the meaning. Nothing is lost: the objects come again.")
    }
}
