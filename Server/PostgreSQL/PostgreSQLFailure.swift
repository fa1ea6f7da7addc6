/// Why PostgreSQL did not do what it was asked: what happened, its cause, and the remedy. It repeats neither a password nor a value
/// of the data.
package struct PostgreSQLFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// One for each thing a caller does differently.
    package enum Code: Hashable, Sendable {
        /// The client library is not on this machine, or is too old.
        case notInstalled
        /// The connection's settings cannot be read.
        case settingsWrong
        /// Nothing was asked yet.
        case unreachable
        /// The connection broke while a statement ran: it may have taken effect or not.
        case broken
        /// The statement had no effect.
        case refused(state: String)
    }

    package var code: Code
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
