import CausewayEnvironment
import Glibc

/// Checks a file before it is used: is it one of ours, and can this library read it with this key?
enum FileCheck {
    /// The identity of a file, from the clear part of one of its headers.
    struct Identity {
        var fileID: FileID
    }

    /// Whether the file must be created: it is empty, or its creation was interrupted before any caller was told that
    /// it succeeded. Creation writes zeros to all four slots, and then the header to slot 0. The first commit writes
    /// another slot.
    /// - Throws: `notADatabase` when the file would have to be created and is opened read-only.
    static func mustCreate(
        _ disk: any DiskFile, path: String, _ options: StorageOptions, _ key: SealingKey?
    ) throws(StorageError) -> Bool {
        let size = disk.size()
        guard size >= 0 else { throw StorageError(errno: Int32(-size), doing: "look at the file", path: path) }
        // A file system grows a file by whole pages, so a partial page means that a file was cut.
        guard size <= HeaderSlots.byteCount, size % Pages.sizeBytes == 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = bytes.withUnsafeMutableBytes { disk.readWhole(into: $0, at: 0) }
        guard count == size else { throw StorageError(errno: EIO, doing: "read the file", path: path) }
        guard bytes.dropFirst(Pages.sizeBytes).allSatisfy({ $0 == 0 }), mayBeUnfinished(bytes) else { return false }
        if try isHeaderWhole(bytes, disk, path: path, key) { return false }
        if options.readOnly {
            throw StorageError(
                .notADatabase, "Cannot open the file read-only: it is empty. Open it for writing once.", path: path)
        }
        return true
    }

    /// Whether the beginning is ours, or never reached the disk.
    private static func mayBeUnfinished(_ bytes: [UInt8]) -> Bool {
        let sectorBytes = 512
        return hasMagic(bytes) || bytes.prefix(sectorBytes).allSatisfy { $0 == 0 }
    }

    private static func isHeaderWhole(
        _ bytes: [UInt8], _ disk: any DiskFile, path: String, _ key: SealingKey?
    ) throws(StorageError) -> Bool {
        guard hasMagic(bytes), bytes.count >= HeaderLayout.bodyOffset else { return false }
        let clear = ClearHeader(bytes)
        // A header of another key or a newer format cannot be checked here, so it counts as whole.
        if clear.format > FileHeader.format { return true }
        guard clear.isEncrypted else { return try HeaderSlots.read(0, of: disk, seal: nil, path: path) != nil }
        guard let key, key.fits(clear) else { return true }
        let seal = PageSeal(key, fileID: clear.fileID, disk: disk)
        return try HeaderSlots.read(0, of: disk, seal: seal, path: path) != nil
    }

