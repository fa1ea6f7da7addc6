import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewaySync
import CausewayWire
import Dispatch
import Synchronization

/// Runs one synced file's conversation: performs what the state machine asks, tells it what came of it.
///
/// It decides nothing about the protocol. The conversation lives on a queue of its own and never waits for the file's
/// writer; applying and staging happen on a second queue, so that a long bootstrap delays no upload and no heartbeat.
///
/// The driver lives as long as its file's coordinator: while a Realm of the file is open or writes are on their way.
actor SyncDriver {
    nonisolated let configuration: SyncConfiguration
    nonisolated var user: User { configuration.user }
    nonisolated let file: SyncedFile
    nonisolated var transport: any Transport { way.withLock { $0 } }
    private nonisolated let way: Mutex<any Transport>
    /// What others may read at any time.
    nonisolated let published = Mutex(Published())

    private nonisolated let resetBlocks: ResetBlocks?
    private nonisolated let executor: QueueExecutor
    private nonisolated let fileQueue: DispatchQueue
    private var conversation: Conversation
    private var random = SystemRandomNumberGenerator()
    private var commits: CommitObservation?
    /// The file's coordinator, held while writes are on their way: the app may let go of its Realm right after a write.
    private weak var coordinator: FileCoordinator?
    private var coordinatorInUse: FileCoordinator?
    /// The classes that the present session, or the next one, begins with.
    private var schemaTold = StoredSchema()
    private var calls: [UInt64: Task<Void, Never>] = [:]
    private var lastCall: UInt64 = 0
    /// Numbers the timers; only the last one armed counts.
    private var lastWake: UInt64 = 0
    private var waiting: [Conversation.Waiter: CheckedContinuation<Void, any Error>] = [:]
    private var lastWaiter: UInt64 = 0
    private var subscriptionWaits: [SubscriptionWait] = []
    /// Who waits only for as long as every connection succeeds.
    private var impatient: Set<Conversation.Waiter> = []
    /// What broke the connection last; nil since one works.
    private var outage: SyncError?
    var progressObservers: [ProgressObserver] = []

    struct Published {
        var connection = ConnectionState.disconnected
        /// The ends of what the server has confirmed of the two logs.
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

    /// Reads where the file stands. Nothing is sent before `start`.
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

    /// The file is open through this coordinator from now on.
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
        for action in actions { perform(action) }
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
            let (logged, schema) = try file.standing()
            if schema != schemaTold { schemaChanged(schema) }
            if logged.changesets > conversation.upload.logged || logged.oneWay > conversation.ingest.logged {
                handle(.committed(logged))
            }
        } catch {
            reportFile(error, "The file cannot be read")
        }
    }

    private func reportFile(_ error: any Error, _ what: String) {
        let error = SyncError(.clientInternal, "\(what): \(SyncedFile.message(of: error))")
        user.app.syncManager.report(error, SyncSession(driver: self))
    }

    /// A session begins with the classes; a file without any has nothing to say yet, and one that got new ones says
    /// hello again.
    private func schemaChanged(_ schema: StoredSchema) {
        let isFirst = schemaTold.classes.isEmpty
        schemaTold = schema
        if isFirst { connectIfAllowed() } else { handle(.schemaChanged) }
    }

    private func connectIfAllowed() {
        let isSuspended = published.withLock { $0.isSuspended }
        guard user.isLoggedIn, !isSuspended, !schemaTold.classes.isEmpty else { return }
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

    /// Calls go on with a newer token of the same login.
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

    /// What is under way ends, and the next connection goes to the app's new address.
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

    /// Returns when everything the server had when it was asked is here.
    ///
    /// - Parameter impatiently: whether a connection that fails ends the wait with an error, though another attempt
    ///   follows.
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
                // What is given up before it began is not heard of again.
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

    /// Returns when the file holds what this version of the subscriptions matches, or a newer one took its place.
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

    private func perform(_ action: Conversation.Action) {
        switch action {
        case .sendHello(let attempt): sendHello(attempt)
        case .openDownload(let attempt, let session): openDownload(attempt, session)
        case .upload(let attempt, let session, let after, let alone): upload(attempt, session, after, alone: alone)
        case .ingest(let attempt, let after, let alone): ingest(attempt, after, alone: alone)
        case .sendQueries(let attempt, let session): sendQueries(attempt, session)
        case .sendMark(let attempt, let session, let id):
            call(attempt, .mark(id)) { transport, token throws(TransportFailure) in
                try await transport.mark(id, session: session, token: token)
                return nil
            }
        case .sendCredit(let attempt, let session, let bytes):
            call(attempt, .credit) { transport, token throws(TransportFailure) in
                try await transport.credit(bytes, session: session, token: token)
                return .creditTaken(attempt)
            }
        case .sendDigests(let attempt, let request):
            call(attempt, .digests) { transport, token throws(TransportFailure) in
                try await transport.digests(request, token: token)
                return nil
            }
        case .digest(let attempt, let question):
            onFile(answering: { .digested(attempt, number: question.number, try $0.digests(question)) })
        case .disconnect(_, let inDoubt):
            for call in calls.values { call.cancel() }
            calls = [:]
            transport.disconnect(inDoubt: inDoubt)
        case .renewToken: renewToken()
        case .apply(let changes):
            onFile(answering: { [self] file in
                let outcome: (acknowledged: UInt64, refused: [QuarantinedChange])
                do {
                    outcome =
                        if let resetBlocks, try file.isReset(by: changes) {
                            try resetBlocks.around(on: fileQueue) { try file.apply(changes) }
                        } else {
                            try file.apply(changes)
                        }
                } catch is SyncedFile.ChangeOfCopy {
                    return .ofCopy
                }
                if !outcome.refused.isEmpty { onQueue { $0.reportRefused(outcome.refused) } }
                return .applied(acknowledged: outcome.acknowledged)
            })
        case .spill(let parts, let from):
            onFile(answering: {
                try $0.stage(parts, from: from)
                return .spilled
            })
        case .refill(let committed):
            let manager = user.app.syncManager
            manager.log(
                .info, "The server was restored from an older copy: what it lost after \(committed) is sent again.")
            onFile(answering: { file in
                do {
                    try file.refill(after: committed)
                    return .refilled(after: committed)
                } catch let error as StoreError where error.code == .invalidValue {
                    // Of other failures of the file the next attempt may know nothing.
                    return .refillFailed(SyncedFile.message(of: error))
                }
            })
        case .beginAgain(let agreed, let refused):
            user.app.syncManager.log(
                .info,
                "The file was copied or restored from a backup: it goes on as a client of its own, and sends what it made "
                    + "after changeset \(agreed.changesets) and one-way entry \(agreed.oneWay).")
            onFile(answering: { [self] file in
                let begun = try file.beginAgain(after: agreed, refused: refused)
                if !begun.refused.isEmpty { onQueue { $0.reportRefused(begun.refused) } }
                return .beganAgain(passed: begun.passed, logged: begun.logged)
            })
        case .setAside(let refused):
            onFile(answering: { [self] file in
                do {
                    let changes = try file.setAside(refused)
                    // It must not be asked for the same again without a pause.
                    guard !changes.isEmpty else {
                        return .setAsideFailed(refused.lane, "The server refuses what this file does not send.")
                    }
                    onQueue { $0.reportRefused(changes) }
                    return .setAside(refused.lane)
                } catch {
                    return .setAsideFailed(
                        refused.lane,
                        "What the server refused could not be set aside: \(SyncedFile.message(of: error))")
                }
            })
        case .dropOneWay(let through):
            onFile { file in try file.dropOneWay(through: through) }
        case .queriesRefused(let version, let failure): queriesRefused(version, failure)
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

    /// The quarantine has them already: whoever hears of it finds them there.
    private func reportRefused(_ changes: [QuarantinedChange]) {
        for change in changes {
            user.app.syncManager.report(SyncError(change), SyncSession(driver: self))
        }
    }

    private func interrupted(_ error: SyncError) {
        outage = error
        for waiter in impatient {
            guard let continuation = waiting.removeValue(forKey: waiter) else { continue }
            // Not from within the conversation's own actions.
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
        // Late by the rounding of the clock rather than early: an early timer would be armed again for nothing.
        let milliseconds = Int(clamping: moment.milliseconds &- min(moment.milliseconds, Self.now.milliseconds)) + 1
        executor.queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
            self?.assumeIsolated { driver in
                if driver.lastWake == number { driver.handle(.timer) }
            }
        }
    }

    // MARK: - The file
    //
    // What the file is given to do holds the driver: a file that is opened again meanwhile goes on with this one, and
    // no other conversation ever starts from a checkpoint that is about to move.

    /// Work whose outcome the conversation waits for.
    private func onFile(answering body: @escaping @Sendable (SyncedFile) throws -> Conversation.Event) {
        fileQueue.async { [self] in
            let event: Conversation.Event
            do {
                event = try body(file)
            } catch {
                event = .fileFailed(
                    "The changes from the server could not be stored: \(SyncedFile.message(of: error))")
            }
            onQueue { driver in
                driver.handle(event)
                driver.finishSubscriptionWaits()
            }
        }
    }

    /// Work that the conversation does not wait for: done again after the next hello if it fails. `done` runs after it
    /// in either case.
    private func onFile(
        _ body: @escaping @Sendable (SyncedFile) throws -> Void,
        done: @escaping @Sendable (isolated SyncDriver) -> Void = { _ in }
    ) {
        fileQueue.async { [self] in
            let outcome = Result { try body(file) }
            onQueue { driver in
                if case .failure(let error) = outcome {
                    driver.reportFile(error, "The server's answer could not be stored")
                }
                driver.finishSubscriptionWaits()
                done(driver)
            }
        }
    }

    private func queriesRefused(_ version: UInt64, _ failure: SyncFailure) {
        onFile {
            try $0.refuseQueries(version, failure.message)
        } done: { driver in
            // Whoever hears of it looks at the subscriptions, which must say the same by then.
            driver.user.app.syncManager.report(SyncError(failure), SyncSession(driver: driver))
        }
    }

    // MARK: - Calls

    private func call(
        _ attempt: Conversation.Attempt, _ call: Conversation.Call,
        _ body:
            @escaping @Sendable (any Transport, String) async throws(TransportFailure) ->
            Conversation.Event?
    ) {
        guard let token = user.accessToken else {
            let failure = SyncFailure(.tokenInvalid, "The user has logged out. Log in again to sync.")
            tell(.failed(attempt, call, .refused(failure)))
            return
        }
        lastCall += 1
        let id = lastCall
        calls[id] = Task(executorPreference: executor) { [transport, weak self] in
            let event: Conversation.Event?
            do throws(TransportFailure) {
                event = try await body(transport, token)
            } catch {
                event = .failed(attempt, call, error)
            }
            await self?.ended(id, event)
        }
    }

    private func ended(_ id: UInt64, _ event: Conversation.Event?) {
        // A call that was cancelled is not in the table any more, and nobody waits for its outcome.
        guard calls.removeValue(forKey: id) != nil, let event else { return }
        handle(event)
    }

    private func sendHello(_ attempt: Conversation.Attempt) {
        let greeting: SyncedFile.Greeting
        do {
            greeting = try file.greeting()
        } catch {
            tell(.failed(attempt, .hello, .unusable(SyncedFile.message(of: error))))
            return
        }
        call(attempt, .hello) { [file] transport, token throws(TransportFailure) in
            try await file.whenDurable(greeting.fileVersion)
            let sent = DispatchTime.now().uptimeNanoseconds
            let welcome = try await transport.hello(greeting.hello, token: token)
            // Read first and rounded up, so that the trip reaches back to before it began: clocks that agree are then left
            // alone, also where the trip took less than their milliseconds show.
            let localTime = SyncedFile.wallClock
            let roundTrip = (DispatchTime.now().uptimeNanoseconds - sent) / 1_000_000 + 1
            file.observe(serverTime: welcome.serverTime, localTime: localTime, roundTrip: roundTrip)
            return .welcomed(
                attempt, welcome,
                .init(
                    wanted: greeting.wantedVersion, logged: greeting.logged, dropped: greeting.dropped,
                    staged: greeting.staged, openings: greeting.openings,
                    oneWayOpenings: greeting.oneWayOpenings))
        }
    }

    private func openDownload(_ attempt: Conversation.Attempt, _ session: UInt64) {
        call(attempt, .download) { [weak self] transport, token throws(TransportFailure) in
            try await transport.download(session: session, token: token) { [weak self] message, bytes in
                await self?.handle(.received(attempt, message, bytes: bytes))
            }
            return .downloadClosed(attempt)
        }
    }

    private func upload(_ attempt: Conversation.Attempt, _ session: UInt64, _ after: UInt64, alone: Bool) {
        do {
            let (changesets, sizeBytes) = try file.pending(
                after: after, limitBytes: alone ? 0 : conversation.upload.batchBytes,
                operationsMax: conversation.operationsMax)
            guard !changesets.isEmpty else {
                tell(.uploadFoundNothing(attempt))
                return
            }
            tell(.departed(attempt, .changesets, bytes: sizeBytes))
            call(attempt, .upload) { transport, token throws(TransportFailure) in
                .uploadAnswered(attempt, try await transport.upload(changesets, session: session, token: token))
            }
        } catch {
            tell(.failed(attempt, .upload, .unusable(SyncedFile.message(of: error))))
        }
    }

    private func ingest(_ attempt: Conversation.Attempt, _ after: UInt64, alone: Bool) {
        do {
            let limitBytes = alone ? 0 : conversation.ingest.batchBytes
            let pending = try file.pendingOneWay(
                after: after, limitBytes: limitBytes, operationsMax: conversation.operationsMax)
            guard let (batch, sizeBytes) = pending else {
                tell(.ingestFoundNothing(attempt))
                return
            }
            tell(.departed(attempt, .oneWay, bytes: sizeBytes))
            call(attempt, .ingest) { transport, token throws(TransportFailure) in
                .ingestAnswered(attempt, through: try await transport.ingest(batch, token: token))
            }
        } catch {
            tell(.failed(attempt, .ingest, .unusable(SyncedFile.message(of: error))))
        }
    }

    private func sendQueries(_ attempt: Conversation.Attempt, _ session: UInt64) {
        do {
            let queries = try file.subscriptions().querySet
            call(attempt, .queries) { transport, token throws(TransportFailure) in
                try await transport.want(queries, session: session, token: token)
                return .queriesTaken(attempt, version: queries.version)
            }
        } catch {
            tell(.failed(attempt, .queries, .unusable(SyncedFile.message(of: error))))
        }
    }
}
