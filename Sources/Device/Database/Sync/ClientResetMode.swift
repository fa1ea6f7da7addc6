/// Called with what a session ran into, as `SyncError`; on a thread of the library.
///
/// ```swift
/// let report: ErrorReportingBlock = { error, session in
///     print(error.localizedDescription, session?.parentUser()?.id ?? "")
/// }
/// app.syncManager.errorHandler = report
/// ```
public typealias ErrorReportingBlock = @Sendable (_ error: any Error, _ session: SyncSession?) -> Void

/// What happens to a file that shares no past with the server any more: the server has another database.
///
/// ```swift
/// let configuration = user.flexibleSyncConfiguration(
///     clientResetMode: .manual(errorHandler: { error, session in tell(error) }))
/// ```
///
/// Nothing is ever discarded, whatever the mode says, because there is nothing that would have to be:
///
/// | The server | The device |
/// |---|---|
/// | has forgotten the history since the device's last visit | gets its view again and keeps what it has not sent |
/// | was restored from an older copy | does so too, and sends again what it wrote in the last days and the server lost |
/// | refuses a write for good | sends the rest, and has the write in ``Realm/unsyncedChanges`` |
/// | has another database of this name | keeps the file as it is; the session stops with `SyncError.clientReset` |
///
/// Only the last one needs somebody to act. With `.manual` and a handler, that handler gets the error; otherwise the error
/// handler of the `SyncManager` does. The handler also hears when a restored server lacks changes that no device keeps any
/// more. The blocks before and after a reset are remembered but not called: there is no reset between them.
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

    /// The app resets by itself when the handler hears of it.
    ///
    /// ```swift
    /// let mode = ClientResetMode.manual { error, session in print(error.localizedDescription) }
    /// ```
    case manual(errorHandler: ErrorReportingBlock? = nil)
    /// The server's state, without what was not yet uploaded.
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
    /// The latter if possible, else the former.
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
    case discardLocal(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)

    /// Who hears of a reset instead of the app's error handler.
    var manualHandler: ErrorReportingBlock? {
        if case .manual(let handler) = self { handler } else { nil }
    }
}
