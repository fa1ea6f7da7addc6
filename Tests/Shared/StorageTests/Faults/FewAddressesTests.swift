import CausewayFolders
import CausewayStorage
import CausewayStorageOracle
import Testing

/// A file that a killed process left is opened by one that may reserve few addresses. Nothing vouches for its last
/// commit, so that is looked through, and that takes some addresses, too.
@Suite("Files of killed processes where addresses are few")
struct FewAddressesTests {
    /// The last commit does not vouch for itself, and the one before does.
    private func killed(isEncrypted: Bool) throws -> PeerFile {
        let file = try PeerFile(isEncrypted: isEncrypted)
        let backend = isEncrypted ? StorageBackend.encryptedPages : .pages
        let storage = try backend.open(file.folder.file("open.realm"))
        for number in UInt8(1)...3 {
            let writer = try storage.write()
            writer.put(20, [number], [number])
            // So much that its pages are synced ahead of its header.
            if number == 2 { writer.replaceLeaf(1, 0, Array(repeating: number, count: 2 << 20)) }
            _ = try writer.commit(.durable)
        }
        file.folder.write(file.folder.read("open.realm"), to: "shared.realm")
        return file
    }

    /// What a process says that may have so many MiB of addresses beside those that it begins with.
    private func answer(_ file: PeerFile, mapMiB: Int, limitMiB: Int) throws -> String {
        try file.line(of: file.start("limited", "\(mapMiB)", "\(limitMiB)"))
    }

    @Test("a durable commit is found where there is room for one range", arguments: [false, true])
    func oneRange(isEncrypted: Bool) throws {
        let file = try killed(isEncrypted: isEncrypted)
        // There is room for 16 GiB, and not for two of them.
        #expect(try answer(file, mapMiB: 0, limitMiB: 20 << 10) == "found 3")
        #expect(file.complaints == "")
    }

    @Test("where there is no room to look at a durable commit, that is said, and it is kept", arguments: [false, true])
    func noRoomToLook(isEncrypted: Bool) throws {
        let file = try killed(isEncrypted: isEncrypted)
        let bytes = file.folder.read("shared.realm")
        // A range takes 64 MiB more for what is noted of its pages, as often again when it is decrypted. Looking would
        // take as much once more.
        let (map, words) = (64 << 10, 64)
        #expect(
            try answer(file, mapMiB: map, limitMiB: map + words * (isEncrypted ? 2 : 1) + words / 2) == "mapFull")
        #expect(file.folder.read("shared.realm") == bytes)
        #expect(try answer(file, mapMiB: map, limitMiB: map + words * 5) == "found 3")
        #expect(file.complaints == "")
    }
}
