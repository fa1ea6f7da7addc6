import CausewayEnvironment
import CausewaySeeds
import Testing

@testable import CausewayStorage

@Suite("Nonces")
struct NonceTests {
    private static let seeds = SeedList.drawn(for: "nonces", count: 20)

    private let bytes = SealingFixture.bytes(64)

    private func sealing(_ seal: PageSeal, page: UInt32, birth: UInt64) throws {
        var pointer = SealingFixture.pointer(page: page, birth: birth, extent: 64)
        _ = try bytes.withUnsafeBytes { try seal.seal($0, &pointer, .run) }
    }

    @Test("a page is not sealed twice in one transaction")
    func refusesSamePage() throws {
        let seal = try SealingFixture.seal(SealingDisk())
        try sealing(seal, page: 4, birth: 1)
        try sealing(seal, page: 5, birth: 1)
        #expect(throws: StorageError.self) { try sealing(seal, page: 4, birth: 1) }
        try sealing(seal, page: 4, birth: 2)
    }

    @Test("births do not go back, nor on after the header of their commit")
    func refusesOldBirths() throws {
        let seal = try SealingFixture.seal(SealingDisk())
        try sealing(seal, page: 4, birth: 7)
        #expect(throws: StorageError.self) { try sealing(seal, page: 5, birth: 6) }
        _ = HeaderSealTests.sealed(HeaderSealTests.plainHeader(transaction: 7), seal, slot: 0, birth: 7)
        let error = #expect(throws: StorageError.self) { try sealing(seal, page: 5, birth: 7) }
        #expect(error?.code == .damaged)
        try sealing(seal, page: 5, birth: 8)
    }

    @Test("a page older than its session is not sealed")
    func refusesBirthsBeforeSession() throws {
        let seal = try SealingFixture.newSeal(SealingDisk())
        seal.beginSession(firstBirth: 10)
        #expect(throws: StorageError.self) { try sealing(seal, page: 4, birth: 9) }
        try sealing(seal, page: 4, birth: 10)
    }

    @Test("no two seals of a file's life share key and nonce, whatever is lost", arguments: seeds)
    func neverRepeats(seed: UInt64) throws {
        struct Use: Hashable {
            var salt: SessionSalt
            var nonce: AuthenticatedCipher.Nonce
        }
        let draws = SeededDraws(seed: seed)
        var uses: Set<Use> = []
        var count = 0
        var durable: UInt64 = 0
        for life in 0..<12 {
            // A power loss takes the lock file, and every commit since the last durable one, so births come again.
            var birth = durable + 1
            let opener = try SealingFixture.newSeal(SealingDisk(), seed: seed << 8 + UInt64(life))
            let session = opener.beginSession(firstBirth: birth)
            let processes = try (0..<3).map { _ in
                let seal = try SealingFixture.newSeal(SealingDisk())
                try seal.join(session)
                return seal
            }
            for _ in 0..<20 {
                let seal = processes[Int(draws.number(below: 3))]
                // Pages that were free in the recovered state are given out again, and again after an abort.
                for page in 0..<UInt32(draws.number(below: 6)) {
                    try sealing(seal, page: 4 + page, birth: birth)
                    let nonce = PageSeal.nonce(SealingFixture.pointer(page: 4 + page, birth: birth))
                    uses.insert(Use(salt: session.salt, nonce: nonce))
                    count += 1
                }
                if draws.number(below: 4) == 0 { durable = birth }
                birth += 1
            }
        }
        #expect(uses.count == count, "seed \(seed)")
    }
}
