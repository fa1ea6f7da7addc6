/// Notifications of commits by other processes.
extension SharedState {
    /// Notifies every other watching process of a new commit. Call it after the state is published.
    ///
    /// - Complexity: a few loads, and a system call for each other process that watches.
    package func noteCommit() {
        memory.forEach(in: SharedLayout.watchingOffset) { number in
            if number != entryNumber { CommitWatcher.wake(memory, number) }
        }
    }

    /// Whether another process watches for commits.
    package var isWatchedByOthers: Bool {
        var isWatched = false
        memory.forEach(in: SharedLayout.watchingOffset) { if $0 != entryNumber { isWatched = true } }
        return isWatched
    }

    /// Calls back soon after commits of other processes, until the token is released. Several commits may come as one
    /// call. Commits from before this method returns may be missed, so check for them afterwards. A call that has begun
    /// finishes even when the token is released.
    package func observeOtherProcesses(_ body: @escaping @Sendable () -> Void) -> any StorageObservation {
        watcher.observe(body)
    }
}
