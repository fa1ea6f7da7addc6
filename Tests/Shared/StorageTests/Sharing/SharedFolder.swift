@testable import CausewayStorage
import Dispatch
import Foundation

/// A folder with one data file, whose sharing the test watches. Gone with the last reference.
final class SharedFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("sharing-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: file))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var file: String { path + "/data" }
    var lockFile: String { file + "-lock" }

    /// Joins as another process would: nothing but the lock file is shared.
    func open(readOnly: Bool = false) throws -> (state: SharedState, isFirst: Bool) {
        try SharedState.open(path: lockFile, file: file, readOnly: readOnly)
    }

    /// Opens, and has transaction 1 found when it is the first.
    func join() throws -> SharedState {
        let (state, isFirst) = try open()
        if isFirst { state.begin(at: 1) }
        state.finishOpening()
        return state
    }
}

extension SharedState {
    func begin(at transaction: UInt64) {
        reset(
            newest: transaction, slot: 0, durable: transaction, slots: [transaction, 0, 0, 0],
            nextBirth: transaction + 1)
    }
}

/// The error that a body throws.
func failure(_ body: () throws -> Void) -> StorageError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StorageError
    }
}

/// Waits until something has happened that must happen. Patience is long, since machines may be busy.
func eventually(_ happened: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<20_000 {
        if try happened() { return true }
        usleep(1000)
    }
    return false
}

/// Runs a body on so many threads at once, which all begin when the last of them is there.
func atOnce(_ threadCount: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    let arrived = Counter()
    for number in 0..<threadCount {
        // Each queue of its own has a thread of its own, however many processors there are.
        DispatchQueue(label: "at once \(number)").async(group: group) {
            arrived.add(1)
            while arrived.value < threadCount { usleep(10) }
            body(number)
        }
    }
    group.wait()
}
