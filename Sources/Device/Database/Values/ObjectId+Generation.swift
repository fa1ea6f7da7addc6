import CausewayModel
public import Foundation
import Synchronization

/// The five bytes of this process, drawn once, and the counter that tells its ids apart within a second.
private enum Process {
    static let identity = UInt64.random(in: 0..<(1 << 40))
    static let counter = Atomic<UInt32>(UInt32.random(in: 0..<(1 << 24)))
}

extension ObjectId {
    /// A new id, different from every other that any device makes.
    ///
    /// ```swift
    /// let id = ObjectId.generate()
    /// ```
    ///
    /// Complexity: one clock reading and one atomic addition; safe from any thread.
    public static func generate() -> ObjectId {
        let count = Process.counter.wrappingAdd(1, ordering: .relaxed).oldValue
        return ObjectId(seconds: seconds(of: Date()), process: Process.identity, count: count)
    }

    /// An id of a given time, for callers that number machines and processes themselves.
    ///
    /// ```swift
    /// let startOfToday = ObjectId(timestamp: Calendar.current.startOfDay(for: .now))
    /// let since = dogs.where { $0.name != "" }.filter { $0.id >= startOfToday }
    /// ```
    ///
    /// Only the lower 24 bits of `machineId` and the lower 16 of `processId` are used. Two ids with the same arguments
    /// still differ by the counter.
    public init(timestamp: Date, machineId: Int = 0, processId: Int = 0) {
        let machine = UInt64(truncatingIfNeeded: machineId) & 0xFF_FFFF
        let process = UInt64(truncatingIfNeeded: processId) & 0xFFFF
        let count = Process.counter.wrappingAdd(1, ordering: .relaxed).oldValue
        self.init(seconds: Self.seconds(of: timestamp), process: machine << 16 | process, count: count)
    }

    /// When the id was made, to the second.
    ///
    /// ```swift
    /// let newest = dogs.filter { $0.id.timestamp > Date(timeIntervalSinceNow: -60) }
    /// ```
    public var timestamp: Date {
        Date(timeIntervalSince1970: TimeInterval(identifier.high >> 32))
    }

    private init(seconds: UInt32, process: UInt64, count: UInt32) {
        self.init(
            ObjectIdentifier12(
                high: UInt64(seconds) << 32 | process >> 8,
                low: UInt32(process & 0xFF) << 24 | count & 0xFF_FFFF
            )
        )
    }

    /// Seconds in 32 bits last until 2106. Dates outside are clamped to the nearest.
    private static func seconds(of date: Date) -> UInt32 {
        let seconds = date.timeIntervalSince1970
        guard seconds > 0 else { return 0 }
        return seconds >= TimeInterval(UInt32.max) ? .max : UInt32(seconds)
    }
}
