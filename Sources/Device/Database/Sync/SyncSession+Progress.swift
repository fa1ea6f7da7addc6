import CausewaySync
import Synchronization

extension SyncSession {
    /// Until when to report.
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
    /// Uploads are counted in transactions, downloads in objects: what can be counted before it is encoded.
    public struct Progress: Hashable, Sendable {
        /// What has been transferred.
        public let transferred: Int
        /// What has been or is to be transferred.
        public let transferrable: Int

        /// From 0 to 1; never falls while it is about currently outstanding work.
        ///
        /// ```swift
        /// let progress = session.addProgressNotification(for: .download, mode: .reportIndefinitely) { print($0.progressEstimate) }
        /// ```
        public var progressEstimate: Double {
            transferrable == 0 ? 1 : min(1, Double(transferred) / Double(transferrable))
        }

        /// The same as `progressEstimate`.
        public var fractionTransferred: Double { progressEstimate }

        /// The same as `transferred`: it never was a number of bytes here.
        ///
        /// ```swift
        /// let token = session.addProgressNotification(for: .upload, mode: .forCurrentlyOutstandingWork) { print($0.transferredBytes) }
        /// ```
        @available(*, deprecated, message: "Transactions and objects are counted, not bytes. Use progressEstimate.")
        public var transferredBytes: Int { transferred }

        /// The same as `transferrable`: it never was a number of bytes here.
        ///
        /// ```swift
        /// let token = session.addProgressNotification(for: .upload, mode: .forCurrentlyOutstandingWork) { print($0.transferrableBytes) }
        /// ```
        @available(*, deprecated, message: "Transactions and objects are counted, not bytes. Use progressEstimate.")
        public var transferrableBytes: Int { transferrable }

        /// Whether nothing is outstanding.
        public var isTransferComplete: Bool { transferred >= transferrable }
    }

    /// Stops the reports when `invalidate` is called or the token goes away.
    ///
    /// ```swift
    /// let token: SyncSession.ProgressNotificationToken? = session.addProgressNotification(
    ///     for: .upload, mode: .reportIndefinitely) { print($0.progressEstimate) }
    /// token?.invalidate()
    /// ```
    public final class ProgressNotificationToken: Sendable {
        private let driver: SyncDriver
        private let id: UInt64

        init(driver: SyncDriver, id: UInt64) {
            self.driver = driver
            self.id = id
        }

        /// Stops the reports.
        ///
        /// ```swift
        /// let progress = session.addProgressNotification(for: .upload, mode: .reportIndefinitely) { print($0.progressEstimate) }
        /// progress?.invalidate()
        /// ```
        public func invalidate() {
            let id = id
            driver.onQueue { driver in driver.progressObservers.removeAll { $0.id == id } }
        }

        deinit { invalidate() }
    }

    /// Reports how far uploads or downloads are: once at the beginning and then at every step, on a thread of the
    /// library. Keep the token as long as you want to hear.
    ///
    /// ```swift
    /// let token = session.addProgressNotification(for: .download, mode: .forCurrentlyOutstandingWork) { progress in
    ///     print("\(progress.transferred) of \(progress.transferrable) objects")
    /// }
    /// ```
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
    /// Where the count stood, and ends, for currently outstanding work; set by the first report.
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
            // A count of a later change says that what was outstanding is done; one that fell, that a part of it was lost
            // on the way and comes again.
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
