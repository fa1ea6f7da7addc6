import CausewayFolders
import CausewayStorage
import CausewayStorageOracle
import Glibc
import Testing

/// What only the page store's file has: its format, its key, and files of the store before it.
@Suite("Page files")
struct PageFileTests {
    let folder: TemporaryFolder
    private static let pageBytes = 4096

    init() throws {
        folder = try TemporaryFolder()
    }

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("a file that one header or all say is of a newer format is refused and not changed", arguments: 0...4)
    func newerVersion(only: Int) throws {
        try fill(.pages, folder.file("a.realm"), commits: 8)
        var bytes = folder.read("a.realm")
        // The format is the number behind the mark in every header slot.
        for slot in 0..<4 where only == 4 || only == slot { bytes[slot * Self.pageBytes + 8] += 1 }
        folder.write(bytes, to: "newer.realm")
        #expect(code { _ = try StorageBackend.pages.open(folder.file("newer.realm")) } == .unsupportedVersion)
        #expect(folder.read("newer.realm") == bytes)
    }

    @Test("a file of the preview's LMDB is refused with a sentence that says what it is")
    func preview() throws {
        // The mark of the first page of such a file, at offset 16.
        var bytes = [UInt8](repeating: 0, count: 3 * 4096)
        bytes.replaceSubrange(16..<20, with: [0xDE, 0xC0, 0xEF, 0xBE])
        folder.write(bytes, to: "old.realm")
        #expect(code { _ = try StorageBackend.pages.open(folder.file("old.realm")) } == .notADatabase)
        #expect(message { _ = try StorageBackend.pages.open(folder.file("old.realm")) }.contains("LMDB"))
        #expect(folder.read("old.realm") == bytes)
    }

    @Test("another key, no key, and a key for a plain file are told apart from damage")
    func keys() throws {
        try fill(.encryptedPages, folder.file("sealed.realm"), commits: 3)
        try fill(.pages, folder.file("plain.realm"), commits: 3)
        func open(_ name: String, _ key: [UInt8]?) throws {
            _ = try StorageRegistry.shared.open(path: folder.file(name), options: StorageOptions(encryptionKey: key))
        }
        var other = StorageBackend.key
        other[63] ^= 1
        #expect(code { try open("sealed.realm", other) } == .wrongKey)
        #expect(code { try open("sealed.realm", nil) } == .wrongKey)
        #expect(code { try open("plain.realm", other) } == .wrongKey)
        #expect(code { try open("sealed.realm", StorageBackend.key) } == nil)
    }

    @Test("an encrypted file shows nothing of what it holds")
    func sealed() throws {
        let text = Array("nobody may read this but who has the key".utf8)
        let storage = try StorageBackend.encryptedPages.open(folder.file("sealed.realm"))
        let writer = try storage.write()
        writer.put(20, text, text)
        writer.replaceLeaf(1, 0, text)
        _ = try writer.commit(.durable)
        #expect(try storage.statistics().isEncrypted)
        #expect(find(text, in: folder.read("sealed.realm")) == nil)
        try storage.copy(to: folder.file("plain.realm"), key: nil)
        #expect(find(text, in: folder.read("plain.realm")) != nil)
        let plain = try StorageBackend.pages.open(folder.file("plain.realm"))
        #expect(try plain.snapshot().get(20, text) == text)
        #expect(try !plain.statistics().isEncrypted)
    }

    private func find(_ text: [UInt8], in bytes: [UInt8]) -> Int? {
        bytes.indices.dropLast(text.count).first { start in
            bytes[start] == text[0] && bytes[start..<start + text.count].elementsEqual(text)
        }
    }

    @Test("leaves begin at multiples of 16, in snapshots and in writes")
    func alignment() throws {
        let storage = try StorageBackend.pages.open(folder.file("a.realm"))
        let writer = try storage.write()
        for number in UInt32(0)..<50 {
            writer.put(20, [UInt8(number)], Array(repeating: 1, count: Int(number)))
            writer.replaceLeaf(1, number, Array(repeating: 1, count: Int(number) * 37 + 1))
        }
        func isAligned(_ reader: any StorageReader) -> Bool {
            (UInt32(0)..<50).allSatisfy { number in
                UInt(bitPattern: reader.leaf(column: 1, number: number)?.baseAddress).isMultiple(of: 16)
            }
        }
        #expect(isAligned(writer))
        #expect(isAligned(try writer.commit(.relaxed)))
    }

    @Test("a changed byte is found by verify and by whoever reads it, and never read as something else")
    func changedBytes() throws {
        try fill(.pages, folder.file("a.realm"), commits: 4)
        do {
            // What later durable commits vouch for cannot be given up any more: damage there has to be told.
            let storage = try StorageBackend.pages.open(folder.file("a.realm"))
            for number in UInt8(0)..<5 {
                let writer = try storage.write()
                writer.put(21, [number], [number])
                _ = try writer.commit(.durable)
            }
        }
        let bytes = folder.read("a.realm")
        var found: Set<StorageError.Code> = []
        for page in 4..<bytes.count / Self.pageBytes {
            var changed = bytes
            changed[page * Self.pageBytes + 40] ^= 0x10
            folder.write(changed, to: "changed\(page).realm")
            let code = code {
                let storage = try StorageBackend.pages.open(folder.file("changed\(page).realm"))
                let isSound = try storage.verify { _, _ in }.isSound
                let snapshot = try storage.snapshot()
                // A commit that nothing written later vouches for may be given up for the whole one before it.
                let commits = min(4, Int(snapshot.version))
                let entries = snapshot.entries(20).count
                let leaves = (UInt32(0)..<4).filter { snapshot.leafBytes(1, $0)?.count == 8176 }.count
                let isWhole = entries == 20 * commits && leaves == commits
                #expect(!isSound || isWhole, "page \(page)")
                #expect(isWhole || snapshot.damage != nil, "page \(page)")
                if let damage = snapshot.damage { throw damage }
            }
            if let code { found.insert(code) }
        }
        #expect(found == [.damaged])
    }
}
