import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewaySync
import CausewaySyncedFile
import CausewayWire
import Dispatch
import Synchronization

/// Runs one synced file's conversation: performs the actions that the state machine asks for, and tells it the
/// outcomes.
///
/// It decides nothing about the protocol, and `Errand` decides what an action means here. The conversation lives on a
/// queue of its own and never waits for the file's writer. Applying and staging run on a second queue, so that a long
/// bootstrap delays no upload and no heartbeat.
///
/// The driver lives as long as its file's coordinator: while a Realm of the file is open or writes are on their way.
actor SyncDriver {
    nonisolated let configuration: SyncConfiguration
    nonisolated var user: User { configuration.user }
    nonisolated let file: SyncedFile
    nonisolated var transport: any Transport { way.withLock { $0 } }
    private nonisolated let way: Mutex<any Transport>
    /// State that any thread may read at any time.
    nonisolated let published = Mutex(Published())

    private nonisolated let resetBlocks: ResetBlocks?
    private nonisolated let executor: QueueExecutor
    private nonisolated let fileQueue: DispatchQueue
    private var conversation: Conversation
    private var random = SystemRandomNumberGenerator()
    private var commits: CommitObservation?
    /// The file's coordinator. `coordinatorInUse` holds it while writes are being uploaded, because the app may release
    /// its Realm right after a write.
    private weak var coordinator: FileCoordinator?
    private var coordinatorInUse: FileCoordinator?
    private var watch = FileWatch()
    private var calls: [UInt64: Task<Void, Never>] = [:]
    private var lastCall: UInt64 = 0
    /// Numbers the timers; only the last one armed counts.
    private var lastWake: UInt64 = 0
    private var waiting: [Conversation.Waiter: CheckedContinuation<Void, any Error>] = [:]
    private var lastWaiter: UInt64 = 0
    private var subscriptionWaits: [SubscriptionWait] = []
    /// Waiters that fail with the first connection that fails.
    private var impatient: Set<Conversation.Waiter> = []
    /// The error that ended the last connection; nil once one works again.
    private var outage: SyncError?
    var progressObservers: [ProgressObserver] = []

    struct Published {
        var connection = ConnectionState.disconnected
        /// How far the server has confirmed the two logs.
        var uploaded = Conversation.Logged(changesets: 0, oneWay: 0)
        var isSuspended = false
        var isInvalid = false
        var connectionObservers: [UInt64: @Sendable (ConnectionState) -> Void] = [:]
        var lastObserver: UInt64 = 0
    }

    private struct SubscriptionWait {
        var id: UInt64
        var version: UInt64
        var continuation: CheckedContinuation<Void, any Error>
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Reads the state of the file. Nothing is sent before `start`.
    init(
        configuration: SyncConfiguration, file: SyncedFile, transport: any Transport, resetBlocks: ResetBlocks? = nil
    ) throws {
        self.configuration = configuration
        self.resetBlocks = resetBlocks
        self.file = file
        way = Mutex(transport)
        executor = QueueExecutor(label: "causeway.sync")
        fileQueue = DispatchQueue(label: "causeway.sync.file", qos: .userInitiated)
        conversation = try file.conversation(limits: configuration.user.app.conversationLimits)
    }

    deinit {
        for call in calls.values { call.cancel() }
        transport.disconnect(inDoubt: false)
    }

    /// Connects, if the user is logged in.
    nonisolated func start(_ coordinator: FileCoordinator) {
        user.register(self)
        onQueue { [weak coordinator] driver in
            driver.use(coordinator)
            driver.commits = driver.file.store.observeCommits { [weak driver] _ in driver?.commitHappened() }
            driver.fileChanged()
        }
    }

    /// Uses this coordinator for the file from now on.
    func use(_ coordinator: FileCoordinator?) {
        self.coordinator = coordinator
    }

    /// Runs on the driver's queue, in the order of the calls.
    nonisolated func onQueue(_ body: @escaping @Sendable (isolated SyncDriver) -> Void) {
        executor.queue.async { [weak self] in
            self?.assumeIsolated(body)
        }
    }

    nonisolated func tell(_ event: Conversation.Event) {
        onQueue { $0.handle(event) }
    }

    func handle(_ event: Conversation.Event) {
        let actions = conversation.handle(event, at: Self.now, using: &random)
        let uploaded = Conversation.Logged(
            changesets: conversation.upload.committed, oneWay: conversation.ingest.committed)
        published.withLock { $0.uploaded = uploaded }
        for action in actions {
            for errand in file.errands(for: action, of: conversation) { perform(errand) }
        }
        publish()
    }

    private static var now: Moment {
        Moment(milliseconds: DispatchTime.now().uptimeNanoseconds / 1_000_000)
    }

    private func publish() {
        let state = conversation.connectionState
        if state == .connected { outage = nil }
        let observers = published.withLock { published -> [@Sendable (ConnectionState) -> Void] in
            guard published.connection != state else { return [] }
            published.connection = state
            return Array(published.connectionObservers.values)
        }
        for observer in observers { observer(state) }
        reportProgress()
        coordinatorInUse = isSending ? coordinator : nil
    }

    /// Whether writes are on their way, or will be as soon as the server can be reached.
    private var isSending: Bool {
        switch conversation.phase {
        case .suspended, .stopped: false
        case .settling, .connecting, .connected, .waiting, .renewing:
            !(conversation.upload.isEmpty && conversation.ingest.isEmpty)
        }
    }

    var uploadProgress: Progress { conversation.uploadProgress }

    var downloadProgress: Progress { conversation.downloadProgress }

    // MARK: - What the app does

    /// Called after each commit of the file, from any thread.
    private nonisolated func commitHappened() {
        onQueue { $0.fileChanged() }
    }

    private func fileChanged() {
        do {
            for news in watch.news(try file.standing(), for: conversation) {
                switch news {
                case .begins: connectIfAllowed()
                case .event(let event): handle(event)
                }
            }
        } catch {
            reportFile(error, "The file cannot be read")
        }
    }

    private func reportFile(_ error: any Error, _ what: String) {
        let error = SyncError(.clientInternal, "\(what): \(SyncedFile.message(of: error))")
        user.app.syncManager.report(error, SyncSession(driver: self))
    }

    private func connectIfAllowed() {
        let isSuspended = published.withLock { $0.isSuspended }
        guard user.isLoggedIn, !isSuspended, watch.hasClasses else { return }
        handle(.tokenLasts(until: user.tokenExpires))
        handle(.resumed)
    }

    nonisolated func tokenChanged() {
        published.withLock { $0.isInvalid = false }
        tokenRefreshed()
        onQueue { driver in
            driver.handle(.tokenChanged)
            driver.connectIfAllowed()
        }
    }

    /// Later calls use a newer token of the same login.
    nonisolated func tokenRefreshed() {
        tell(.tokenLasts(until: user.tokenExpires))
    }

    nonisolated func userLoggedOut() {
        published.withLock { $0.isInvalid = true }
        onQueue { driver in
            driver.handle(.suspended)
            driver.failWaiters(SyncError(.clientUser, "The user has logged out. Log in again to sync."))
        }
    }

    /// Ends the current calls. The next connection goes to the app's new address.
    nonisolated func serverMoved() {
        let transport = user.app.transport()
        onQueue { driver in
            driver.handle(.suspended)
            driver.way.withLock { way in
                way.disconnect(inDoubt: false)
                way = transport
            }
            driver.connectIfAllowed()
        }
    }

    nonisolated func suspend() {
        published.withLock { $0.isSuspended = true }
        tell(.suspended)
    }

    nonisolated func resume() {
        published.withLock { $0.isSuspended = false }
        onQueue { $0.connectIfAllowed() }
    }

    nonisolated func queriesChanged(_ version: UInt64) {
        tell(.queriesChanged(version: version))
    }

    // MARK: - Waiting

    /// Returns when everything written before is on the server.
    func waitForUpload() async throws {
        // The log may have grown by a commit whose notice is still on its way here.
        fileChanged()
        try await wait { .waitForUpload($0) }
    }

    /// Returns when the device has everything that the server had when it was asked.
    ///
    /// - Parameter impatiently: whether a failed connection throws, although another attempt follows.
    func waitForDownload(impatiently: Bool = false) async throws {
        if impatiently, let outage { throw outage }
        try await wait(impatiently: impatiently) { .waitForDownload($0) }
    }

    private func wait(
        impatiently: Bool = false, _ event: (Conversation.Waiter) -> Conversation.Event
    ) async throws {
        guard user.isLoggedIn else {
            throw SyncError(.clientUser, "The user is not logged in. Log in to sync.")
        }
        lastWaiter += 1
        let waiter = Conversation.Waiter(number: lastWaiter)
        let event = event(waiter)
        if impatiently { impatient.insert(waiter) }
        defer { impatient.remove(waiter) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                // A wait that was cancelled before it began is never started.
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                waiting[waiter] = continuation
                handle(event)
            }
        } onCancel: {
            onQueue { driver in
                guard let continuation = driver.waiting.removeValue(forKey: waiter) else { return }
                driver.handle(.waitCancelled(waiter))
                continuation.resume(throwing: CancellationError())
            }
        }
    }

    /// Returns when the file holds everything that this version of the subscriptions matches, or when a newer version
    /// has replaced it.
    func waitForSubscriptions(_ version: UInt64) async throws {
        guard user.isLoggedIn else {
            throw SyncError(.clientUser, "The user is not logged in. Log in to sync.")
        }
        lastWaiter += 1
        let id = lastWaiter
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                subscriptionWaits.append(SubscriptionWait(id: id, version: version, continuation: continuation))
                if case .stopped(let failure) = conversation.phase {
                    failWaiters(SyncError(failure))
                } else {
                    finishSubscriptionWaits()
                }
            }
        } onCancel: {
            onQueue { driver in
                guard let index = driver.subscriptionWaits.firstIndex(where: { $0.id == id }) else { return }
                driver.subscriptionWaits.remove(at: index).continuation.resume(throwing: CancellationError())
            }
        }
    }

    private func finishSubscriptionWaits() {
        guard !subscriptionWaits.isEmpty else { return }
        let outcome = Result { try file.subscriptions() }
        var left: [SubscriptionWait] = []
        for wait in subscriptionWaits {
            switch outcome {
            case .failure(let error):
                wait.continuation.resume(throwing: error)
            case .success(let newest) where newest.version > wait.version || newest.state == .complete:
                wait.continuation.resume()
            case .success(let newest):
                if case .error(let message) = newest.state {
                    wait.continuation.resume(throwing: Realm.Error(.subscriptionFailed, message))
                } else {
                    left.append(wait)
                }
            }
        }
        subscriptionWaits = left
    }

    private func failWaiters(_ error: SyncError) {
        let waits = subscriptionWaits
        subscriptionWaits = []
        for wait in waits { wait.continuation.resume(throwing: error) }
        let waiting = waiting
        self.waiting = [:]
        for (waiter, continuation) in waiting {
            handle(.waitCancelled(waiter))
            continuation.resume(throwing: error)
        }
    }

    // MARK: - What the conversation asks

    private func perform(_ errand: Errand) {
        switch errand {
        case .call(let call): send(call)
        case .file(let work): onFile(work)
        case .tell(let event): tell(event)
        case .disconnect(let inDoubt):
            for call in calls.values { call.cancel() }
            calls = [:]
            transport.disconnect(inDoubt: inDoubt)
        case .renewToken: renewToken()
        case .wake(let moment): arm(moment)
        case .finish(let waiter): waiting.removeValue(forKey: waiter)?.resume()
        case .fail(let waiter, let trouble):
            waiting.removeValue(forKey: waiter)?.resume(throwing: SyncError(trouble))
        case .report(let trouble): report(trouble)
        }
    }

    private func report(_ trouble: Trouble) {
        let error = SyncError(trouble)
        user.app.syncManager.report(error, SyncSession(driver: self))
        if case .interrupted = trouble { interrupted(error) }
        if case .stopped = trouble {
            let waits = subscriptionWaits
            subscriptionWaits = []
            for wait in waits { wait.continuation.resume(throwing: error) }
        }
    }

    /// The quarantine contains the changes already, so that the error handler finds them there.
    private func reportRefused(_ changes: [QuarantinedChange]) {
        for change in changes {
            user.app.syncManager.report(SyncError(change), SyncSession(driver: self))
        }
    }

    private func interrupted(_ error: SyncError) {
        outage = error
        for waiter in impatient {
            guard let continuation = waiting.removeValue(forKey: waiter) else { continue }
            // Told later: this runs inside the conversation's own actions.
            tell(.waitCancelled(waiter))
            continuation.resume(throwing: error)
        }
    }

    private func renewToken() {
        let user = user
        Task { [weak self] in
            let event: Conversation.Event =
                switch await user.renewToken() {
                case .renewed: .tokenRenewed
                case .impossible: .renewalFailed(nil)
                case .failed(let failure): .renewalFailed(failure)
                }
            self?.tell(event)
        }
    }

    private func arm(_ moment: Moment) {
        lastWake += 1
        let number = lastWake
        // Rounded up: a timer that fires early would be armed again for nothing.
        let milliseconds = Int(clamping: moment.milliseconds &- min(moment.milliseconds, Self.now.milliseconds)) + 1
        executor.queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
            self?.assumeIsolated { driver in
                if driver.lastWake == number { driver.handle(.timer) }
            }
        }
    }

    // MARK: - The file
    //
    // Work on the file holds the driver. A file that is opened again meanwhile keeps this driver, so that no other
    // conversation starts from a checkpoint that is about to move.

    private func onFile(_ work: Conversation.Action) {
        if let announcement = work.announcement { user.app.syncManager.log(.info, announcement) }
        fileQueue.async { [self] in
            let outcome = file.perform(work, applying: applying)
            onQueue { $0.done(work, outcome) }
        }
    }

    /// Applies changes, and calls the app's blocks around a reset.
    private nonisolated func applying(_ changes: [ViewChange]) throws -> SyncedFile.Applied {
        guard let resetBlocks, try file.isReset(by: changes) else { return try file.apply(changes) }
        return try resetBlocks.around(on: fileQueue) { try file.apply(changes) }
    }

    private func done(_ work: Conversation.Action, _ outcome: SyncedFile.Outcome) {
        reportRefused(outcome.refused)
        if let event = outcome.event { handle(event) }
        if let failure = outcome.failure { reportFile(failure, "The server's answer could not be stored") }
        finishSubscriptionWaits()
        if case .queriesRefused(_, let failure) = work {
            // The subscriptions show the failure by now, so that the error handler finds it there.
            user.app.syncManager.report(SyncError(failure), SyncSession(driver: self))
        }
    }

    // MARK: - Calls

    private func send(_ call: OutgoingCall) {
        guard let token = user.accessToken else {
            let failure = SyncFailure(.tokenInvalid, "The user has logged out. Log in again to sync.")
            tell(call.failed(.refused(failure)))
            return
        }
        lastCall += 1
        let id = lastCall
        calls[id] = Task(executorPreference: executor) { [transport, weak self] in
            let event: Conversation.Event?
            do throws(TransportFailure) {
                let answer = try await call.answer(over: transport, token: token) { [weak self] event in
                    await self?.handle(event)
                }
                event = call.event(answer)
            } catch {
                event = call.failed(error)
            }
            await self?.ended(id, event)
        }
    }

    private func ended(_ id: UInt64, _ event: Conversation.Event?) {
        // A call that was cancelled is not in the table any more, and nobody waits for its outcome.
        guard calls.removeValue(forKey: id) != nil, let event else { return }
        handle(event)
    }
}

extension Conversation.Action {
    /// The message about an action for the app's log; nil for actions that need none.
    fileprivate var announcement: String? {
        switch self {
        case .refill(let committed):
            "The server was restored from an older copy: what it lost after \(committed) is sent again."
        case .beginAgain(let agreed, _):
            "The file was copied or restored from a backup: it goes on as a client of its own, and sends what it made after "
                + "changeset \(agreed.changesets) and one-way entry \(agreed.oneWay)."
        default: nil
        }
    }
}
