import Testing

@testable import CausewayStorage

@Suite("The key of an encrypted file")
struct SealingKeyTests {
    @Test("a key has 64 bytes, and nothing else will do", arguments: [0, 1, 16, 32, 63, 65, 128])
    func refusesOtherCounts(count: Int) throws {
        let error = #expect(throws: StorageError.self) {
            try SealingFixture.key(SealingFixture.bytes(count))
        }
        #expect(error?.code == .wrongKey)
        #expect(error?.message.contains("exactly 64 bytes") == true)
        #expect(error?.message.contains("\(count) were given") == true)
    }

    @Test("a header tells the key it was written with from every key that differs in one bit")
    func tellsKeysApart() throws {
        let page = try sealedHeader()
        let header = ClearHeader(page)
        #expect(header.isEncrypted)
        #expect(try SealingFixture.key().fits(header))
        for bit in 0..<512 {
            var bytes = SealingFixture.keyBytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(try !SealingFixture.key(bytes).fits(header), "bit \(bit)")
        }
    }

    @Test("the check of one file does not fit another")
    func checkBelongsToFile() throws {
        var header = ClearHeader(try sealedHeader())
        header.fileID.low ^= 1
        #expect(try !SealingFixture.key().fits(header))
    }

    @Test("with another key nothing opens")
    func wrongKeyOpensNothing() throws {
        let disk = SealingDisk()
        let right = try SealingFixture.seal(disk)
        let bytes = SealingFixture.bytes(Pages.sizeBytes)
        let pointer = try right.write(bytes, SealingFixture.pointer(page: 4, birth: 1), .tree, to: disk)
        var other = SealingFixture.keyBytes
        other[63] ^= 0x80
        let wrong = try SealingFixture.seal(disk, key: other)
        #expect(right.read(pointer, .tree) == bytes)
        #expect(wrong.read(pointer, .tree) == nil)
        var page = try sealedHeader()
        #expect(page.withUnsafeMutableBytes { wrong.openHeader($0.baseAddress!, slot: 0) } == .damaged)
    }

    private func sealedHeader() throws -> [UInt8] {
        let seal = try SealingFixture.seal(SealingDisk())
        var page = HeaderSealTests.plainHeader(transaction: 1)
        page.withUnsafeMutableBytes { seal.sealHeader($0.baseAddress!, slot: 0, birth: 1) }
        return page
    }
}
