/// Who wants to know of commits by other processes.
extension SharedState {
    /// Lets every other process that watches know that there is a new newest state. Called once it is published.
    ///
    /// - Complexity: a few loads, and a system call for each other process that watches.
    package func noteCommit() {
        memory.forEach(in: SharedLayout.watchingOffset) { number in
            if number != entryNumber { CommitWatcher.wake(memory, number) }
        }
    }

    /// Whether another process wants to know of commits.
    package var isWatchedByOthers: Bool {
        var isWatched = false
        memory.forEach(in: SharedLayout.watchingOffset) { if $0 != entryNumber { isWatched = true } }
        return isWatched
    }

    /// Calls back soon after commits of other processes until the token goes away; several of them may come as one
    /// call. Commits from before this call may go unnoticed, so look for them afterwards. A call that has begun goes
    /// on when the token is gone.
    package func observeOtherProcesses(_ body: @escaping @Sendable () -> Void) -> any StorageObservation {
        watcher.observe(body)
    }
}
