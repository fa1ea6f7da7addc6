import CausewayModel

/// When the newest versions were committed: tells how long devices waited for them. A value; `Sessions` guards it.
struct CommitTimes {
    private var entries: [(version: ServerVersion, time: ContinuousClock.Instant)] = []

    /// A device that lags behind more commits than twice this waits for other reasons.
    static let kept = 256

    mutating func note(_ version: ServerVersion, at time: ContinuousClock.Instant) {
        guard version > entries.last?.version ?? .zero else { return }
        entries.append((version, time))
        if entries.count > 2 * Self.kept { entries.removeFirst(Self.kept) }
    }

    /// When the first version behind one was committed; nil where that is not known any more.
    func first(after version: ServerVersion) -> ContinuousClock.Instant? {
        guard let oldest = entries.first, oldest.version <= version || version == .zero else { return nil }
        // The binary search of an ascending list.
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].version <= version { low = middle + 1 } else { high = middle }
        }
        return low < entries.count ? entries[low].time : nil
    }
}
