import Testing

@testable import CausewayTransport

@Suite("Who may use a connection")
struct ConnectionUseTests {
    /// What each of the steps answers.
    private func answers(_ use: inout ConnectionUse, _ steps: ((inout ConnectionUse) -> Bool)...) -> [Bool] {
        steps.map { $0(&use) }
    }

    private let download = { (use: inout ConnectionUse) in use.begin(.download) }
    private let short = { (use: inout ConnectionUse) in use.begin(.short) }
    private let retire = { (use: inout ConnectionUse) in use.retire() }
    private let doubt = { (use: inout ConnectionUse) in use.doubt() }

    @Test("downloads leave room for the other calls, up to what the server allows")
    func room() {
        var use = ConnectionUse()
        use.serverAllows(streams: 4)
        let full = answers(&use, download, download, download, download, short, short)
        #expect(full == [true, true, true, false, true, false])
        use.end(.download)
        let one = answers(&use, short, download)
        #expect(one == [true, false])
    }

    @Test("one stream serves any call, one at a time", arguments: [0, 1])
    func narrow(streams: Int) {
        var use = ConnectionUse()
        use.serverAllows(streams: streams)
        let first = answers(&use, download, short)
        #expect(first == [true, false])
        use.end(.download)
        let second = answers(&use, short, download)
        #expect(second == [true, false])
    }

    @Test("what is in doubt takes no call until it is heard of")
    func doubted() {
        var use = ConnectionUse()
        let before = answers(&use, download, doubt, doubt, short)
        #expect(before == [true, true, false, false])
        use.trust()
        let after = answers(&use, short, doubt)
        #expect(after == [true, true])
    }

    @Test("what is used is not retired, and what is retired is not used")
    func retirement() {
        var use = ConnectionUse()
        let busy = answers(&use, short, retire)
        #expect(busy == [true, false])
        use.end(.short)
        #expect(use.isIdle)
        let idle = answers(&use, retire, retire, short)
        #expect(idle == [true, false, false])
    }
}
