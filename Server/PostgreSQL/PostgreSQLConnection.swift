import Glibc

/// Reads a connection string of libpq, each time that somebody connects: a password may change.
package typealias PostgreSQLSettings = @Sendable () throws(PostgreSQLFailure) -> String

/// A connection to PostgreSQL. Its calls block, and it is used by one thread at a time.
package final class PostgreSQLConnection {
    private let library: LibPQ
    private let connection: OpaquePointer

    private let limits: Limits

    /// How long things may take.
    package struct Limits: Hashable, Sendable {
        package var connectSeconds = 10
        package var statementMilliseconds = 60_000
        /// From a statement to its answer, also while PostgreSQL waits for its standby. Later the connection counts as broken.
        package var answerMilliseconds = 120_000
        /// Whether a server that only reads, a standby, is passed over.
        package var needsPrimary = false

        package init() {}
    }

    /// - Parameter settings: a connection string of libpq. It may hold a password: no error repeats any of it.
    package init(_ settings: String, _ limits: Limits = Limits()) throws(PostgreSQLFailure) {
        library = try LibPQ.load()
        self.limits = limits
        try Self.check(settings, library)
        guard let connection = library.connect(Self.bounded(settings, limits)) else {
            throw PostgreSQLFailure(.unreachable, "There is no memory for a connection to PostgreSQL.")
        }
        self.connection = connection
        guard library.status(connection) == LibPQ.connectionIsGood else {
            let reason = library.errorMessage(connection).map { String(cString: $0) } ?? ""
            throw PostgreSQLFailure(
                .unreachable,
                "PostgreSQL cannot be reached: \(Self.oneLine(reason)). Check that it runs, and the connection in the file."
            )
        }
        // Notices are dropped, for example that a table exists already.
        _ = library.setNoticeProcessor(connection, { _, _ in }, nil)
        try execute("SET client_encoding TO 'UTF8'")
        try execute("SET statement_timeout TO \(limits.statementMilliseconds)")
        try execute("SET standard_conforming_strings TO on")
    }

    deinit { library.finish(connection) }

    /// The settings with limits of time; the operator's own values come last, and count.
    private static func bounded(_ settings: String, _ limits: Limits) -> String {
        var more = [
            ("connect_timeout", "\(limits.connectSeconds)"), ("keepalives_idle", "30"),
            ("tcp_user_timeout", "\(limits.statementMilliseconds)"),
        ]
        if limits.needsPrimary { more.append(("target_session_attrs", "read-write")) }
        guard settings.contains("://") else {
            return more.map { "\($0)=\($1) " }.joined() + "application_name=causeway " + settings
        }
        let missing = more.filter { !settings.contains($0.0) }.map { "\($0)=\($1)" }.joined(separator: "&")
        return settings + (settings.contains("?") ? "&" : "?") + missing
    }

    /// The library would say what it cannot read, which may be a part of the password.
    private static func check(_ settings: String, _ library: LibPQ) throws(PostgreSQLFailure) {
        var complaint: UnsafeMutablePointer<CChar>?
        let options = library.parse(settings, &complaint)
        if let complaint { library.freeMemory(complaint) }
        guard let options else {
            throw PostgreSQLFailure(
                .settingsWrong,
                "The connection to PostgreSQL cannot be read. Write it as host=… port=… dbname=… user=… password=…, or as "
                    + "postgresql://USER:PASSWORD@HOST/DATABASE.")
        }
        library.freeOptions(options)
    }

    private static func oneLine(_ text: String) -> String {
        text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
    }

    /// Runs one statement, and drops its rows.
    package func execute(
        _ statement: String, _ parameters: [PostgreSQLParameter] = []
    ) throws(PostgreSQLFailure) {
        library.clear(try run(statement, parameters))
    }

    /// Runs one statement.
    ///
    /// - Returns: its rows.
    package func rows(
        _ statement: String, _ parameters: [PostgreSQLParameter] = []
    ) throws(PostgreSQLFailure) -> [[PostgreSQLValue]] {
        let result = try run(statement, parameters)
        defer { library.clear(result) }
        let columns = library.columnCount(result)
        return (0..<library.rowCount(result)).map { row in (0..<columns).map { value(result, row, $0) } }
    }

    private func value(_ result: OpaquePointer?, _ row: Int32, _ column: Int32) -> PostgreSQLValue {
        let isNull = library.isNull(result, row, column) != 0
        let length = Int(library.length(result, row, column))
        let bytes = UnsafeRawBufferPointer(start: library.value(result, row, column), count: isNull ? 0 : length)
        return PostgreSQLValue(bytes: Array(bytes), isNull: isNull)
    }

    /// - Returns: the result, which the caller clears.
    private func run(
        _ statement: String, _ parameters: [PostgreSQLParameter]
    ) throws(PostgreSQLFailure) -> OpaquePointer? {
        var values: [UnsafeMutableBufferPointer<CChar>] = []
        var formats: [Int32] = []
        for parameter in parameters {
            let (bytes, format): ([UInt8], Int32) =
                switch parameter {
                case .text(let bytes): (bytes, 0)
                case .binary(let bytes): (bytes, 1)
                }
            // A text ends with a zero.
            let value = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count + 1)
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(value).copyMemory(from: $0) }
            value[bytes.count] = 0
            values.append(value)
            formats.append(format)
        }
        defer { for value in values { value.deallocate() } }
        let starts: [LibPQ.Text?] = values.map { value in value.baseAddress.map { UnsafePointer($0) } }
        let lengths = values.map { Int32($0.count - 1) }
        // Results in binary.
        let isSent = library.send(
            connection, statement, Int32(values.count), nil, starts, lengths, formats, 1)
        guard isSent != 0 else { throw Self.broken }
        let result = try answer()
        let status = library.resultStatus(result)
        guard status == LibPQ.commandIsDone || status == LibPQ.tuplesAreThere else {
            defer { library.clear(result) }
            throw failure(result)
        }
        return result
    }

    private static let broken = PostgreSQLFailure(
        .broken, "The connection to PostgreSQL broke. Check that it runs.")

    /// The answer to the one statement that was sent.
    private func answer() throws(PostgreSQLFailure) -> OpaquePointer? {
        let deadline = ContinuousClock.now + .milliseconds(limits.answerMilliseconds)
        var result: OpaquePointer?
        while true {
            while library.isBusy(connection) != 0 {
                let left = (deadline - .now) / .milliseconds(1)
                var waited = pollfd(fd: library.socket(connection), events: Int16(POLLIN), revents: 0)
                guard left > 0 else {
                    library.clear(result)
                    throw PostgreSQLFailure(
                        .broken,
                        "PostgreSQL has not answered in \(limits.answerMilliseconds / 1_000) s. Check that it runs, and that its "
                            + "synchronous standby does.")
                }
                _ = poll(&waited, 1, Int32(left.rounded(.up)))
                if library.consumeInput(connection) == 0 { break }
            }
            guard let next = library.nextResult(connection) else { return result }
            library.clear(result)
            result = next
        }
    }

    /// What PostgreSQL says in words may repeat values of the data; its codes and names do not.
    private func failure(_ result: OpaquePointer?) -> PostgreSQLFailure {
        func field(_ number: Int32) -> String? { library.resultField(result, number).map { String(cString: $0) } }
        guard let state = field(LibPQ.sqlState), !Self.leavesDoubt(state) else {
            return Self.broken
        }
        let places = [
            (LibPQ.schemaName, "schema"), (LibPQ.tableName, "table"), (LibPQ.columnName, "column"),
            (LibPQ.constraintName, "constraint"),
        ].compactMap { number, word in field(number).map { "\(word) \($0)" } }
        let place = places.isEmpty ? "" : " (\(places.joined(separator: ", ")))"
        return PostgreSQLFailure(
            .refused(state: state),
            "PostgreSQL refuses a statement with SQLSTATE \(state)\(place). Its own log has the statement; the appendix “Error "
                + "Codes” of its manual has the meaning.")
    }

    /// Whether a statement that ended with this state may have taken effect: the connection broke, or the server ends.
    private static func leavesDoubt(_ state: String) -> Bool {
        state.hasPrefix("08") || state.hasPrefix("57P") || state == "40003"
    }

    // MARK: - Notices of others

    /// Whether the other end has closed the connection. Looks at what has come, and waits for nothing.
    package var isBroken: Bool {
        // The first time may find the last words of a server that ends, and only the second one that it has gone.
        for _ in 0..<2 where library.consumeInput(connection) == 0 { return true }
        return library.status(connection) != LibPQ.connectionIsGood
    }

    /// Waits for notifications of channels that it listens to.
    ///
    /// - Returns: what they carry; nothing when there were none in that time.
    package func awaitNotifications(milliseconds: Int32) throws(PostgreSQLFailure) -> [String] {
        let waiting = takeNotifications()
        if !waiting.isEmpty { return waiting }
        var waited = pollfd(fd: library.socket(connection), events: Int16(POLLIN), revents: 0)
        _ = poll(&waited, 1, milliseconds)
        guard !isBroken else { throw Self.broken }
        return takeNotifications()
    }

    private func takeNotifications() -> [String] {
        var found: [String] = []
        while let notification = library.notifications(connection) {
            // The library's `PGnotify`: a channel, the number of a process, and what the notification carries.
            let (channel, process) = (MemoryLayout<UnsafePointer<CChar>>.stride, MemoryLayout<Int>.stride)
            let carried = notification.load(fromByteOffset: channel + process, as: LibPQ.Text?.self)
            if let carried { found.append(String(cString: carried)) }
            library.freeMemory(notification)
        }
        return found
    }
}
