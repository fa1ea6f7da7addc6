package import CausewayLimits

/// Why the record could not do something: what happened, and a sentence that names cause and remedy.
package struct StoreFailure: Error, Hashable, Sendable {
    package var code: Code
    package var message: String
    /// The refused operations of one-way entries and of calls; empty where the failure is about the whole batch.
    package var refusals: [Refusal]
    /// After how long to try again, where too much waits.
    package var retryAfterMilliseconds: UInt64?
    /// The operator's limit that was met, where there is one.
    package var reached: LimitReached?

    package init(
        _ code: Code, _ message: String, refusals: [Refusal] = [], retryAfterMilliseconds: UInt64? = nil
    ) {
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.code = code
        self.message = message
        self.refusals = refusals
    }

    /// There is no room for what a user would add. It waits where it is.
    package init(_ reached: LimitReached, _ message: String) {
        self.init(.outOfSpace, message, retryAfterMilliseconds: reached.waitMilliseconds)
        self.reached = reached
    }

    /// One code for each thing a caller does differently.
    package struct Code: Hashable, Sendable {
        package let name: String

        package init(_ name: String) {
            self.name = name
        }

        /// The client belongs to another user.
        package static let permissionDenied = Code("permissionDenied")
        /// The classes contradict those of the database.
        package static let schemaMismatch = Code("schemaMismatch")
        /// A changeset or entry before this one is missing.
        package static let sequenceGap = Code("sequenceGap")
        /// An operation does not fit the schema.
        package static let operationInvalid = Code("operationInvalid")
        /// An operation is about an object that the database never had.
        package static let objectUnknown = Code("objectUnknown")
        /// The client has not read its earlier refusals, and no more of them are kept.
        package static let refusalsUnread = Code("refusalsUnread")
        /// A standing query cannot be served.
        package static let queryInvalid = Code("queryInvalid")
        /// The disk or the map is full.
        package static let outOfSpace = Code("outOfSpace")
        /// The file is damaged or the machine failed.
        package static let fault = Code("fault")
        /// Too much waits already.
        package static let busy = Code("busy")
        /// It takes longer than its `Pace` allows.
        package static let interrupted = Code("interrupted")
        /// An object is not as a call expected it: somebody else has changed it meanwhile.
        package static let conflict = Code("conflict")
        /// The key of a call was used for another call.
        package static let callKeyReused = Code("callKeyReused")
        /// It may have happened, and is not made again by itself.
        package static let outcomeUnknown = Code("outcomeUnknown")
        /// Nobody opened it, or it was closed.
        package static let closed = Code("closed")
    }
}
