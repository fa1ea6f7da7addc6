import Glibc

/// PostgreSQL's client library, found when it is needed.
///
/// The server builds and runs without it. Only a sink or a journal that is configured loads it, so a package of the server need not
/// depend on it. The functions are those of libpq 5, whose interface has been stable since 2004; PostgreSQL's manual describes them.
struct LibPQ: Sendable {
    typealias Text = UnsafePointer<CChar>
    typealias Parse =
        @Sendable @convention(c) (Text?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> OpaquePointer?
    typealias Free = @Sendable @convention(c) (OpaquePointer?) -> Void
    typealias FreeMemory = @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void
    typealias Connect = @Sendable @convention(c) (Text?) -> OpaquePointer?
    typealias Status = @Sendable @convention(c) (OpaquePointer?) -> Int32
    typealias Message = @Sendable @convention(c) (OpaquePointer?) -> Text?
    typealias Send =
        @Sendable @convention(c) (
            OpaquePointer?, Text?, Int32, UnsafePointer<UInt32>?, UnsafePointer<Text?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?, Int32
        ) -> Int32
    typealias Next = @Sendable @convention(c) (OpaquePointer?) -> OpaquePointer?
    typealias Field = @Sendable @convention(c) (OpaquePointer?, Int32) -> Text?
    typealias Value = @Sendable @convention(c) (OpaquePointer?, Int32, Int32) -> Text?
    typealias Format = @Sendable @convention(c) (OpaquePointer?, Int32, Int32) -> Int32
    typealias Notifications =
        @Sendable @convention(c) (OpaquePointer?) -> UnsafeMutableRawPointer?
    typealias Notice = @convention(c) (UnsafeMutableRawPointer?, Text?) -> Void
    typealias SetNotices =
        @Sendable @convention(c) (OpaquePointer?, Notice?, UnsafeMutableRawPointer?) -> Notice?

    let parse: Parse
    let freeOptions: Free
    let connect: Connect
    let status: Status
    let errorMessage: Message
    let finish: Free
    let freeMemory: FreeMemory
    let send: Send
    let isBusy: Status
    let nextResult: Next
    let resultStatus: Status
    let resultField: Field
    let rowCount: Status
    let value: Value
    let length: Format
    let isNull: Format
    let columnCount: Status
    let socket: Status
    let consumeInput: Status
    let notifications: Notifications
    let clear: Free
    let setNoticeProcessor: SetNotices

    static let connectionIsGood: Int32 = 0
    static let commandIsDone: Int32 = 1
    static let tuplesAreThere: Int32 = 2

    /// The fields of an error that hold no values.
    static let sqlState = Int32(UInt8(ascii: "C"))
    static let schemaName = Int32(UInt8(ascii: "s"))
    static let tableName = Int32(UInt8(ascii: "t"))
    static let columnName = Int32(UInt8(ascii: "c"))
    static let constraintName = Int32(UInt8(ascii: "n"))

    /// Loads the library; it stays loaded.
    static func load() throws(PostgreSQLFailure) -> LibPQ {
        guard let library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL) else {
            throw PostgreSQLFailure(
                .notInstalled,
                "PostgreSQL's client library, libpq.so.5, is not on this machine. Install it, on Debian with: apt-get install "
                    + "libpq5")
        }
        guard let functions = LibPQ(library) else {
            throw PostgreSQLFailure(
                .notInstalled,
                "PostgreSQL's client library, libpq.so.5, lacks functions that version 9.6 and later have. Install a newer one."
            )
        }
        return functions
    }

    private init?(_ library: UnsafeMutableRawPointer) {
        func function<Signature>(_ name: String, _ type: Signature.Type) -> Signature? {
            // The symbol is a C function of this signature: see the manual of libpq.
            dlsym(library, name).map { unsafeBitCast($0, to: type) }
        }
        guard
            let parse = function("PQconninfoParse", Parse.self),
            let freeOptions = function("PQconninfoFree", Free.self),
            let connect = function("PQconnectdb", Connect.self),
            let status = function("PQstatus", Status.self),
            let errorMessage = function("PQerrorMessage", Message.self),
            let finish = function("PQfinish", Free.self),
            let freeMemory = function("PQfreemem", FreeMemory.self),
            let send = function("PQsendQueryParams", Send.self),
            let isBusy = function("PQisBusy", Status.self),
            let nextResult = function("PQgetResult", Next.self),
            let resultStatus = function("PQresultStatus", Status.self),
            let resultField = function("PQresultErrorField", Field.self),
            let rowCount = function("PQntuples", Status.self),
            let value = function("PQgetvalue", Value.self),
            let length = function("PQgetlength", Format.self),
            let isNull = function("PQgetisnull", Format.self),
            let columnCount = function("PQnfields", Status.self),
            let socket = function("PQsocket", Status.self),
            let consumeInput = function("PQconsumeInput", Status.self),
            let notifications = function("PQnotifies", Notifications.self),
            let clear = function("PQclear", Free.self),
            let setNoticeProcessor = function("PQsetNoticeProcessor", SetNotices.self)
        else { return nil }
        self.parse = parse
        self.freeOptions = freeOptions
        self.connect = connect
        self.status = status
        self.errorMessage = errorMessage
        self.finish = finish
        self.freeMemory = freeMemory
        self.send = send
        self.isBusy = isBusy
        self.nextResult = nextResult
        self.resultStatus = resultStatus
        self.resultField = resultField
        self.rowCount = rowCount
        self.value = value
        self.length = length
        self.isNull = isNull
        self.columnCount = columnCount
        self.socket = socket
        self.consumeInput = consumeInput
        self.notifications = notifications
        self.clear = clear
        self.setNoticeProcessor = setNoticeProcessor
    }
}
