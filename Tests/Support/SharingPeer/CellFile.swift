import CausewaySeeds
import CausewayStorage
import Foundation

/// The smallest store that goes wrong when a pinned state is written over: every state is one cell of a file, filled
/// with the number of its transaction, which names the cell.
final class CellFile: Sendable {
    private static let cellCount = 32
    private static let wordCount = 32

    private let path: String
    /// nonisolated(unsafe): set once. Cells are read under a pin, and written by the one writer when nobody pins them.
    private nonisolated(unsafe) let words: UnsafeMutablePointer<UInt64>

    init(path: String) {
        self.path = path
        let byteCount = Self.cellCount * Self.wordCount * 8
        let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0, ftruncate(descriptor, byteCount) == 0 else { fatalError("cannot open \(path)") }
        let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        close(descriptor)
        guard let memory, memory != MAP_FAILED else { fatalError("cannot map \(path)") }
        words = memory.bindMemory(to: UInt64.self, capacity: byteCount / 8)
    }

    func openState() throws -> SharedState {
        let (state, isFirst) = try SharedState.open(path: path + "-lock", file: path)
        if isFirst {
            // A cell that its writer left half filled holds no state.
            let newest =
                (0..<Self.cellCount).filter { isFilled($0, with: words[$0 * Self.wordCount]) }
                .map { words[$0 * Self.wordCount] }.max() ?? 0
            // An empty file holds the state 32, in cell 0.
            if newest == 0 { fill(0, with: UInt64(Self.cellCount)) }
            let found = max(newest, UInt64(Self.cellCount))
            state.reset(
                newest: found, slot: 0, durable: found, slots: [found, 0, 0, 0],
                nextBirth: found / UInt64(Self.cellCount) + 1)
        }
        state.finishOpening()
        return state
    }

    // MARK: - Reading

    /// Pins some states, looks whether they stay as they are, and lets them go.
    func read(_ state: SharedState, _ random: inout SeededNumbers) {
        let count = random.next() % 16 == 0 ? Int.random(in: 1...120, using: &random) : 1
        var pins: [SharedState.Pin] = []
        for _ in 0..<count {
            pins.append(state.pin())
            if random.next() % 8 == 0 { usleep(UInt32(random.next() % 64)) }
        }
        while !pins.isEmpty {
            let pin = pins.remove(at: Int.random(in: 0..<pins.count, using: &random))
            let cell = Int(pin.transaction % UInt64(Self.cellCount))
            if !isFilled(cell, with: pin.transaction) {
                say("broken: cell \(cell) of \(pin.transaction) holds \(words[cell * Self.wordCount])")
                exit(1)
            }
            state.unpin(pin)
        }
    }

    // MARK: - Writing

    /// Fills a cell that nobody needs with the next state.
    func commit(_ state: SharedState, _ lock: WriterLock, _ random: inout SeededNumbers) throws {
        try lock.wait(for: lock.takeTicket())
        defer { lock.release() }
        // What a dead writer left half done was a cell that nobody needed, and so it is still.
        if state.committing != 0 { state.endCommitting() }
        let birth = state.takeBirth()
        state.beginCommitting(birth)
        defer { state.endCommitting() }
        if random.next() % 16 == 0 { state.clearDeadProcesses() }
        guard let cell = freeCell(state, &random) else {
            state.clearDeadProcesses()
            return
        }
        let transaction = birth * UInt64(Self.cellCount) + UInt64(cell)
        fill(cell, with: transaction)
        state.publish(transaction, slot: 0)
        state.noteCommit()
    }

    private func freeCell(_ state: SharedState, _ random: inout SeededNumbers) -> Int? {
        let newest = state.newest
        let pinned = state.pinnedStates()
        let start = Int.random(in: 0..<Self.cellCount, using: &random)
        // Few at a time, so that a cell is used again soon.
        return (0..<8).lazy.map { (start + $0) % Self.cellCount }.first { cell in
            let transaction = self.words[cell * Self.wordCount]
            return transaction != newest && !pinned.exact.contains(transaction)
                && !pinned.ranges.contains { $0.contains(transaction) }
        }
    }

    private func fill(_ cell: Int, with transaction: UInt64) {
        for word in 0..<Self.wordCount { words[cell * Self.wordCount + word] = transaction }
    }

    private func isFilled(_ cell: Int, with transaction: UInt64) -> Bool {
        (0..<Self.wordCount).allSatisfy { words[cell * Self.wordCount + $0] == transaction }
    }
}
