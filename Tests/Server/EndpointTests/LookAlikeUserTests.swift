import CausewayHTTP
import CausewayModel
import CausewaySession
import CausewayWire
import Testing

@testable import CausewayEndpoint

/// To Unicode both names are the same; their bytes are not.
@Suite("Users and databases whose names look alike")
struct LookAlikeUserTests {
    private let composed = "\u{E9}ve"
    private let decomposed = "e\u{301}ve"

    private func request(of user: String, expires: UInt64) -> Desk.Admitted {
        Desk.Admitted(
            call: .credit, database: "flights", caller: KnownCaller(user: user, expires: expires),
            service: FakeService())
    }

    @Test("one does not prolong the other's session")
    func tenures() {
        let tenures = Tenures()
        let tenure = tenures.begin(1, request(of: composed, expires: 10))
        tenures.extend(1, request(of: decomposed, expires: 20))
        #expect(tenure.expires == 10)
        tenures.extend(1, request(of: composed, expires: 20))
        #expect(tenure.expires == 20)
    }

    @Test("one does not take the other's memory for bodies")
    func bodies() {
        let memory = BodyMemory(limitBytes: 100, limitBytesOfOwner: 10)
        #expect(memory.hold(10, of: composed))
        #expect(!memory.hold(1, of: composed))
        #expect(memory.hold(10, of: decomposed))
        memory.release(10, of: decomposed)
        #expect(!memory.hold(1, of: composed))
    }

    @Test("a name that only looks like a database's is none")
    func databases() async throws {
        try await Bench.run(["Kites": FakeService()]) { bench in
            let credit = WireCodec.encode(CreditRequest(session: FakeService.session, bytes: 0))
            let named = try await bench.post("/v1/Kites/credit", bytes: credit)
            // The Kelvin sign.
            let lookAlike = try await bench.post("/v1/%E2%84%AAites/credit", bytes: credit)
            #expect(named.status == 200 && lookAlike.status == 404)
        }
    }
}
