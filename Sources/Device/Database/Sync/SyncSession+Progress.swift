import CausewaySync
import Synchronization

extension SyncSession {
    /// How long a notification reports progress.
    ///
    /// ```swift
    /// let mode: SyncSession.ProgressMode = isFirstStart ? .forCurrentlyOutstandingWork : .reportIndefinitely
    /// let token = session.addProgressNotification(for: .download, mode: mode) { print($0.progressEstimate) }
    /// ```
    public enum ProgressMode: Hashable, Sendable {
        /// As long as the token lives.
        case reportIndefinitely
        /// Until what is outstanding now has been transferred.
        case forCurrentlyOutstandingWork
    }

    /// How much of the outstanding work is done.
    ///
    /// ```swift
    /// func text(_ progress: SyncSession.Progress) -> String {
    ///     if progress.isTransferComplete { return "done" }
    ///     return "\(progress.transferred) of \(progress.transferrable), \(Int(progress.fractionTransferred * 100)) %"
    /// }
    /// ```
    ///
    /// Uploads count transactions and downloads count objects: both numbers are known before anything is encoded.
    public struct Progress: Hashable, Sendable {
        /// The number of transactions or objects transferred so far.
        public let transferred: Int
        /// The number of transactions or objects transferred so far and still to come.
        public let transferrable: Int

        /// The fraction that is done, from 0 to 1. With `forCurrentlyOutstandingWork` it never falls.
        ///
        /// ```swift
        /// let progress = session.addProgressNotification(for: .download, mode: .reportIndefinitely) { print($0.progressEstimate) }
        /// ```
        public var progressEstimate: Double {
            transferrable == 0 ? 1 : min(1, Double(transferred) / Double(transferrable))
        }

        /// The same as `progressEstimate`.
        public var fractionTransferred: Double { progressEstimate }

        /// The same as `transferred`. It counts transactions or objects, not bytes.
        ///
        /// ```swift
        /// let token = session.addProgressNotification(for: .upload, mode: .forCurrentlyOutstandingWork) { print($0.transferredBytes) }
        /// ```
        @available(*, deprecated, message: "Transactions and objects are counted, not bytes. Use progressEstimate.")
        public var transferredBytes: Int { transferred }

        /// The same as `transferrable`. It counts transactions or objects, not bytes.
        ///
        /// ```swift
        /// let token = session.addProgressNotification(for: .upload, mode: .forCurrentlyOutstandingWork) { print($0.transferrableBytes) }
        /// ```
        @available(*, deprecated, message: "Transactions and objects are counted, not bytes. Use progressEstimate.")
        public var transferrableBytes: Int { transferrable }

        /// Whether nothing is outstanding.
        public var isTransferComplete: Bool { transferred >= transferrable }
    }

    /// Keeps progress reports coming. They stop when `invalidate` is called or the token is released.
    ///
    /// ```swift
    /// let token: SyncSession.ProgressNotificationToken? = session.addProgressNotification(
    ///     for: .upload, mode: .reportIndefinitely) { print($0.progressEstimate) }
    /// token?.invalidate()
    /// ```
    public final class ProgressNotificationToken: NotificationToken, @unchecked Sendable {
        // Unchecked as its superclass is: these two never change.
        private let driver: SyncDriver
        private let id: UInt64

        init(driver: SyncDriver, id: UInt64) {
            self.driver = driver
            self.id = id
            super.init(ObservationState())
        }

        /// Stops the reports.
        ///
        /// ```swift
        /// let progress = session.addProgressNotification(for: .upload, mode: .reportIndefinitely) { print($0.progressEstimate) }
        /// progress?.invalidate()
        /// ```
        @discardableResult
        public override func invalidate() -> Bool {
            let id = id
            driver.onQueue { driver in driver.progressObservers.removeAll { $0.id == id } }
            return observation.cancel()
        }

        deinit { invalidate() }
    }

    /// Reports the progress of uploads or downloads: once at the beginning and then at every step, on a thread of the
    /// library.
    ///
    /// ```swift
    /// let token = session.addProgressNotification(for: .download, mode: .forCurrentlyOutstandingWork) { progress in
    ///     print("\(progress.transferred) of \(progress.transferrable) objects")
    /// }
    /// ```
    ///
    /// - Returns: The token that keeps the reports coming; nil when the user has logged out.
    @preconcurrency
    public func addProgressNotification(
        for direction: ProgressDirection, mode: ProgressMode, block: @escaping @Sendable (Progress) -> Void
    ) -> ProgressNotificationToken? {
        guard state != .invalid else { return nil }
        let id = driver.published.withLock { published in
            published.lastObserver += 1
            return published.lastObserver
        }
        driver.onQueue { driver in
            driver.addProgressObserver(ProgressObserver(id: id, direction: direction, mode: mode, block: block))
        }
        return ProgressNotificationToken(driver: driver, id: id)
    }
}

/// One caller of `addProgressNotification`.
struct ProgressObserver: Sendable {
    var id: UInt64
    var direction: SyncSession.ProgressDirection
    var mode: SyncSession.ProgressMode
    var block: @Sendable (SyncSession.Progress) -> Void
    /// The count at the first report, and the count at which currently outstanding work is done.
    private var range: (from: UInt64, to: UInt64, finished: UInt64)?
    private var last: SyncSession.Progress?
    private(set) var isFinished = false

    init(
        id: UInt64, direction: SyncSession.ProgressDirection, mode: SyncSession.ProgressMode,
        block: @escaping @Sendable (SyncSession.Progress) -> Void
    ) {
        self.id = id
        self.direction = direction
        self.mode = mode
        self.block = block
    }

    mutating func report(_ progress: Progress) {
        guard !isFinished else { return }
        let shown: SyncSession.Progress
        switch mode {
        case .reportIndefinitely:
            shown = .init(
                transferred: Int(clamping: progress.transferred), transferrable: Int(clamping: progress.transferrable))
        case .forCurrentlyOutstandingWork:
            let range = range ?? (progress.transferred, progress.transferrable, progress.finished)
            self.range = range
            // A later change means that the outstanding work is done. A lower count means that a part of it was lost on
            // the way and comes again.
            let isPast = progress.finished > range.finished
            let known = range.from + UInt64(last?.transferred ?? 0)
            let done = isPast ? range.to : min(max(progress.transferred, known), range.to)
            shown = .init(
                transferred: Int(clamping: done - range.from), transferrable: Int(clamping: range.to - range.from))
            isFinished = shown.isTransferComplete
        }
        guard shown != last else { return }
        last = shown
        block(shown)
    }
}
