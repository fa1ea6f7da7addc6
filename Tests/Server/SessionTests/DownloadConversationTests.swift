import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStore
import CausewayWire
import Testing

@Suite("The conversation of one download")
struct DownloadConversationTests {
    private let limits = SessionLimits(frameBytes: 1 << 20, creditBytes: 100_000, heartbeatMilliseconds: 1_000)

    private func conversation(at version: UInt64 = 0, wants: UInt64 = 1) -> DownloadConversation {
        DownloadConversation(
            hello: Hello(
                client: ClientID(1), protocolVersions: 1...1, schema: Schema(),
                checkpoint: Checkpoint(
                    epoch: 9, version: ServerVersion(version), querySet: 1, acknowledged: 0),
                held: queries(1), wanted: queries(wants)),
            user: "user", limits: limits, now: 0)
    }

    private func queries(_ version: UInt64) -> QuerySet {
        QuerySet(version: version, queries: [StandingQuery(className: "A", predicate: "x == \(version)")])
    }

    private func checkpoint(_ version: UInt64, queries: UInt64 = 1, acknowledged: UInt64 = 0) -> Checkpoint {
        Checkpoint(
            epoch: 9, version: ServerVersion(version), querySet: queries, acknowledged: acknowledged)
    }

    private func permissions(_ className: String) -> Permissions {
        Permissions(AccessRules(byClass: [className: AccessRules.OfClass(read: .never)]))
    }

    @Test("other permissions are a difference from the old ones, and the checkpoint names the new ones")
    func permissionsChange() throws {
        var conversation = conversation(at: 3)
        #expect(conversation.next(newest: ServerVersion(3), now: 0) == .wait(milliseconds: 1_000))
        let closed = permissions("A")
        conversation.governed(by: closed)
        guard case .difference(let request) = conversation.next(newest: ServerVersion(3), now: 0) else {
            Issue.record("nothing was computed")
            return
        }
        #expect(request.heldPermissions == nil && request.permissions == closed && !request.isLost)
        conversation.began()
        // Permissions that come meanwhile wait for their turn.
        conversation.governed(by: nil)
        #expect(conversation.targetPermissions == closed.fingerprint)
        var end = checkpoint(3)
        end.permissions = closed.fingerprint
        #expect(conversation.message(for: ViewChunk(), lastAt: end) == .changes(ViewChunk(checkpoint: end)))
        guard case .difference(let back) = conversation.next(newest: ServerVersion(3), now: 0) else {
            Issue.record("nothing was computed")
            return
        }
        #expect(back.heldPermissions == closed && back.permissions == nil)
    }

    @Test("a device whose view was made for another schema is compared, and told for which schema it holds one")
    func otherSchema() throws {
        func schema(_ properties: [String]) -> Schema {
            Schema([
                ClassSchema(
                    name: "A",
                    properties: [Property(name: "_id", type: .int, isPrimaryKey: true)]
                        + properties.map { Property(name: $0, type: .int) })
            ])
        }
        func conversation(_ schema: Schema, _ point: Checkpoint) -> DownloadConversation {
            DownloadConversation(
                hello: Hello(
                    client: ClientID(1), protocolVersions: 1...1, schema: schema, checkpoint: point,
                    held: queries(1), wanted: queries(1)),
                user: "user", limits: limits, now: 0)
        }
        // The first view says for which schema it was made.
        var first = conversation(schema(["x"]), .nothing)
        guard case .difference(let bootstrap) = first.next(newest: ServerVersion(3), now: 0) else {
            Issue.record("nothing was computed")
            return
        }
        #expect(!bootstrap.isLost)
        first.began()
        guard case .changes(let chunk)? = first.message(for: ViewChunk(), lastAt: checkpoint(3)) else {
            Issue.record("nothing was told")
            return
        }
        let told = try #require(chunk.checkpoint)
        #expect(told.schema != 0)
        // The order of properties does not count, and a device of before is not asked.
        for (properties, said, isLost) in [
            (["x"], told.schema, false), (["x", "y"], told.schema, true), (["y"], told.schema, true),
            (["x", "y"], 0, false),
        ] {
            var point = told
            point.schema = said
            var next = conversation(schema(properties), point)
            guard case .difference(let request) = next.next(newest: ServerVersion(3), now: 0) else {
                #expect(!isLost)
                continue
            }
            #expect(isLost && request.isLost)
        }
    }

