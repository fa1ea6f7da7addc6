import CausewayEnvironment
import CStorage
import Glibc

/// Reads, writes and chooses among the four header slots at the beginning of a file.
enum HeaderSlots {
    static let byteCount = FileHeader.slotCount * Pages.sizeBytes

    /// The slot for the next header: that of the oldest state that is neither a fallback nor the newest. If there is
    /// none, because of three fallbacks, it is the slot of the newest state, which nobody was promised to survive a
    /// power loss.
    static func next(transactions: [UInt64], fallbacks: [UInt64], newest: UInt64) -> Int {
        var chosen: Int?
        for slot in transactions.indices where !fallbacks.contains(transactions[slot]) || transactions[slot] == 0 {
            guard let best = chosen else {
                chosen = slot
                continue
            }
            if transactions[best] == newest || transactions[slot] < transactions[best] { chosen = slot }
        }
        guard let chosen else { preconditionFailure("there are three fallbacks at most, and four slots") }
        return chosen
    }

    /// The header of a slot, if it is whole. Throws when the disk cannot read it, or a newer library wrote it.
    static func read(
        _ slot: Int, of disk: any DiskFile, seal: PageSeal?, path: String, mutation: StorageMutation? = nil
    ) throws(StorageError) -> FileHeader? {
        var result = 0
        var newer: UInt16?
        let header = withUnsafeTemporaryAllocation(byteCount: Pages.sizeBytes, alignment: 16) { page -> FileHeader? in
            result = disk.readWhole(into: page, at: slot * Pages.sizeBytes)
            guard result == Pages.sizeBytes, let base = page.baseAddress else { return nil }
            newer = FileCheck.newerFormat(UnsafeRawBufferPointer(page))
            guard newer == nil || mutation == .ignoreNewerFormats else { return nil }
            let reading = open(base, slot, seal)
            if case .failed(let number) = reading { result = -Int(number) }
            return reading == .sound ? FileHeader(UnsafeRawPointer(base)) : nil
        }
        if result < 0 { throw StorageError(errno: Int32(-result), doing: "read the file", path: path) }
        if let newer, mutation != .ignoreNewerFormats { throw FileCheck.newer(newer, path: path) }
        return header
    }

    /// The headers of all slots, in order.
    static func readAll(
        of disk: any DiskFile, seal: PageSeal?, path: String, mutation: StorageMutation?
    ) throws(StorageError) -> [FileHeader?] {
        var headers: [FileHeader?] = []
        for slot in 0..<FileHeader.slotCount {
            headers.append(try read(slot, of: disk, seal: seal, path: path, mutation: mutation))
        }
        return headers
    }

    /// Checks a header page, and decrypts it in place if it is encrypted.
    private static func open(_ page: UnsafeMutableRawPointer, _ slot: Int, _ seal: PageSeal?) -> PageReading {
        guard page.load(as: UInt64.self) == HeaderLayout.magic else { return .damaged }
        if let seal { return seal.openHeader(page, slot: slot) }
        return page.load(fromByteOffset: HeaderLayout.trailerOffset, as: UInt64.self) == checksum(page)
            ? .sound : .damaged
    }

    static func checksum(_ page: UnsafeRawPointer) -> UInt64 {
        var hash: UInt64 = 0
        // The page is in this process's memory, so reading it cannot fail.
        _ = causeway_hash(page, HeaderLayout.trailerOffset, 0, &hash)
        return hash
    }

    /// Overwrites a header with zeros. Ignores errors of the disk.
    static func clear(_ slot: Int, of disk: any DiskFile) {
        let zeros = [UInt8](repeating: 0, count: Pages.sizeBytes)
        _ = zeros.withUnsafeBytes { disk.writeWhole([$0], at: slot * Pages.sizeBytes) }
    }

    /// Writes a slot. Returns zero or a negative errno.
    static func write(_ header: FileHeader, to slot: Int, of disk: any DiskFile, seal: PageSeal?) -> Int {
        let memory = PageMemory()
        return write(header, to: slot, of: disk, seal: seal, in: memory.takePage())
    }

    /// Writes a slot, with memory from the caller. Returns zero or a negative errno.
    /// - Parameter page: zeroed.
    static func write(
        _ header: FileHeader, to slot: Int, of disk: any DiskFile, seal: PageSeal?, in page: UnsafeMutableRawPointer
    ) -> Int {
        header.encode(into: page, isEncrypted: seal != nil)
        if let seal {
            seal.sealHeader(page, slot: slot, birth: header.transaction)
        } else {
            page.storeBytes(of: checksum(page), toByteOffset: HeaderLayout.trailerOffset, as: UInt64.self)
        }
        return disk.writeWhole(
            [UnsafeRawBufferPointer(start: page, count: Pages.sizeBytes)], at: slot * Pages.sizeBytes)
    }
}
