import CausewayStore
import Testing

@testable import CausewaySession

@Suite("Plans of open downloads")
struct PlanLedgerTests {
    @Test("one plan of a user is taken however large; others fit beside it, or wait until one has gone")
    func ledger() throws {
        let ledger = PlanLedger(bytesMaxOfUser: 1 << 20)
        var large = try ledger.entry(of: "ann", bytes: 5 << 20)
        #expect(large != nil && ledger.bytes(of: "ann") == 5 << 20)
        #expect(throws: StoreFailure.self) { try ledger.entry(of: "ann", bytes: PlanLedger.bytesCounted) }
        // Nobody else pays, and what is small is not counted.
        let other = try ledger.entry(of: "bob", bytes: 600 << 10)
        let second = try ledger.entry(of: "bob", bytes: 400 << 10)
        #expect(throws: StoreFailure.self) { try ledger.entry(of: "bob", bytes: 100 << 10) }
        #expect(try ledger.entry(of: "ann", bytes: PlanLedger.bytesCounted - 1) == nil)
        large = nil
        #expect(ledger.bytes(of: "ann") == 0)
        #expect(try ledger.entry(of: "ann", bytes: 100 << 10) != nil)
        #expect(other != nil && second != nil && ledger.bytes(of: "bob") == 1_000 << 10)
    }
}
