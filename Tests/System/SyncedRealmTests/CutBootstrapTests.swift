import Causeway
import CausewayIdentity
import CausewayWire
import Foundation
import Synchronization
import Testing

@Suite("A view that arrives over a network which breaks at every part", .serialized)
@MainActor
struct CutBootstrapTests {
    private static let chores = 300
    private let all: @Sendable (SyncSubscriptionSet) -> Void = { $0.append(QuerySubscription<Chore>()) }

    /// A server whose parts are of a few objects each, and who has filled it.
    private func bench() async throws -> (Bench, writer: Realm) {
        let bench = try Bench(creditBytes: 8_000)
        let writer = try Realm(configuration: try await bench.configuration("writer", initial: all))
        try writer.write {
            for id in 0..<Self.chores {
                // Text that does not compress away.
                let title = (0..<4).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
                _ = writer.create(Chore.self, value: ["id": id, "title": title, "priority": id % 10])
            }
        }
        try await writer.syncSession?.wait(for: .upload)
        return (bench, writer)
    }

    /// What it takes to send everything at once.
    private func uncut(_ bench: Bench, as device: String = "uncut") async throws -> (tally: Tally, realm: Realm) {
        let tally = Tally(partsAtOnce: .max)
        bench.network(device).inspection = { tally.passes($0, bytes: $1) }
        let realm = try Realm(configuration: try await bench.configuration(device, initial: all))
        try await realm.syncSession?.wait(for: .download)
        realm.refresh()
        return (tally, realm)
    }

