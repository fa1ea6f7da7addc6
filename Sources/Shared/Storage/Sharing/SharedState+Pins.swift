import Glibc
import Synchronization

/// How readers tell writers which states they read.
///
/// A pin is a word in the entry of its process, written before the state is used and cleared afterwards. Taking one has
/// three steps: read the newest transaction, publish it as pinned, and read the newest again. If it has changed,
/// publish the new one and check again.
///
/// **No writer misses a pin that is used.** All these steps are sequentially consistent, so all processes see them in
/// one order. A writer that wants to reuse pages of older states first reads the newest state N, which it spares, and
/// then reads all pins. Suppose it does not see the pin on T. Then it read that word before the pin was published. So
/// it also read N before that, and N was written even earlier. The reader reads the newest state again after
/// publishing, and finds N or a later state. Either that is T: then T = N, which the writer spares. Or it differs from
/// T: then the reader gives T up without having used it. A process entry that is taken meanwhile changes nothing: its
/// bit in the set is set before its first pin is published, so a writer that misses the bit has looked before the pin
/// was published. The same holds for a pin in a range: it counts as published when both ends are, and each end is read
/// once.
extension SharedState {
    /// A hold on a state, whose pages are kept until ``unpin(_:)``.
    package struct Pin: Sendable {
        package let transaction: UInt64
        /// The index of the word in the process's entry; ``inRange`` when none was free.
        fileprivate let place: Int

        fileprivate static let inRange = -1
    }

    /// Pins the newest state. Any number of pins may be held; the first 62 of a process are cheapest.
    package func pin() -> Pin {
        let pins = memory.word(memory.entry(entryNumber) + SharedLayout.entryPinsOffset)
        var transaction = newest
        guard let place = claim(pins, transaction) else { return pinInRange() }
        while true {
            let now = newest
            if now == transaction { return Pin(transaction: transaction, place: place) }
            transaction = now
            pins[place].store(now, ordering: .sequentiallyConsistent)
        }
    }

    package func unpin(_ pin: Pin) {
        guard pin.place != Pin.inRange else { return unpinInRange(pin) }
        // Releasing: everything read under the pin happens before a writer can find the word cleared.
        memory.word(memory.entry(entryNumber) + SharedLayout.entryPinsOffset)[pin.place].store(0, ordering: .releasing)
    }

    /// Finds a free word and publishes the transaction there.
    @inline(__always)
    private func claim(_ pins: UnsafeMutablePointer<Atomic<UInt64>>, _ transaction: UInt64) -> Int? {
        // Threads start in different cache lines of eight words, so that they rarely compete for one.
        let thread = UInt(bitPattern: Int(pthread_self())) &* 0x9E37_79B9_7F4A_7C15
        let start = Int(thread >> 61) * 8
        for step in 0..<SharedLayout.pinsMaximum {
            var place = start + step
            if place >= SharedLayout.pinsMaximum { place -= SharedLayout.pinsMaximum }
            if pins[place].load(ordering: .relaxed) == 0,
                pins[place].compareExchange(
                    expected: 0, desired: transaction, ordering: .sequentiallyConsistent
                ).exchanged
            {
                return place
            }
        }
        return nil
    }

    // MARK: - When all words are used up

    private func pinInRange() -> Pin {
        rangePins.withLock { pins in
            var transaction = newest
            while true {
                pins.add(transaction)
                publish(pins)
                let now = newest
                if now == transaction { return Pin(transaction: transaction, place: Pin.inRange) }
                pins.remove(transaction)
                transaction = now
            }
        }
    }

    private func unpinInRange(_ pin: Pin) {
        rangePins.withLock { pins in
            pins.remove(pin.transaction)
            publish(pins)
        }
    }

    /// Writes the two ends of the range. A writer of the file reads the low end first. While pins are added, the low
    /// end stays or appears, and the high end only rises, so the range that it reads never misses a pin.
    private func publish(_ pins: RangePins) {
        let entry = memory.entry(entryNumber)
        memory.word(entry + SharedLayout.entryRangeLowOffset).pointee
            .store(pins.lowest ?? 0, ordering: .sequentiallyConsistent)
        memory.word(entry + SharedLayout.entryRangeHighOffset).pointee
            .store(pins.highest ?? 0, ordering: .sequentiallyConsistent)
    }
}

// MARK: - For writers

extension SharedState {
    /// States that some living process may be reading.
    package struct PinnedStates: Equatable, Sendable {
        /// Ascending, each once.
        package var exact: [UInt64] = []
        /// Ranges of states, of which every state counts as pinned. At most one for each process.
        package var ranges: [ClosedRange<UInt64>] = []
    }

    /// The states that any process has pinned. Processes that died count until ``clearDeadProcesses()``.
    /// - Complexity: O(entries taken).
    package func pinnedStates() -> PinnedStates {
        var pinned = PinnedStates()
        forEachPin { _, exact in
            pinned.exact.append(exact)
        } range: { _, range in
            pinned.ranges.append(range)
        }
        if pinned.exact.count > 1 { pinned.exact.sortOnce() }
        return pinned
    }

    /// The oldest pinned state and the process that holds it; nil when nobody reads.
    package var oldestPin: (transaction: UInt64, processID: Int32)? {
        var oldest: (transaction: UInt64, entry: Int)?
        func consider(_ transaction: UInt64, _ entry: Int) {
            if transaction < oldest?.transaction ?? .max { oldest = (transaction, entry) }
        }
        forEachPin { entry, exact in
            consider(exact, entry)
        } range: { entry, range in
            consider(range.lowerBound, entry)
        }
        return oldest.map { ($0.transaction, processID(ofEntry: $0.entry)) }
    }

    @inline(__always)
    private func forEachPin(
        _ exact: (_ entry: Int, UInt64) -> Void, range: (_ entry: Int, ClosedRange<UInt64>) -> Void
    ) {
        memory.forEach(in: SharedLayout.takenOffset) { number in
            let entry = memory.entry(number)
            let low = memory.word(entry + SharedLayout.entryRangeLowOffset).pointee
                .load(ordering: .sequentiallyConsistent)
            if low != 0 {
                let high = memory.word(entry + SharedLayout.entryRangeHighOffset).pointee
                    .load(ordering: .sequentiallyConsistent)
                range(number, low...max(low, high))
            }
            let pins = memory.word(entry + SharedLayout.entryPinsOffset)
            for place in 0..<SharedLayout.pinsMaximum {
                let transaction = pins[place].load(ordering: .sequentiallyConsistent)
                if transaction != 0 { exact(number, transaction) }
            }
        }
    }
}

extension [UInt64] {
    /// Sorts, and removes duplicates.
    fileprivate mutating func sortOnce() {
        sort()
        var kept = 0
        for number in self where kept == 0 || number != self[kept - 1] {
            self[kept] = number
            kept += 1
        }
        removeLast(count - kept)
    }
}
