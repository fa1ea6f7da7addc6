import CausewayModel
public import Dispatch
import Foundation
import Synchronization

extension Realm {
    /// Opens a Realm in the background, and hands it over where a queue runs.
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
    ///   - callback: Called once, with the Realm or with what was in the way: a `Realm.Error`, a `SyncError`, or
    ///     `POSIXError.ECANCELED` when the opening was cancelled.
    /// - Returns: The opening, to cancel it or to hear how far it is. It goes on when the task is let go of.
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

        /// Gives up opening the file: all openings of it that are under way are called back with
        /// `POSIXError.ECANCELED`.
        ///
        /// ```swift
        /// let task = Realm.asyncOpen(configuration: configuration) { result in print(result) }
        /// task.cancel()    // prints that it was cancelled
        /// ```
        public func cancel() {
            opening.cancelAll()
        }

        /// Reports how far the download is, until the Realm is open. Of a local Realm there is nothing to report.
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
            // Held until the Realm is open where it is wanted, so that nothing is closed and opened again between.
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

    /// Opens the Realm once more, where it is wanted.
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

    /// Whether nobody has called back or is about to; from now on the caller does.
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
