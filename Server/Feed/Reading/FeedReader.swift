import CausewayModel
package import CausewaySession
package import CausewayStore

/// Reads the history as events, step by step: from a position on, in order, each event at least once.
///
/// Each step takes a snapshot, does a bounded part of the work and lets go of the snapshot: a slow reader pins no pages. What a
/// reader needs in between is in the window, which is bounded too.
package struct FeedReader {
    /// Behind what was told last.
    package private(set) var position: FeedPosition
    private let selection: FeedSelection
    private let bounds: FeedBounds
    private var window: FeedWindow
    /// How many versions of the window are told.
    private var told = 0
    /// Whether the window has all versions that it takes, and how many entries of the history they have.
    private var isGathered = false
    private var gatheredEntries = 0

    package init(from position: FeedPosition, _ selection: FeedSelection, bounds: FeedBounds = FeedBounds()) {
        self.position = position
        self.selection = selection
        self.bounds = bounds
        window = FeedWindow(after: position.version)
    }

    /// Does the next part of the work.
    ///
    /// - Parameters:
    ///   - permissions: what the reader may read; nil is everything.
    ///   - end: when the step gives way to others; some work is done in any case.
    ///   - emit: is handed each event in turn; false ends the step behind it.
    /// - Returns: whether more is left to do now. If not, the reader has all that the snapshot has.
    package mutating func step(
        _ snapshot: any StoreSnapshot, under permissions: Permissions?, until end: StepEnd = StepEnd { false },
        _ emit: (ChangeEvent) -> Bool
    ) throws(FeedFailure) -> Bool {
        try check(snapshot)
        do throws(StoreFailure) {
            guard try fill(snapshot, end) else { return true }
            let isLeft = try tell(FeedTelling(snapshot, window, selection, permissions), end, emit)
            if !isLeft { beginWindow() }
            return isLeft || window.gathered < snapshot.version
        } catch {
            throw FeedFailure(error)
        }
    }

    /// Checks that the database still has what the reader has read, and what comes next.
    private mutating func check(_ snapshot: any StoreSnapshot) throws(FeedFailure) {
        let (oldest, newest) = (snapshot.historyStart, snapshot.version)
        guard position.version >= oldest else {
            throw FeedFailure(
                .historyGone,
                "The history begins behind version \(oldest.rawValue), and version \(position.version.rawValue) is older. "
                    + "Read the objects anew, then follow the changes from the version of that reading.", oldest: oldest
            )
        }
        let lineage: Lineage
        do throws(StoreFailure) {
            lineage = try snapshot.lineage()
        } catch {
            throw FeedFailure(error)
        }
        if let run = position.run, !lineage.knows(position.reached, of: run, newest: newest) {
            let shared = max(oldest, lineage.shared(position.reached, of: run, newest: newest))
            throw FeedFailure(
                .databaseRestored,
                "The database was restored from an older copy and has not had version \(position.reached.rawValue) as it was "
                    + "read. Read the objects anew, then follow the changes from the version of that reading.",
                oldest: shared)
        }
        guard position.reached <= newest else {
            throw FeedFailure(
                .versionUnknown,
                "The newest version is \(newest.rawValue), and version \(position.reached.rawValue) is not made yet. Follow "
                    + "the changes from a version that the server has told.", oldest: oldest)
        }
        position.run = lineage.run(of: position.reached)
    }

    // MARK: - Filling

    /// Gathers versions, and goes over all that come behind them.
    ///
    /// A step that is over gives way in the middle of either: the next one goes on with the same window, so that a reader that is
    /// far behind does not go over the history for a few versions at a time.
    ///
    /// - Returns: whether the window is complete.
    private mutating func fill(_ snapshot: any StoreSnapshot, _ end: StepEnd) throws(StoreFailure) -> Bool {
        var left = bounds.entriesAtOnce
        while isGathering, window.gathered < snapshot.version {
            guard goesOn(left, end) else { return false }
            let record = try snapshot.keptRecord(of: window.gathered.next)
            window.gather(record)
            left -= record.weight
            gatheredEntries += record.weight
        }
        guard !window.versions.isEmpty else { return true }
        isGathered = true
        while window.scanned < snapshot.version, goesOn(left, end) {
            let record = try snapshot.keptRecord(of: window.scanned.next)
            window.learn(record)
            left -= record.weight
        }
        return window.scanned == snapshot.version
    }

    /// Whether the window takes more versions that are told.
    private var isGathering: Bool {
        !isGathered && gatheredEntries < bounds.entriesAtOnce && window.weight < bounds.windowMax
    }

    private mutating func beginWindow() {
        (window, told) = (FeedWindow(after: window.gathered), 0)
        (isGathered, gatheredEntries) = (false, 0)
    }

    /// - Parameter left: how many entries the step has left.
    private func goesOn(_ left: Int, _ end: StepEnd) -> Bool {
        left == bounds.entriesAtOnce || left > 0 && !end.isReached
    }

    // MARK: - Telling

    /// - Returns: whether anything of the window is left.
    private mutating func tell(
        _ telling: FeedTelling, _ end: StepEnd, _ emit: (ChangeEvent) -> Bool
    ) throws(StoreFailure) -> Bool {
        var left = bounds.entriesAtOnce
        while told < window.versions.count {
            let version = window.versions[told]
            if version.count == 0 { position = telling.position(behind: 0, of: version) }
            while position.version < version.number, let candidate = version.candidate(position.events) {
                guard goesOn(left, end) else { return true }
                left -= 1
                let skipped = telling.skips(candidate)
                let event = skipped > 0 ? nil : try telling.event(candidate, version)
                position = telling.position(behind: position.events + max(1, skipped), of: version)
                guard var event else { continue }
                event.position = position
                if !emit(event) {
                    if position.version == version.number { told += 1 }
                    return told < window.versions.count
                }
            }
            told += 1
        }
        return false
    }
}

/// How much a reader does at a time, and holds.
package struct FeedBounds: Hashable, Sendable {
    /// Entries of the history that one step goes over, and objects that it judges. A version is read whole.
    package var entriesAtOnce = 4_096
    /// Objects, versions and touches that a window holds; about 200 bytes each. A single version may go beyond.
    package var windowMax = 16_384

    package init() {}
}