    /// Lets a device get one part further each time, and does something between two of them.
    private func finish(
        _ device: String, _ realm: () throws -> Realm, _ bench: Bench, _ tally: Tally,
        between: (Int) async throws -> Void = { _ in }
    ) async throws {
        for cut in 1...100 {
            let session = try #require(try realm().syncSession)
            let done = Mutex(false)
            let waiting = Task {
                try await session.wait(for: .download)
                done.withLock { $0 = true }
            }
            while !bench.network(device).isCut, !done.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(2)) }
            guard bench.network(device).isCut else { return try await waiting.value }
            waiting.cancel()
            #expect(try realm().objects(Chore.self).where { $0.id < Self.chores }.isEmpty)
            try await between(cut)
            tally.begin()
            bench.network(device).isCut = false
            try realm().syncSession?.reconnect()
        }
        Issue.record("the view never arrives")
    }

    private func titles(_ realm: Realm) -> [Int: String] {
        realm.refresh()
        return Dictionary(realm.objects(Chore.self).map { ($0.id, $0.title) }) { $1 }
    }

    @Test("nothing is sent twice but the part that was cut, and nothing is visible before the last")
    func cut() async throws {
        let (bench, _) = try await bench()
        let whole = try await uncut(bench)
        let tally = Tally(partsAtOnce: 1)
        bench.network("b").inspection = { tally.passes($0, bytes: $1) }
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        let progress = Mutex<[SyncSession.Progress]>([])
        let token = b.syncSession?.addProgressNotification(for: .download, mode: .reportIndefinitely) { step in
            progress.withLock { $0.append(step) }
        }
        try await finish("b", { b }, bench, tally)
        withExtendedLifetime(token) {}
        #expect(titles(b) == titles(whole.realm))
        #expect(tally.cuts >= 5)
        #expect(
            tally.bytes <= whole.tally.bytes + (tally.cuts + 1) * whole.tally.largest,
            "\(tally.bytes) bytes with \(tally.cuts) cuts, \(whole.tally.bytes) without")
        let steps = progress.withLock { $0 }.filter { $0.transferrable > 0 }
        #expect(Set(steps.map(\.transferrable)) == [Self.chores], "\(steps)")
        #expect(steps.map(\.transferred) == steps.map(\.transferred).sorted(), "\(steps)")
        #expect(steps.last?.transferred == Self.chores)
        await bench.end()
    }

    @Test("what others and the device itself write between two cuts is there, and the file may be opened anew")
    func written() async throws {
        let (bench, writer) = try await bench()
        let whole = try await uncut(bench)
        let tally = Tally(partsAtOnce: 1)
        bench.network("b").inspection = { tally.passes($0, bytes: $1) }
        let configuration = try await bench.configuration("b", initial: all)
        var open: Realm? = try Realm(configuration: configuration)
        func b() throws -> Realm {
            if let open { return open }
            let realm = try Realm(configuration: configuration)
            open = realm
            return realm
        }
        try await finish("b", b, bench, tally) { cut in
            if cut == 2 {
                try b().write { _ = try b().create(Chore.self, value: ["id": 9_001, "title": "its own"]) }
            }
            if cut == 3 { open = nil }
            guard cut == 2 || cut == 4 else { return }
            try writer.write {
                writer.object(ofType: Chore.self, forPrimaryKey: 0 + cut)?.title = "early \(cut)"
                writer.object(ofType: Chore.self, forPrimaryKey: 290 + cut)?.title = "late \(cut)"
                for id in [10 + cut, 280 + cut] {
                    if let chore = writer.object(ofType: Chore.self, forPrimaryKey: id) { writer.delete(chore) }
                }
                _ = writer.create(Chore.self, value: ["id": 1_000 + cut, "title": "new \(cut)"])
            }
            try await writer.syncSession?.wait(for: .upload)
        }
        try await b().syncSession?.wait(for: .upload)
        try await whole.realm.syncSession?.wait(for: .download)
        let titles = titles(try b())
        #expect(titles == self.titles(whole.realm))
        #expect(titles[9_001] == "its own" && titles[2] == "early 2" && titles[294] == "late 4" && titles[12] == nil)
        #expect(tally.bytes <= whole.tally.bytes + (tally.cuts + 4) * whole.tally.largest)
        await bench.end()
    }

    @Test("more queries between two cuts come behind the view that was cut; fewer begin it anew")
    func queries() async throws {
        let (bench, writer) = try await bench()
        try writer.write { _ = writer.create(Person.self, value: ["name": "ann"]) }
        try await writer.syncSession?.wait(for: .upload)
        let whole = try await uncut(bench)
        let tally = Tally(partsAtOnce: 1)
        bench.network("b").inspection = { tally.passes($0, bytes: $1) }
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try await finish("b", { b }, bench, tally) { cut in
            guard cut == 3 else { return }
            let subscriptions = b.subscriptions
            subscriptions.update({ subscriptions.append(QuerySubscription<Person>()) }, onComplete: { _ in })
        }
        #expect(titles(b) == titles(whole.realm))
        #expect(b.objects(Person.self).count == 1)
        #expect(tally.bytes <= whole.tally.bytes + (tally.cuts + 2) * whole.tally.largest)

        let other = Tally(partsAtOnce: 2)
        bench.network("c").inspection = { other.passes($0, bytes: $1) }
        let c = try Realm(configuration: try await bench.configuration("c", initial: all))
        try await finish("c", { c }, bench, other) { cut in
            guard cut == 2 else { return }
            let subscriptions = c.subscriptions
            subscriptions.update(
                {
                    subscriptions.removeAll()
                    subscriptions.append(QuerySubscription<Chore>(where: "priority == 3"))
                }, onComplete: { _ in })
        }
        #expect(titles(c) == titles(whole.realm).filter { $0.key % 10 == 3 })
        await bench.end()
    }

    @Test("under other permissions the view begins anew, and nothing that was staged shows")
    func permissions() async throws {
        let (bench, _) = try await bench()
        bench.caller("b").is("bob")
        let tally = Tally(partsAtOnce: 1)
        bench.network("b").inspection = { tally.passes($0, bytes: $1) }
        let b = try Realm(configuration: try await bench.configuration("b", initial: all))
        try await finish("b", { b }, bench, tally) { cut in
            guard cut == 3 else { return }
            bench.rule(
                PermissionRules(
                    byClass: ["Chore": .init(read: .when(try RuleTemplate("priority < 3 OR $user.id == 'ann'")))]))
        }
        b.refresh()
        #expect(b.objects(Chore.self).count == Self.chores * 3 / 10)
        #expect(b.objects(Chore.self).where { $0.priority >= 3 }.isEmpty)
        await bench.end()
    }
}

/// Counts what a server sends of its changes, and says where the network breaks.
private final class Tally: Sendable {
    private struct State {
        var bytes = 0
        var largest = 0
        var cuts = 0
        var partsLeft: Int
    }

    private let partsAtOnce: Int
    private let state: Mutex<State>

    init(partsAtOnce: Int) {
        self.partsAtOnce = partsAtOnce
        state = Mutex(State(partsLeft: partsAtOnce))
    }

    var bytes: Int { state.withLock(\.bytes) }
    var largest: Int { state.withLock(\.largest) }
    var cuts: Int { state.withLock(\.cuts) }

    /// The network stands again.
    func begin() { state.withLock { $0.partsLeft = partsAtOnce } }

    func passes(_ message: DownloadMessage, bytes: Int) -> Bool {
        guard case .changes(let chunk) = message else { return true }
        return state.withLock { state in
            state.bytes += bytes
            state.largest = max(state.largest, bytes)
            // The last part is small and ends the change.
            if chunk.checkpoint != nil, state.partsLeft > 0 { return true }
            guard state.partsLeft > 0 else {
                state.cuts += 1
                return false
            }
            state.partsLeft -= 1
            return true
        }
    }
}
