import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStore
import CausewayWire
import Testing

@Suite("One device's conversation: a change that was cut")
struct ResumingTests {
    private let newest = ServerVersion(40)

    private func queries(_ version: UInt64, _ predicates: String...) -> QuerySet {
        QuerySet(version: version, queries: predicates.map { StandingQuery(className: "A", predicate: $0) })
    }

    private func point(_ version: UInt64, schema: UInt64 = 0, permissions: UInt64 = 0) -> ResumePoint {
        ResumePoint(
            checkpoint: Checkpoint(
                epoch: 9, version: ServerVersion(version), querySet: 1, acknowledged: 5, permissions: permissions,
                schema: schema),
            reached: RowPosition(className: "A", row: ObjectKey(700)))
    }

    private func conversation(
        _ point: ResumePoint, wanted: QuerySet, isStagedKnown: Bool = true, isLost: Bool = false
    ) -> DownloadConversation {
        DownloadConversation(
            hello: Hello(
                client: ClientID(1), protocolVersions: 1...1, schema: Schema(), checkpoint: .nothing, held: .empty,
                wanted: wanted, staged: StagedView(point: point, queries: queries(1, "x == 1"))),
            isLost: isLost, isStagedKnown: isStagedKnown, user: "user",
            limits: SessionLimits(frameBytes: 1 << 20, creditBytes: 100_000, heartbeatMilliseconds: 1_000), now: 0)
    }

    private func request(_ conversation: inout DownloadConversation) throws -> DownloadConversation.DifferenceRequest {
        guard case .difference(let request) = conversation.next(newest: newest, now: 0) else {
            throw SyncFailure(.serverFault, "nothing was computed")
        }
        return request
    }

    @Test("is told to its end first, though nothing happened since, and then what else is wanted")
    func goesOn() throws {
        var conversation = conversation(point(40), wanted: queries(2, "x == 1", "x == 2"))
        #expect(conversation.resumes)
        let rest = try request(&conversation)
        #expect(rest.from == newest && rest.held == rest.wanted && rest.wanted.version == 1)
        #expect(rest.acknowledged == 5 && rest.staged != nil)
        conversation.began()
        let end = point(40).checkpoint
        #expect(conversation.message(for: ViewChunk(), lastAt: end) == .changes(ViewChunk(checkpoint: end)))
        let next = try request(&conversation)
        #expect(next.staged == nil && next.held.version == 1 && next.wanted.version == 2)
    }

    @Test("begins anew if less is wanted, under other permissions or another schema, or if nothing is known of it")
    func beginsAnew() throws {
        let whole = queries(1, "x == 1")
        for (conversation, why) in [
            (conversation(point(40), wanted: queries(2, "x == 2")), "queries"),
            (conversation(point(40, schema: 8), wanted: whole), "schema"),
            (conversation(point(40, permissions: 8), wanted: whole), "permissions"),
            (conversation(point(40), wanted: whole, isStagedKnown: false), "history"),
            (conversation(point(40), wanted: whole, isLost: true), "lost"),
        ] {
            var conversation = conversation
            #expect(!conversation.resumes, "\(why)")
            let all = try request(&conversation)
            #expect(all.staged == nil && all.from == .zero && all.held == .empty, "\(why)")
        }
    }
}
