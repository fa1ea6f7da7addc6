/// Called with each error of a session, a `SyncError`, on a thread of the library.
///
/// ```swift
/// let report: ErrorReportingBlock = { error, session in
///     print(error.localizedDescription, session?.parentUser()?.id ?? "")
/// }
/// app.syncManager.errorHandler = report
/// ```
public typealias ErrorReportingBlock = @Sendable (_ error: any Error, _ session: SyncSession?) -> Void

/// What happens when the server no longer knows a file's history.
///
/// ```swift
/// let configuration = user.flexibleSyncConfiguration(
///     clientResetMode: .recoverUnsyncedChanges(
///         beforeReset: { before in print(before.objects(Dog.self).count, "dogs so far") },
///         afterReset: { before, after in print(after.objects(Dog.self).count, "dogs now") }))
/// ```
///
/// Realm replaced such a file by the server's state, and the mode decided about the writes that were not yet uploaded.
/// Here device and server compare their objects and exchange only the difference. Nothing is discarded in any mode:
///
/// | The server | Realm | The device here | Who hears of it |
/// |---|---|---|---|
/// | has trimmed the history since the device's last visit | reset | gets the difference, and keeps its unsent writes | the blocks |
/// | was restored from an older copy | reset | the same, and sends again its writes of the last days that the server lost | the blocks |
/// | … and lacks changes that no device keeps any more | reset | the same | the blocks; the handler, with `SyncError.clientReset` |
/// | rejects a write permanently | took it back | sends the rest, and keeps the write in ``Realm/unsyncedChanges`` | the error handler |
/// | has another database of this name | reset | keeps the file as it is, and the session stops | the handler, with `SyncError.clientReset` |
///
/// The blocks are called once for each reset, on a queue of the library, right before and after the one transaction
/// that applies the difference. The app's Realms stay open meanwhile, and their observers get exactly what changed. If
/// the file cannot be written, the reset is tried again, and the block before it is called again. Changes that come
/// from other permissions or new classes are no reset.
///
/// With `.manual` nothing has to be done by hand either: its handler gets only the `SyncError.clientReset` errors of
/// the table. Without a handler, and in the other modes, the error handler of the `SyncManager` gets them.
/// `SyncError.clientResetInfo()` is nil, because there is no file to replace.
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

    /// Calls no blocks. The handler gets the errors on which somebody has to act.
    ///
    /// ```swift
    /// let mode = ClientResetMode.manual { error, session in print(error.localizedDescription) }
    /// ```
    case manual(errorHandler: ErrorReportingBlock? = nil)
    /// In Realm: takes the server's state and discards unsent writes. Here unsent writes are kept and sent as well.
    ///
    /// ```swift
    /// let mode = ClientResetMode.discardUnsyncedChanges(afterReset: { before, after in print("reset") })
    /// ```
    case discardUnsyncedChanges(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)
    /// Takes the server's state and applies unsent writes on top of it. The default.
    ///
    /// ```swift
    /// let configuration = user.flexibleSyncConfiguration(clientResetMode: .recoverUnsyncedChanges())
    /// ```
    case recoverUnsyncedChanges(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)
    /// In Realm: recovers unsent writes if possible, else discards them. Here always recovers them.
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
    @preconcurrency
    public static func discardLocal(
        beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil
    ) -> ClientResetMode {
        .discardUnsyncedChanges(beforeReset: beforeReset, afterReset: afterReset)
    }

    /// The handler that gets `clientReset` errors instead of the app's error handler.
    var manualHandler: ErrorReportingBlock? {
        if case .manual(let handler) = self { handler } else { nil }
    }
}
