/// A database from the moment it is opened until it is closed.
///
/// One that is dropped and added again under its name is another one. What is known of a caller in one of them says nothing
/// in the other: neither their token, nor the rules for them.
package final class DatabaseOpening: Sendable {
    package init() {}
}

extension Conversations {
    /// Whether a caller was found in this opening of the database, and not in another one of its name.
    package func knows(_ caller: KnownCaller) -> Bool { caller.opening == nil || caller.opening === opening }
}
