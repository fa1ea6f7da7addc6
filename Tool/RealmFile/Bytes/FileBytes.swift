/// The bytes of a Realm file, and what reading them may cost.
///
/// Every node of a sound file hangs in one place, so reading all of it takes steps in proportion to its size. A damaged file can
/// lead to one node a million times. The allowances end that.
final class FileBytes {
    /// Files of zeros are small: a node of eight bytes may hold many of them.
    private static let stepsMin = 1 << 24
    private static let stepsOfByteMax = 64
    private static let elementsMin = 1 << 23
    private static let elementsOfByteMax = 16
    /// A sound file is read once between two renewals, and some of it twice.
    private static let contentMin = 1 << 20
    private static let contentOfByteMax = 2
    /// So many bytes that are copied are a step.
    private static let bytesOfStep = 64

    let bytes: [UInt8]
    /// How many nodes and values may still be read.
    private var steps = 0
    /// How many elements of collections, and embedded objects, may still be read. They are in memory together.
    private var elements = 0
    /// How many bytes of strings and byte strings may still be read that are in memory together.
    private var content = 0
    /// How many strings were read that are not UTF-8.
    private(set) var repairedTextCount = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        renewAllowances()
    }

    var count: Int { bytes.count }

    /// For another reading of everything.
    func renewAllowances() {
        repairedTextCount = 0
        steps = Self.stepsMin + Self.stepsOfByteMax * count
        elements = Self.elementsMin + Self.elementsOfByteMax * count
        content = Self.contentMin + Self.contentOfByteMax * count
    }

    func takeSteps(_ number: Int = 1) throws {
        steps -= number
        guard steps >= 0 else { throw Self.exhausted }
    }

    func takeElements(_ number: Int) throws {
        elements -= number
        guard elements >= 0 else { throw Self.exhausted }
        try takeSteps(number)
    }

    /// For a value that is kept.
    func takeContent(_ value: RealmValue) throws {
        content -= value.contentBytes
        guard content >= 0 else { throw Self.exhausted }
    }

    /// For the values of a row that are stored once for many rows: those of one row are stored once each.
    func checkShared(_ bytes: Int) throws {
        guard bytes <= count else { throw Self.exhausted }
    }

    /// Bytes of the file, for a value.
    func copy(_ range: Range<Int>) throws -> [UInt8] {
        try takeSteps(range.count / Self.bytesOfStep)
        return Array(bytes[range])
    }

    private static var exhausted: RealmFileFailure {
        RealmFileFailure("The Realm file is damaged: it leads to the same places over and over.")
    }

    /// A string. Realm checks no text, and so a file may have some that is none.
    func text(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        repairedTextCount += 1
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Precondition: the number is inside of the file.
    func number<Number: FixedWidthInteger>(at place: Int, as type: Number.Type = Number.self) -> Number {
        precondition(place >= 0 && place <= count - MemoryLayout<Number>.size)
        return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: type)) }
    }
}