    @Test("nobody knows what a device holds whose view was made under other permissions")
    func permissionsOfAnotherTime() {
        let closed = permissions("A")
        for (said, isLost) in [(closed.fingerprint, false), (0, true), (7, true)] {
            var point = checkpoint(3)
            point.permissions = said
            var conversation = DownloadConversation(
                hello: Hello(
                    client: ClientID(1), protocolVersions: 1...1, schema: Schema(), checkpoint: point,
                    held: queries(1), wanted: queries(1)),
                user: "user", limits: limits, permissions: closed, now: 0)
            guard case .difference(let request) = conversation.next(newest: ServerVersion(3), now: 0) else {
                #expect(!isLost)
                continue
            }
            #expect(isLost && request.isLost)
        }
    }

    private let something = ViewChunk(deleted: [ObjectEnd(ObjectReference("A", .int(1)), life: 2)])

    @Test("a newer version is told part by part, and the last part carries the checkpoint")
    func parts() throws {
        var conversation = conversation(at: 3)
        #expect(conversation.next(newest: ServerVersion(3), now: 0) == .wait(milliseconds: 1_000))
        guard case .difference(let request) = conversation.next(newest: ServerVersion(5), now: 0) else {
            Issue.record("nothing was computed")
            return
        }
        #expect(request.from == ServerVersion(3) && request.held == request.wanted)
        conversation.began()
        #expect(conversation.next(newest: ServerVersion(6), now: 0) == .part(bytes: 50_000))
        #expect(conversation.message(for: something, lastAt: nil) == .changes(something))
        #expect(conversation.next(newest: ServerVersion(6), now: 0) == .part(bytes: 50_000))
        var last = something
        last.checkpoint = checkpoint(5)
        #expect(conversation.message(for: something, lastAt: checkpoint(5)) == .changes(last))
        #expect(conversation.position == ServerVersion(5))
        // What was committed in the meantime is the next difference.
        guard case .difference(let next) = conversation.next(newest: ServerVersion(6), now: 0) else {
            Issue.record("the newer version is not told")
            return
        }
        #expect(next.from == ServerVersion(5))
    }

    @Test("no more is in flight than the credit allows")
    func credit() throws {
        var conversation = conversation()
        _ = conversation.next(newest: ServerVersion(1), now: 0)
        conversation.began()
        _ = conversation.message(for: something, lastAt: nil)
        conversation.sent(bytes: 60_000, now: 0)
        #expect(conversation.next(newest: ServerVersion(1), now: 0) == .wait(milliseconds: 1_000))
        conversation.credited(bytes: 10_000)
        #expect(conversation.next(newest: ServerVersion(1), now: 0) == .part(bytes: 50_000))
        conversation.credited(bytes: .max)
        #expect(conversation.next(newest: ServerVersion(1), now: 0) == .part(bytes: 50_000))
    }

    @Test("credit for a message counts also when it comes before the message is noted as sent, and no more of it")
    func earlyCredit() throws {
        var conversation = conversation()
        _ = conversation.next(newest: ServerVersion(1), now: 0)
        conversation.began()
        func send(_ bytes: Int, creditedBefore credit: UInt64) -> DownloadConversation.Action {
            _ = conversation.message(for: something, lastAt: nil)
            conversation.sending()
            conversation.credited(bytes: credit)
            conversation.sent(bytes: bytes, now: 0)
            return conversation.next(newest: ServerVersion(1), now: 0)
        }
        for _ in 0..<5 { #expect(send(60_000, creditedBefore: 60_000) == .part(bytes: 50_000)) }
        // What is left of it is not kept for the next message.
        #expect(send(60_000, creditedBefore: .max) == .part(bytes: 50_000))
        #expect(send(60_000, creditedBefore: 10_000) == .part(bytes: 50_000))
        #expect(send(60_000, creditedBefore: 0) == .wait(milliseconds: 1_000))
    }

    @Test("a difference of nothing is told only when it acknowledges something or changes the queries")
    func nothing() throws {
        var conversation = conversation(at: 1)
        func tell(_ checkpoint: Checkpoint) -> DownloadMessage? {
            _ = conversation.next(newest: checkpoint.version, now: 0)
            conversation.began()
            return conversation.message(for: ViewChunk(), lastAt: checkpoint)
        }
        #expect(tell(checkpoint(2)) == nil)
        #expect(tell(checkpoint(3, acknowledged: 1)) != nil)
        #expect(tell(checkpoint(4, acknowledged: 1)) == nil)
        conversation.wants(queries(2))
        #expect(tell(checkpoint(4, queries: 2, acknowledged: 1)) != nil)
    }

    @Test("queries that were overtaken on their way by newer ones count for nothing")
    func overtaken() throws {
        var conversation = conversation(at: 1)
        conversation.wants(queries(3))
        conversation.wants(queries(2))
        guard case .difference(let request) = conversation.next(newest: ServerVersion(1), now: 0) else {
            Issue.record("nothing was computed")
            return
        }
        #expect(request.wanted == queries(3))
    }

    @Test("a silent device's checkpoint moves on with the heartbeat")
    func heartbeat() throws {
        var conversation = conversation(at: 1)
        _ = conversation.next(newest: ServerVersion(2), now: 0)
        conversation.began()
        #expect(conversation.message(for: ViewChunk(), lastAt: checkpoint(2)) == nil)
        #expect(conversation.next(newest: ServerVersion(2), now: 999) == .wait(milliseconds: 1))
        #expect(
            conversation.next(newest: ServerVersion(2), now: 1_000)
                == .send(.changes(ViewChunk(checkpoint: checkpoint(2)))))
        conversation.sent(bytes: 10, now: 1_000)
        #expect(conversation.next(newest: ServerVersion(2), now: 2_000) == .send(.heartbeat(serverTime: 2_000)))
    }

