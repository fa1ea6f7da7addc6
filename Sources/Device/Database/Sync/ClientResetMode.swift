/// Called with what a session ran into, as `SyncError`; on a thread of the library.
///
/// ```swift
/// let report: ErrorReportingBlock = { error, session in
///     print(error.localizedDescription, session?.parentUser()?.id ?? "")
/// }
/// app.syncManager.errorHandler = report
/// ```
public typealias ErrorReportingBlock = @Sendable (_ error: any Error, _ session: SyncSession?) -> Void

/// What happens to a file whose past the server does not know any more.
///
/// ```swift
/// let configuration = user.flexibleSyncConfiguration(
///     clientResetMode: .recoverUnsyncedChanges(
///         beforeReset: { before in print(before.objects(Dog.self).count, "dogs so far") },
///         afterReset: { before, after in print(after.objects(Dog.self).count, "dogs now") }))
/// ```
///
/// Realm replaced such a file by the server's state, and the mode said what became of what was not yet uploaded. Here
/// device and server compare what they have, only the difference travels, and nothing is ever discarded, whatever the
/// mode says:
///
/// | The server | Realm | The device here | Who hears of it |
/// |---|---|---|---|
/// | has forgotten the history since the device's last visit | reset | gets the difference, and keeps what it has not sent | the blocks |
/// | was restored from an older copy | reset | does so too, and sends again what it wrote in the last days and the server lost | the blocks |
/// | … and lacks changes that no device keeps any more | reset | the same | the blocks; the handler, with `SyncError.clientReset` |
/// | refuses a write for good | took it back | sends the rest, and has the write in ``Realm/unsyncedChanges`` | the error handler |
/// | has another database of this name | reset | keeps the file as it is, and the session stops | the handler, with `SyncError.clientReset` |
///
/// The blocks are called once for each reset, right before and after the one transaction that brings the difference, on a
/// queue of the library. In between the app's Realms stay open, and their observers hear of exactly what changed. If the
/// file cannot be written, the reset is tried again, and so is the block before it. What the server sends because of other
/// permissions or new classes is no reset.
///
/// With `.manual` nothing has to be done by hand either, so its handler hears only of the errors in the table. Without a
/// handler, and in the other modes, the error handler of the `SyncManager` does. `SyncError.clientResetInfo()` is nil:
/// there is no file to replace.
public enum ClientResetMode: Sendable {
    /// A block that gets the Realm as it was before.
    ///
    /// ```swift
    /// let before: ClientResetMode.BeforeReset = { realm in print("kept so far: \(realm.objects(Dog.self).count)") }
    /// ```
    public typealias BeforeReset = @Sendable (_ before: Realm) -> Void
    /// A block that gets the Realm as it was before, and the live one after.
    ///
    /// ```swift
    /// let after: ClientResetMode.AfterReset = { before, after in
    ///     print(before.objects(Dog.self).count, "became", after.objects(Dog.self).count)
    /// }
    /// ```
    public typealias AfterReset = @Sendable (_ before: Realm, _ after: Realm) -> Void

    /// No block is called. Where somebody has to act, this handler hears of it.
    ///
    /// ```swift
    /// let mode = ClientResetMode.manual { error, session in print(error.localizedDescription) }
    /// ```
    case manual(errorHandler: ErrorReportingBlock? = nil)
    /// In Realm: the server's state, without what was not yet uploaded. Here that is kept and sent all the same.
    ///
    /// ```swift
    /// let mode = ClientResetMode.discardUnsyncedChanges(afterReset: { before, after in print("reset") })
    /// ```
    case discardUnsyncedChanges(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)
    /// The server's state, with what was not yet uploaded on top of it.
    ///
    /// ```swift
    /// let configuration = user.flexibleSyncConfiguration(clientResetMode: .recoverUnsyncedChanges())
    /// ```
    case recoverUnsyncedChanges(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)
    /// In Realm: the latter if possible, else the former. Here always the latter.
    ///
    /// ```swift
    /// let configuration = user.flexibleSyncConfiguration(clientResetMode: .recoverOrDiscardUnsyncedChanges())
    /// ```
    case recoverOrDiscardUnsyncedChanges(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)
    /// The older name of `discardUnsyncedChanges`.
    ///
    /// ```swift
    /// let configuration = user.flexibleSyncConfiguration(clientResetMode: .discardLocal())    // warns: an old name
    /// ```
    @available(*, deprecated, message: "Use discardUnsyncedChanges")
    public static func discardLocal(
        beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil
    ) -> ClientResetMode {
        .discardUnsyncedChanges(beforeReset: beforeReset, afterReset: afterReset)
    }

    /// Who hears of a reset instead of the app's error handler.
    var manualHandler: ErrorReportingBlock? {
        if case .manual(let handler) = self { handler } else { nil }
    }
}
