import CausewayStore
import Testing

@testable import CausewaySession

@Suite("Terms of the queries of open downloads")
struct TermLedgerTests {
    @Test("a user's downloads keep so many terms together, one alone as many as it has, and what ends gives them back")
    func ledger() throws {
        let ledger = TermLedger(termsMaxOfUser: 1_000)
        var first: TermLedger.Entry? = ledger.entry(of: "ann")
        let second = ledger.entry(of: "ann")
        try first?.keep(5_000)
        #expect(throws: StoreFailure.self) { try second.keep(1) }
        // What is refused is not counted, and fewer are always taken.
        #expect(ledger.terms(of: "ann") == 5_000)
        try first?.keep(600)
        try second.keep(400)
        let failure = #expect(throws: StoreFailure.self) { try second.keep(401) }
        #expect(failure?.code == .busy)
        #expect(ledger.terms(of: "ann") == 1_000)
        // Nobody else pays.
        let other = ledger.entry(of: "bob")
        try other.keep(1_000)
        first = nil
        #expect(ledger.terms(of: "ann") == 400)
        try second.keep(1_200)
        try second.keep(0)
        #expect(ledger.terms(of: "ann") == 0 && ledger.terms(of: "bob") == 1_000)
    }
}