    @Test("a mark is answered after everything that was committed before it")
    func mark() throws {
        var conversation = conversation(at: 1)
        let isTaken = conversation.marked(7, newest: ServerVersion(2))
        #expect(isTaken)
        guard case .difference = conversation.next(newest: ServerVersion(2), now: 0) else {
            Issue.record("the mark came first")
            return
        }
        conversation.began()
        _ = conversation.message(for: ViewChunk(), lastAt: checkpoint(2))
        #expect(conversation.next(newest: ServerVersion(2), now: 0) == .send(.mark(7)))
        for id in 0..<UInt64(DownloadConversation.marksMax) { _ = conversation.marked(id, newest: .zero) }
        let isOneMoreTaken = conversation.marked(0, newest: .zero)
        #expect(!isOneMoreTaken)
    }

    @Test("queries that are refused leave the held ones in force")
    func refused() throws {
        var conversation = conversation(at: 1, wants: 2)
        guard case .difference(let request) = conversation.next(newest: ServerVersion(1), now: 0) else {
            Issue.record("the wanted queries were not asked")
            return
        }
        #expect(request.wanted.version == 2)
        let failure = SyncFailure(.queryInvalid, "no")
        #expect(conversation.refused(failure) == .queriesRefused(querySet: 2, failure))
        #expect(conversation.next(newest: ServerVersion(1), now: 0) == .wait(milliseconds: 1_000))
        guard case .difference(let next) = conversation.next(newest: ServerVersion(2), now: 0) else {
            Issue.record("the held queries ended")
            return
        }
        #expect(next.wanted.version == 1)
    }

    @Test("a device whose held queries cannot be served is told so once, and the session ends")
    func heldRefused() throws {
        var conversation = conversation(at: 1)
        _ = conversation.next(newest: ServerVersion(2), now: 0)
        let failure = SyncFailure(.queryInvalid, "no")
        _ = conversation.refused(failure)
        #expect(conversation.next(newest: ServerVersion(2), now: 0) == .finish(failure))
    }

    @Test("a device that consumes nothing for minutes lets go of the snapshot it is told from")
    func stalled() throws {
        var conversation = conversation()
        _ = conversation.next(newest: ServerVersion(1), now: 0)
        conversation.began()
        _ = conversation.message(for: something, lastAt: nil)
        conversation.sent(bytes: 100_000, now: 0)
        guard case .wait = conversation.next(newest: ServerVersion(1), now: 1) else {
            Issue.record("more is sent than the credit allows")
            return
        }
        guard case .finish(let failure) = conversation.next(newest: ServerVersion(1), now: 300_001) else {
            Issue.record("it waits for ever")
            return
        }
        #expect(failure.action == .retry)
    }

    @Test("an end comes between two messages, whatever is under way")
    func ends() throws {
        var conversation = conversation()
        _ = conversation.next(newest: ServerVersion(1), now: 0)
        conversation.began()
        let failure = SyncFailure(.serverEnding, "bye")
        conversation.ends(failure)
        #expect(conversation.next(newest: ServerVersion(1), now: 0) == .finish(failure))
        guard case .wait = conversation.next(newest: ServerVersion(9), now: 0) else {
            Issue.record("it goes on after its end")
            return
        }
    }
}
