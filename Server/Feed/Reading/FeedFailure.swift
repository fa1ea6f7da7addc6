package import CausewayModel
package import CausewayStore

/// Why the feed ends, or does not begin: what happened, its cause, and what the reader does next.
package struct FeedFailure: Error, Hashable, Sendable {
    package var code: Code
    package var message: String
    /// The oldest version that can be read on from, where that is the question.
    package var oldest: ServerVersion?
    /// After how long to come again, where that is known.
    package var retryAfterMilliseconds: UInt64?

    package init(
        _ code: Code, _ message: String, oldest: ServerVersion? = nil, retryAfterMilliseconds: UInt64? = nil
    ) {
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.code = code
        self.message = message
        self.oldest = oldest
    }

    /// One code for each thing a reader does differently.
    package struct Code: Hashable, Sendable {
        package let name: String

        package init(_ name: String) {
            self.name = name
        }

        /// The history does not reach back to the position.
        package static let historyGone = Code("historyGone")
        /// The database was restored from an older copy and has other versions now.
        package static let databaseRestored = Code("databaseRestored")
        /// The database has no such version yet.
        package static let versionUnknown = Code("versionUnknown")
        /// A class of this name cannot be followed.
        package static let classUnknown = Code("classUnknown")
        /// The request is malformed.
        package static let requestInvalid = Code("requestInvalid")
        /// There is no such database.
        package static let databaseUnknown = Code("databaseUnknown")
        /// The token is missing, malformed or no longer good.
        package static let tokenInvalid = Code("tokenInvalid")
        package static let tokenExpired = Code("tokenExpired")
        /// The rules for the reader have changed.
        package static let permissionsChanged = Code("permissionsChanged")
        /// The operator has shut the reader out.
        package static let permissionDenied = Code("permissionDenied")
        /// Too many listen.
        package static let busy = Code("busy")
        package static let serverEnds = Code("serverEnds")
        /// The file is damaged or the machine failed.
        package static let fault = Code("fault")
    }
}

extension FeedFailure {
    package init(_ failure: StoreFailure) {
        self.init(Code(failure.code == .closed ? Code.serverEnds.name : Code.fault.name), failure.message)
    }
}
