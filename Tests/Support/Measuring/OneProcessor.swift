import CMeasuring
import Foundation

/// Work of the whole process on one processor: however many threads it has, one of them works at a time.
package enum OneProcessor {
    package struct Failure: Error, CustomStringConvertible {
        package let number: Int32
        package var description: String { "cannot choose processors: \(String(cString: strerror(number)))" }
    }

    /// A bit for each of 1024 processors, which is what the system's own type holds.
    private typealias Mask = [UInt64]
    private static let words = 16

    /// How many processors this process may use.
    package static func count() throws -> Int {
        try allowed(getpid()).reduce(0) { $0 + $1.nonzeroBitCount }
    }

    package static func run<Answer>(_ body: () throws -> Answer) throws -> Answer {
        let before = try allowed(getpid())
        var one = Mask(repeating: 0, count: words)
        // The last: the first ones serve interrupts on many machines.
        if let word = before.lastIndex(where: { $0 != 0 }) { one[word] = 1 << UInt64(before[word].highestBit) }
        try allow(one)
        let answer = Result { try body() }
        try allow(before)
        return try answer.get()
    }

    /// A thread that begins meanwhile has the processors of the one that made it, so that a second pass may be needed.
    private static func allow(_ mask: Mask) throws {
        var isSettled = false
        while !isSettled {
            isSettled = true
            for thread in try threads() {
                // A thread may end between being listed and being asked.
                guard let current = try? allowed(thread), current != mask else { continue }
                isSettled = false
                let number = mask.withUnsafeBytes { causeway_set_processors(thread, $0.baseAddress, $0.count) }
                guard number == 0 || number == ESRCH else { throw Failure(number: number) }
            }
        }
    }

    private static func allowed(_ thread: pid_t) throws -> Mask {
        var mask = Mask(repeating: 0, count: words)
        let number = mask.withUnsafeMutableBytes { causeway_get_processors(thread, $0.baseAddress, $0.count) }
        guard number == 0 else { throw Failure(number: number) }
        return mask
    }

    private static func threads() throws -> [pid_t] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { pid_t($0) }
    }
}

extension UInt64 {
    /// The place of the highest bit that is set, of a number that has one.
    fileprivate var highestBit: Int { 63 - leadingZeroBitCount }
}
