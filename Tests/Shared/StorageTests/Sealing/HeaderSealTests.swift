import Testing

@testable import CausewayStorage

@Suite("Sealed headers")
struct HeaderSealTests {
    /// A header as the file's writer hands it over: nothing yet of what only an encrypted file has.
    static func plainHeader(transaction: UInt64, sessions: PagePointer = .none) -> [UInt8] {
        let header = FileHeader(
            fileID: SealingFixture.fileID, transaction: transaction, version: 3, durableTransaction: 1,
            syncedTransaction: 1, state: .empty,
            freeSpace: FreeSpaceRecord(endPage: 4, inline: SealingFixture.bytes(900), segments: []),
            sessions: sessions)
        var page = [UInt8](repeating: 0, count: Pages.sizeBytes)
        page.withUnsafeMutableBytes { header.encode(into: $0.baseAddress!, isEncrypted: true) }
        return page
    }

    static func sealed(_ page: [UInt8], _ seal: PageSeal, slot: Int, birth: UInt64) -> [UInt8] {
        var page = page
        page.withUnsafeMutableBytes { seal.sealHeader($0.baseAddress!, slot: slot, birth: birth) }
        return page
    }

    static func opened(_ page: [UInt8], _ seal: PageSeal, slot: Int) -> [UInt8]? {
        var page = page
        return page.withUnsafeMutableBytes { seal.openHeader($0.baseAddress!, slot: slot) } == .sound ? page : nil
    }

    @Test("a header comes back in each slot, and its body is nowhere in clear", arguments: 0..<4)
    func roundTrip(slot: Int) throws {
        let plain = Self.plainHeader(transaction: 77)
        let page = Self.sealed(plain, try SealingFixture.seal(SealingDisk()), slot: slot, birth: 77)
        #expect(page[..<40] == plain[..<40])
        for start in stride(from: HeaderLayout.bodyOffset, to: HeaderLayout.trailerOffset, by: 16) {
            #expect(page[start..<start + 16] != plain[start..<start + 16], "at \(start)")
        }
        let opened = try #require(Self.opened(page, try SealingFixture.newSeal(SealingDisk()), slot: slot))
        let body = HeaderLayout.bodyOffset..<HeaderLayout.trailerOffset
        #expect(opened[body] == plain[body])
        let header = opened.withUnsafeBytes { FileHeader($0.baseAddress!) }
        #expect(header?.transaction == 77)
        for other in 0..<4 where other != slot {
            let seal = try SealingFixture.newSeal(SealingDisk())
            #expect(Self.opened(page, seal, slot: other) == nil, "in slot \(other)")
        }
    }

    @Test("a header is refused when any of its bytes is another")
    func everyByteCounts() throws {
        let page = Self.sealed(
            Self.plainHeader(transaction: 77), try SealingFixture.seal(SealingDisk()), slot: 1, birth: 77)
        let seal = try SealingFixture.newSeal(SealingDisk())
        let key = try SealingFixture.key()
        for place in page.indices {
            for mask: UInt8 in [1, 0x80, 0xFF] {
                var other = page
                other[place] ^= mask
                if Self.opened(other, seal, slot: 1) != nil { Issue.record("byte \(place), mask \(mask)") }
                // What is looked at before the seal: the magic, the format, the page size, the flag, file id and key
                // check. A change to one of the last two looks like a wrong key, to all others like damage.
                let looksLikeWrongKey = !key.fits(ClearHeader(other))
                let isChecked = (16..<32).contains(place) || (56..<72).contains(place)
                if looksLikeWrongKey != isChecked { Issue.record("byte \(place) as a wrong key") }
            }
        }
        #expect(Self.opened(page, seal, slot: 1) != nil)
    }

    @Test("one header sealed twice is sealed under two nonces")
    func neverTheSameTwice() throws {
        let seal = try SealingFixture.seal(SealingDisk())
        let plain = Self.plainHeader(transaction: 5)
        let pages = (0..<100).map { _ in Self.sealed(plain, seal, slot: 0, birth: 5) }
        #expect(Set(pages).count == 100)
        #expect(pages.allSatisfy { Self.opened($0, seal, slot: 0) != nil })
    }

    @Test("a plain header is no header of an encrypted file")
    func refusesPlainHeader() throws {
        let header = FileHeader(
            fileID: SealingFixture.fileID, transaction: 9, version: 1, durableTransaction: 1, syncedTransaction: 1,
            state: .empty, freeSpace: FreeSpaceRecord(endPage: 4, inline: [], segments: []))
        var page = [UInt8](repeating: 0, count: Pages.sizeBytes)
        page.withUnsafeMutableBytes { header.encode(into: $0.baseAddress!, isEncrypted: false) }
        #expect(!ClearHeader(page).isEncrypted)
        #expect(Self.opened(page, try SealingFixture.seal(SealingDisk()), slot: 0) == nil)
    }
}
