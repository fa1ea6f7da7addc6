import Glibc
import Synchronization

/// The entries of processes, and how entries of dead processes are cleared.
///
/// An entry belongs to the process that has its byte locked. Its bit in the set of taken entries is only a hint where
/// to look. The owner sets it after it has cleared the entry. The owner clears it, or a process that gets the byte of a
/// dead owner.
extension SharedState {
    /// Fills the entry, whose byte is held, and publishes it.
    func takeEntry() {
        let entry = memory.entry(entryNumber)
        // Nobody reads the entry as long as its bit is not set.
        memory.remove(entryNumber, from: SharedLayout.watchingOffset)
        memory.remove(entryNumber, from: SharedLayout.takenOffset)
        memset(memory.base + entry, 0, SharedLayout.entryBytes)
        let own = ProcessIdentity.own
        let name = own.name.prefix(SharedLayout.entryNameBytes)
        name.withUnsafeBytes { name in
            UnsafeMutableRawBufferPointer(
                start: memory.base + entry + SharedLayout.entryNameOffset, count: SharedLayout.entryNameBytes
            ).copyMemory(from: name)
        }
        memory.word(entry + SharedLayout.entryStartOffset).pointee.store(own.start, ordering: .relaxed)
        memory.word(entry + SharedLayout.entryProcessOffset).pointee
            .store(UInt64(own.processID), ordering: .releasing)
        memory.insert(entryNumber, into: SharedLayout.takenOffset)
    }

    /// Clears pins, watching bits and syncs of processes that ended without closing the file. Returns how many such
    /// processes there were.
    ///
    /// - Complexity: a system call for each other process.
    @discardableResult
    package func clearDeadProcesses() -> Int {
        guard let locks else { return 0 }
        clearDeadSync()
        return clearing.withLock { _ in
            var cleared = 0
            memory.forEach(in: SharedLayout.takenOffset) { number in
                let byte = SharedLayout.firstProcessByte + Int64(number)
                // Only with the byte locked: a process that is just opening the file could take the entry meanwhile.
                guard number != entryNumber, (try? locks.tryLock(byte)) == true else { return }
                // The owner may have closed the file in the meantime, and cleared the bit itself.
                if memory.contains(number, in: SharedLayout.takenOffset) { cleared += 1 }
                memory.remove(number, from: SharedLayout.watchingOffset)
                memory.remove(number, from: SharedLayout.takenOffset)
                locks.unlock(byte)
            }
            return cleared
        }
    }

    func releaseEntry() {
        memory.remove(entryNumber, from: SharedLayout.watchingOffset)
        memory.remove(entryNumber, from: SharedLayout.takenOffset)
        // Last, because another process may take the entry from then on.
        locks?.unlock(SharedLayout.firstProcessByte + Int64(entryNumber))
    }

    // MARK: - Statistics

    /// A process that has the file open. Its ID is the one in its own container.
    package struct Process: Hashable, Sendable {
        package var processID: Int32
        /// In clock ticks since the system started.
        package var start: UInt64
        package var name: String
    }

    package var processes: [Process] {
        var processes: [Process] = []
        memory.forEach(in: SharedLayout.takenOffset) { number in
            let entry = memory.entry(number)
            let name = UnsafeRawBufferPointer(
                start: memory.base + entry + SharedLayout.entryNameOffset, count: SharedLayout.entryNameBytes)
            processes.append(
                Process(
                    processID: processID(ofEntry: number),
                    start: memory.word(entry + SharedLayout.entryStartOffset).pointee.load(ordering: .relaxed),
                    name: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)))
        }
        return processes
    }

    func processID(ofEntry number: Int) -> Int32 {
        Int32(
            truncatingIfNeeded: memory.word(memory.entry(number) + SharedLayout.entryProcessOffset).pointee
                .load(ordering: .acquiring))
    }
}
