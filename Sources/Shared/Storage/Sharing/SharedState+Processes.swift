import Glibc
import Synchronization

/// Entries of processes, and how those of the dead are cleared.
///
/// An entry belongs to whoever has its byte locked. Its bit in the set of taken entries only says where to look: it is
/// set by the owner once the entry is empty, and cleared by the owner, or by whoever got the byte of a dead owner.
extension SharedState {
    /// Fills the entry, whose byte is held, and lets everybody see it.
    func takeEntry() {
        let entry = memory.entry(entryNumber)
        // Nobody looks here as long as the bit is not set.
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

    /// Forgets the pins, the watching and the sync of processes that ended without closing the file. Answers how many
    /// there were.
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
                // Only with the byte in hand: a process that is just coming could take the entry meanwhile.
                guard number != entryNumber, (try? locks.tryLock(byte)) == true else { return }
                // Perhaps its owner closed the file in the meantime; then this is done already.
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
        // Last, since from then on the entry may be another's.
        locks?.unlock(SharedLayout.firstProcessByte + Int64(entryNumber))
    }

    // MARK: - Statistics

    /// A process that has the file open. Its number is that of its own container.
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
