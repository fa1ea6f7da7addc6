import CausewaySimulatedDisk
import CausewayStorage

/// Another program, or the same one otherwise set up, that opens the file before the one it belongs to does.
///
/// It finds the state that its owner finds, or is refused for the one reason there is; and it changes nothing.
enum OtherProgram {
    case none
    /// It reserves so many pages of addresses, perhaps fewer than the file has.
    case smallMap(pages: Int)
    /// It reserves several times the addresses that the owner does.
    case largeMap
    case readOnly
    case wrongKey
    /// It is older than the library that wrote one of the headers: the slot that this number leads to.
    case older(slot: Int)

    private static let pageBytes = 4096
    private static let slotCount = 4
    private static let formatOffset = 8
    private static let largerTimes = 4

    /// - Parameter pages: of the file.
    init(_ random: inout SeededRandom, pages: Int) {
        switch random.number(below: 12) {
        case 0, 1: self = .smallMap(pages: Self.slotCount + random.number(below: max(1, pages)))
        case 2: self = .readOnly
        case 3: self = .wrongKey
        case 4: self = .older(slot: random.number(below: Self.slotCount))
        case 5: self = .largeMap
        default: self = .none
        }
    }

    /// Opens the file. Answers what was found, or nil when it was refused as it has to be.
    func look(at disk: SimulatedDisk, _ options: StorageOptions) throws -> Fingerprint? {
        var options = options
        switch self {
        case .none: return nil
        case .smallMap(let pages): options.mapSizeBytes = pages * Self.pageBytes
        case .largeMap: options.mapSizeBytes = disk.capacityBytes * Self.largerTimes
        case .readOnly: options.readOnly = true
        case .wrongKey:
            var key = options.encryptionKey ?? WorkloadPlan.encryptionKey
            if options.encryptionKey != nil { key[7] ^= 1 }
            options.encryptionKey = key
        case .older(let slot): return try Self.withNewerHeader(disk, slot: slot) { try open(disk, options) }
        }
        return try open(disk, options)
    }

    private var refusal: StorageError.Code? {
        switch self {
        case .none, .readOnly, .largeMap: nil
        case .smallMap: .mapFull
        case .wrongKey: .wrongKey
        case .older: .unsupportedVersion
        }
    }

    /// Whether it has to be refused, whatever is in the file.
    private var isAlwaysRefused: Bool {
        switch self {
        case .none, .readOnly, .smallMap, .largeMap: false
        case .wrongKey, .older: true
        }
    }

    private func open(_ disk: SimulatedDisk, _ options: StorageOptions) throws -> Fingerprint? {
        let changes = disk.changes
        let found: Fingerprint?
        do {
            found = try Fingerprint(of: PageStorage.open(file: disk.open(), path: "image", options: options).snapshot())
        } catch let error as StorageError where error.code == refusal {
            found = nil
        } catch {
            throw Workload.Failure("\(self) was not refused as it has to be: \(error)")
        }
        guard disk.waitUntilClosed() else { throw Workload.Failure("\(self) did not close the file") }
        guard disk.changes == changes else { throw Workload.Failure("\(self) changed the file") }
        if isAlwaysRefused, found != nil { throw Workload.Failure("\(self) was let in") }
        return found
    }

    /// Has one header say for a while that a newer library wrote it.
    private static func withNewerHeader(
        _ disk: SimulatedDisk, slot: Int, _ body: () throws -> Fingerprint?
    ) throws -> Fingerprint? {
        let place = slot * pageBytes
        var head = [UInt8](repeating: 0, count: formatOffset + 2)
        let count = head.withUnsafeMutableBytes { disk.open().read(into: $0, at: place) }
        guard count == head.count, head.starts(with: Array("Causeway".utf8)) else { return nil }
        func write(_ bytes: [UInt8]) {
            _ = bytes.withUnsafeBytes { disk.open().write([$0], at: place) }
        }
        write(Array(head[..<formatOffset]) + [head[formatOffset] + 1, 0])
        defer { write(head) }
        return try body()
    }
}
