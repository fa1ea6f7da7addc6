import Testing

@testable import CausewayStorage

@Suite("Sessions of a file")
struct SessionTests {
    /// A file that commits one page in each session, as its opener does.
    private final class SealedFile {
        let disk = SealingDisk(readLimit: 1000)
        var pages: [(pointer: PagePointer, bytes: [UInt8])] = []
        var header: [UInt8] = []
        var sessions = PagePointer.none
        var nextBirth: UInt64 = 1

        func openAlone(seed: UInt64) throws -> PageSeal {
            let seal = try SealingFixture.newSeal(disk, seed: seed)
            if !header.isEmpty { #expect(HeaderSealTests.opened(header, seal, slot: 0) != nil) }
            seal.beginSession(firstBirth: pages.isEmpty ? 0 : nextBirth)
            return seal
        }

        func commit(_ seal: PageSeal) throws {
            let birth = nextBirth
            nextBirth += 1
            let page = UInt32(4 + 2 * pages.count)
            if let table = seal.tableToWrite(insteadOf: sessions) {
                let place = SealingFixture.pointer(page: page + 1, birth: birth, extent: UInt32(table.count))
                sessions = try seal.write(table, place, .run, to: disk)
            }
            let bytes = SealingFixture.bytes(Pages.sizeBytes, seed: birth)
            let pointer = try seal.write(bytes, SealingFixture.pointer(page: page, birth: birth), .tree, to: disk)
            pages.append((pointer, bytes))
            let plain = HeaderSealTests.plainHeader(transaction: birth, sessions: sessions)
            header = HeaderSealTests.sealed(plain, seal, slot: 0, birth: birth)
        }
    }

    @Test("pages of all sessions are read by whoever opens the last header, and by whoever was there")
    func readsAcrossSessions() throws {
        let file = SealedFile()
        for session in 0..<20 {
            let seal = try file.openAlone(seed: UInt64(session) + 1)
            // Some sessions end without a commit.
            for _ in 0..<(session % 3) {
                try file.commit(seal)
                let reader = try SealingFixture.newSeal(file.disk)
                #expect(HeaderSealTests.opened(file.header, reader, slot: 0) != nil)
                for page in file.pages {
                    #expect(seal.read(page.pointer, .tree) == page.bytes, "session \(session)")
                    #expect(reader.read(page.pointer, .tree) == page.bytes, "session \(session)")
                }
            }
        }
        #expect(file.pages.count == 19)
    }

    @Test("the table is written by the first commit of each session but the first")
    func writesTableOnce() throws {
        let file = SealedFile()
        let first = try file.openAlone(seed: 1)
        #expect(first.tableToWrite(insteadOf: .none) == nil)
        try file.commit(first)
        #expect(file.sessions.isNone)
        let second = try file.openAlone(seed: 2)
        #expect(second.tableToWrite(insteadOf: .none)?.count == 48)
        try file.commit(second)
        #expect(file.sessions.birth == 2)
        #expect(second.tableToWrite(insteadOf: file.sessions) == nil)
        // Who joins the session needs no table of its own either.
        let joined = try SealingFixture.newSeal(file.disk)
        #expect(HeaderSealTests.opened(file.header, joined, slot: 0) != nil)
        #expect(joined.tableToWrite(insteadOf: file.sessions) == nil)
        let third = try file.openAlone(seed: 3)
        #expect(third.tableToWrite(insteadOf: file.sessions)?.count == 72)
    }

    @Test("a process that joins a session opens what the one that began it writes, and is opened by it")
    func sharesSession() throws {
        let disk = SealingDisk()
        let one = try SealingFixture.newSeal(disk, seed: 5)
        let session = one.beginSession(firstBirth: 0)
        let other = try SealingFixture.newSeal(disk, seed: 6)
        try other.join(session)
        let bytes = SealingFixture.bytes(Pages.sizeBytes)
        let first = try one.write(bytes, SealingFixture.pointer(page: 4, birth: 1), .directory, to: disk)
        let second = try other.write(bytes, SealingFixture.pointer(page: 5, birth: 2), .directory, to: disk)
        #expect(other.read(first, .directory) == bytes)
        #expect(one.read(second, .directory) == bytes)
    }

    @Test("a lock file that tells of another session with the same beginning is refused")
    func refusesForeignSession() throws {
        let seal = try SealingFixture.newSeal(SealingDisk())
        let session = seal.beginSession(firstBirth: 10)
        try seal.join(session)
        for birth in UInt64(8)...10 {
            let foreign = Session(firstBirth: birth, salt: SealingFixture.salt)
            #expect(throws: StorageError.self, "from \(birth)") { try seal.join(foreign) }
        }
    }

    @Test("a lock file that brings back the salt of an older session is refused")
    func refusesOldSalt() throws {
        let seal = try SealingFixture.seal(SealingDisk())
        #expect(throws: StorageError.self) { try seal.join(Session(firstBirth: 9, salt: SealingFixture.salt)) }
    }

    @Test("pages are opened by many threads while others are sealed")
    func opensWhileSealing() async throws {
        let file = SealedFile()
        var seal = try file.openAlone(seed: 1)
        for session in 2...9 {
            for _ in 0..<5 { try file.commit(seal) }
            seal = try file.openAlone(seed: UInt64(session))
        }
        let (reader, pages) = (seal, file.pages)
        await withTaskGroup(of: Bool.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    (0..<400).allSatisfy { step in
                        let page = pages[(step * 7 + thread * 13) % pages.count]
                        return reader.read(page.pointer, .tree) == page.bytes
                    }
                }
            }
            for number in 0..<400 {
                var pointer = SealingFixture.pointer(page: 1000, birth: 1000 + UInt64(number), extent: 64)
                let sealed = try? [UInt8](repeating: 1, count: 64).withUnsafeBytes { try seal.seal($0, &pointer, .run) }
                #expect(sealed?.count == 64)
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test("a header whose table is damaged or gone is refused")
    func refusesHeaderWithoutTable() throws {
        let file = SealedFile()
        for session in 1...2 { try file.commit(file.openAlone(seed: UInt64(session))) }
        let place = Int(file.sessions.page) * Pages.sizeBytes
        let table = file.disk.get(48, at: place)
        for byte in table.indices {
            var other = table
            other[byte] ^= 1
            file.disk.put(other, at: place)
            #expect(HeaderSealTests.opened(file.header, try SealingFixture.newSeal(file.disk), slot: 0) == nil)
        }
        #expect(HeaderSealTests.opened(file.header, try SealingFixture.newSeal(SealingDisk()), slot: 0) == nil)
    }
}
