import CausewayModel
public import Dispatch
import Foundation
import Synchronization

extension Realm {
    /// Opens a Realm in the background and passes it to a callback on a queue.
    ///
    /// ```swift
    /// let task = Realm.asyncOpen(configuration: configuration) { result in
    ///     switch result {
    ///     case .success(let realm): show(realm)
    ///     case .failure(let error): report(error)
    ///     }
    /// }
    /// ```
    ///
    /// Migrations, compaction and, for a synced Realm, the download of what its subscriptions match happen before the
    /// callback is called.
    ///
    /// - Parameters:
    ///   - callbackQueue: A serial queue; the Realm is confined to it.
    ///   - callback: Called once, with the Realm or with an error: a `Realm.Error`, a `SyncError`, or
    ///     `POSIXError.ECANCELED` when the opening was cancelled.
    /// - Returns: The opening, to cancel it or to report its progress. Releasing it cancels nothing.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue = .main,
        callback: @escaping (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let opening = AsyncOpening(configuration, callbackQueue, callback)
        opening.begin()
        return AsyncOpenTask(opening: opening)
    }

    /// An opening that `Realm.asyncOpen` began.
    ///
    /// ```swift
    /// let task: Realm.AsyncOpenTask = Realm.asyncOpen(configuration: configuration) { result in show(result) }
    /// task.cancel()
    /// ```
    public struct AsyncOpenTask: Sendable {
        let opening: AsyncOpening

        /// Cancels opening the file: all openings of it that are under way call back with `POSIXError.ECANCELED`.
        ///
        /// ```swift
        /// let task = Realm.asyncOpen(configuration: configuration) { result in print(result) }
        /// task.cancel()    // prints that it was cancelled
        /// ```
        public func cancel() {
            opening.cancelAll()
        }

        /// Reports the progress of the download until the Realm is open. A local Realm reports nothing.
        ///
        /// ```swift
        /// let task = Realm.asyncOpen(configuration: configuration) { result in show(result) }
        /// task.addProgressNotification { progress in bar.value = progress.progressEstimate }
        /// ```
        public func addProgressNotification(
            queue: DispatchQueue = .main, block: @escaping (SyncSession.Progress) -> Void
        ) {
            opening.report(on: queue, block)
        }
    }
}

/// One opening in the background, from the call to the callback.
final class AsyncOpening: Sendable {
    private typealias Report = @Sendable (SyncSession.Progress) -> Void

    private struct State {
        var isOver = false
        var session: SyncSession?
        var reports: [Report] = []
        var tokens: [SyncSession.ProgressNotificationToken] = []
        var download: Task<Void, Never>?
    }

    private let configuration: Realm.Configuration
    private let queue: DispatchQueue
    private let callback: Transferred<(Result<Realm, any Error>) -> Void>
    private let state = Mutex(State())
    /// The openings that are under way, by the path of their file.
    private static let underWay = Mutex<ExactDictionary<[AsyncOpening]>>([:])

    init(
        _ configuration: Realm.Configuration, _ queue: DispatchQueue,
        _ callback: @escaping (Result<Realm, any Error>) -> Void
    ) {
        self.configuration = configuration
        self.queue = queue
        self.callback = Transferred(callback)
    }

    func begin() {
        Self.underWay.withLock { $0[configuration.path, default: []].append(self) }
        DispatchQueue.global(qos: .userInitiated).async { self.open() }
    }

    private func open() {
        guard !state.withLock({ $0.isOver }) else { return }
        do {
            let instance = try RealmInstance.open(configuration, at: .current)
            // Held until the Realm is open on its queue, so that the file is not closed in between.
            let held = Transferred(instance)
            if let driver = instance.driver {
                download(driver, held)
            } else {
                handOver(held)
            }
        } catch {
            end(error)
        }
    }

    private func download(_ driver: SyncDriver, _ held: Transferred<RealmInstance>) {
        let session = SyncSession(driver: driver)
        let reports = state.withLock { state in
            state.session = session
            return state.reports
        }
        for report in reports { begin(report, session) }
        let download = Task {
            do {
                try await driver.waitForDownload(
                    impatiently: driver.configuration.cancelAsyncOpenOnNonFatalErrors)
                handOver(held)
            } catch {
                end(error)
            }
        }
        let isOver = state.withLock { state in
            state.download = download
            return state.isOver
        }
        if isOver { download.cancel() }
    }

    /// Opens the Realm again, on the callback's queue.
    private func handOver(_ held: Transferred<RealmInstance>) {
        queue.async { [self] in
            guard isFirstToEnd() else { return }
            let result = Result { try Realm(configuration: configuration, queue: queue) }
            withExtendedLifetime(held) { callback.value(result) }
        }
    }

    private func end(_ error: any Error) {
        guard isFirstToEnd() else { return }
        queue.async { [self] in callback.value(.failure(error)) }
    }

    /// Ends the opening. True for the first caller, who must call back.
    private func isFirstToEnd() -> Bool {
        let before = state.withLock { state in
            defer { state = State(isOver: true) }
            return state
        }
        before.download?.cancel()
        Self.underWay.withLock { underWay in
            underWay[configuration.path]?.removeAll { $0 === self }
            if underWay[configuration.path]?.isEmpty == true { underWay[configuration.path] = nil }
        }
        return !before.isOver
    }

    func cancelAll() {
        let openings = Self.underWay.withLock { $0[configuration.path] ?? [] }
        guard openings.contains(where: { $0 === self }) else { return }
        for opening in openings { opening.end(POSIXError(.ECANCELED)) }
    }

    // MARK: - Progress

    func report(on queue: DispatchQueue, _ block: @escaping (SyncSession.Progress) -> Void) {
        let block = Transferred(block)
        let report: Report = { progress in queue.async { block.value(progress) } }
        let session = state.withLock { state -> SyncSession? in
            guard !state.isOver else { return nil }
            if state.session == nil { state.reports.append(report) }
            return state.session
        }
        if let session { begin(report, session) }
    }

    private func begin(_ report: @escaping Report, _ session: SyncSession) {
        guard
            let token = session.addProgressNotification(
                for: .download, mode: .forCurrentlyOutstandingWork, block: report)
        else { return }
        state.withLock { if !$0.isOver { $0.tokens.append(token) } }
    }
}