    private static func hasMagic(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 8 && bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } == HeaderLayout.magic
    }

    /// Reads the clear parts of the slots. Throws when the file is foreign, newer, or encrypted with another key.
    ///
    /// One slot of a newer format is enough to refuse the file. The first commit of a newer library leaves the three
    /// other slots as they were, and opening an older state instead of that commit would be wrong.
    static func identify(
        _ disk: any DiskFile, path: String, _ key: SealingKey?, _ mutation: StorageMutation?
    ) throws(StorageError) -> Identity {
        var isOurs = false
        var known: [ClearHeader] = []
        for slot in 0..<FileHeader.slotCount {
            let beginning = try read(slot, of: disk, path: path)
            guard hasMagic(beginning) else { continue }
            isOurs = true
            guard beginning.count >= HeaderLayout.bodyOffset else { continue }
            let clear = ClearHeader(beginning)
            if clear.format > FileHeader.format, mutation != .ignoreNewerFormats {
                throw newer(clear.format, path: path)
            }
            let isKnown = (FileHeader.oldestFormat...FileHeader.format).contains(clear.format)
            if isKnown, clear.pageSize == UInt32(Pages.sizeBytes) { known.append(clear) }
        }
        var refusal: StorageError?
        for clear in known {
            // One damaged slot must not decide for the others.
            do throws(StorageError) {
                if mutation != .takeAnyKey { try checkKey(clear, path: path, key) }
                return Identity(fileID: clear.fileID)
            } catch {
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
        if isOurs { throw Recovery.noHeader(path: path) }
        throw foreign(try read(0, of: disk, path: path), path: path)
    }

    /// The format of a header page, if the page is ours and its format newer than this library knows.
    static func newerFormat(_ page: UnsafeRawBufferPointer) -> UInt16? {
        guard page.load(as: UInt64.self) == HeaderLayout.magic else { return nil }
        let format = UInt16(littleEndian: page.load(fromByteOffset: HeaderLayout.formatOffset, as: UInt16.self))
        return format > FileHeader.format ? format : nil
    }

    static func newer(_ format: UInt16, path: String) -> StorageError {
        StorageError(
            .unsupportedVersion,
            "Cannot use the file: it has format \(format), and this library knows \(FileHeader.format) at most. "
                + "Update the library. If no newer library has written the file, it is damaged: restore it from a "
                + "copy. The file was not changed.",
            path: path)
    }

    /// The part of a header that is never encrypted, as far as the file has it.
    private static func read(_ slot: Int, of disk: any DiskFile, path: String) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: HeaderLayout.bodyOffset)
        let count = bytes.withUnsafeMutableBytes { disk.readWhole(into: $0, at: slot * Pages.sizeBytes) }
        if count < 0 { throw StorageError(errno: Int32(-count), doing: "read the file", path: path) }
        return Array(bytes.prefix(count))
    }

    private static func checkKey(_ clear: ClearHeader, path: String, _ key: SealingKey?) throws(StorageError) {
        switch (clear.isEncrypted, key) {
        case (false, nil): break
        case (false, _?):
            throw StorageError(
                .wrongKey,
                "Cannot open the file: it is not encrypted, and a key was given. Open it without a key, or write an "
                    + "encrypted copy of it.",
                path: path)
        case (true, nil):
            throw StorageError(
                .wrongKey, "Cannot open the file: it is encrypted. Give the 64 bytes of its key.", path: path)
        case (true, let key?):
            guard key.fits(clear) else {
                throw StorageError(
                    .wrongKey,
                    "Cannot open the file: it was encrypted with another key. Give the key it was written with; "
                        + "the file was not changed.",
                    path: path)
            }
        }
    }

    private static func foreign(_ page: [UInt8], path: String) -> StorageError {
        let mark = page.count >= 20 ? Array(page[16..<20]) : []
        let reason =
            switch mark {
            case Array("T-DB".utf8):
                "it is a Realm file, which this library does not read. The guide 'Migrating from Realm' tells how its "
                    + "objects move over; choose another path"
            // LMDB's mark, at the same offset; previews of this library kept their data in it.
            case [0xDE, 0xC0, 0xEF, 0xBE]:
                "it is an LMDB file, as previews of this library wrote them. Copy its objects with the preview, or choose "
                    + "another path"
            default: "it is not a Causeway database. Choose another path"
            }
        return StorageError(.notADatabase, "Cannot open the file: \(reason); the file was not changed.", path: path)
    }
}

/// The clear part of a header slot.
struct ClearHeader {
    var format: UInt16
    var isEncrypted: Bool
    var pageSize: UInt32
    var fileID: FileID
    var salt: [UInt8]
    var keyCheck: [UInt8]

    /// - Parameter page: at least as long as the clear part.
    init(_ page: [UInt8]) {
        self = page.withUnsafeBytes { bytes in
            func number<Number: FixedWidthInteger>(_ offset: Int) -> Number {
                Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
            }
            return ClearHeader(
                format: number(HeaderLayout.formatOffset),
                isEncrypted: (number(HeaderLayout.flagsOffset) as UInt16) & HeaderLayout.encryptedFlag != 0,
                pageSize: number(HeaderLayout.pageSizeOffset),
                fileID: FileID(
                    low: number(HeaderLayout.fileIDOffset), high: number(HeaderLayout.fileIDOffset + 8)),
                salt: Array(bytes[HeaderLayout.saltOffset..<HeaderLayout.saltOffset + 16]),
                keyCheck: Array(bytes[HeaderLayout.keyCheckOffset..<HeaderLayout.keyCheckOffset + 16]))
        }
    }

    private init(
        format: UInt16, isEncrypted: Bool, pageSize: UInt32, fileID: FileID, salt: [UInt8], keyCheck: [UInt8]
    ) {
        self.format = format
        self.isEncrypted = isEncrypted
        self.pageSize = pageSize
        self.fileID = fileID
        self.salt = salt
        self.keyCheck = keyCheck
    }
}
