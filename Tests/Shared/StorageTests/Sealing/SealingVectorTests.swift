import CausewayEnvironment
import Crypto
import FoundationEssentials
import Testing

@testable import CausewayStorage

/// Answers of another implementation (Python's `cryptography` 48), so that files stay readable.
@Suite("Known answers of sealing")
struct SealingVectorTests {
    @Test("keys are derived as RFC 5869 says")
    func derivedKeys() throws {
        let key = try SealingFixture.key()
        let keys = key.sessionKeys(fileID: SealingFixture.fileID, salt: SealingFixture.salt)
        #expect(hex(keys.pages) == "3044c25d757074c99a7c612ddfc30996724a7ada70cf31fd5eb30950c65df7d2")
        #expect(hex(keys.headers) == "e22bdc370943bd974076ad946110512ca2dc18b72ee0f174c0e679b0b667f6ca")
        #expect(hex(key.keyCheck(fileID: SealingFixture.fileID)) == "2192b1db6edd16ee9bce7757c465e94e")
    }

    @Test("a run, an empty run and a node are sealed to these bytes and tags")
    func pages() throws {
        let seal = try SealingFixture.seal(SealingDisk())
        var run = SealingFixture.pointer(page: 9, birth: 7, extent: 5)
        let runBytes = try sealed(Array("hello".utf8), seal, &run, .run)
        #expect(hex(runBytes) == "c9be60bb50")
        #expect((run.check, run.checkHigh) == (0xFDDB_AE2D_B4EA_A6D9, 0x1A5E_FD88_DFDC_C745))

        var empty = SealingFixture.pointer(page: 10, birth: 7)
        _ = try sealed([], seal, &empty, .run)
        #expect((empty.check, empty.checkHigh) == (0x95A3_596D_585D_E3C8, 0x405B_EAA0_FCD1_94AA))

        var node = SealingFixture.pointer(page: 0xFFFF_FFFE, birth: 0xAB_CDEF_0123_4567, extent: 1_234_567, level: 3)
        let nodeBytes = try sealed((0..<4096).map { UInt8(truncatingIfNeeded: $0 * 7) }, seal, &node, .tree)
        #expect(
            hex(SHA256.hash(data: nodeBytes)) == "9383e15681d86489ef140695f10af0a015f1e2cf48665107e5c2f85b5e1d65ae")
        #expect((node.check, node.checkHigh) == (0x9042_0311_2608_4218, 0x4650_401F_DF1B_4E61))
    }

    @Test("this header is opened")
    func header() throws {
        // The body is a pattern, but for the pointer to the sessions, which is none.
        let seal = PageSeal(
            try SealingFixture.key(), fileID: SealingFixture.fileID, disk: SealingDisk(), random: SameDraw())
        try seal.join(Session(firstBirth: 0, salt: SealingFixture.salt))
        var page = HeaderSealTests.plainHeader(transaction: 0x55_6677_8899_0011)
        page[HeaderLayout.formatOffset] = 1
        for place in 0..<4000 {
            let isPointer = (88..<120).contains(place)
            page[HeaderLayout.bodyOffset + place] = isPointer ? 0 : UInt8(truncatingIfNeeded: place * 11)
        }
        let sealed = HeaderSealTests.sealed(page, seal, slot: 2, birth: 0x55_6677_8899_0011)
        #expect(
            hex(sealed[..<96])
                == "43617573657761790100010000100000080706050403020118171615141312111100998877665500"
                + "28272625242322213837363534333231" + "2192b1db6edd16ee9bce7757c465e94e"
                + "484746454443424104fca1f9ee854d6018649e1355dfa948"
        )
        #expect(
            hex(SHA256.hash(data: sealed)) == "db15be9b5227364b536f37f815da77c0ebf4e5f68ffc661daa53594900ee63c6")
        #expect(HeaderSealTests.opened(sealed, seal, slot: 2) != nil)
    }

    private struct SameDraw: RandomSource {
        func next() -> UInt64 { 0x4142_4344_4546_4748 }
    }

    private func sealed(
        _ bytes: [UInt8], _ seal: PageSeal, _ pointer: inout PagePointer, _ kind: PageKind
    ) throws -> [UInt8] {
        try bytes.withUnsafeBytes { Array(try seal.seal($0, &pointer, kind)) }
    }

    private func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func hex(_ key: SymmetricKey) -> String {
        hex(key.withUnsafeBytes { Array($0) })
    }
}
