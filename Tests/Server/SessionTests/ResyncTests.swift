import CausewayMerge
import CausewayModel
import CausewaySession
import CausewayWire
import Testing

@Suite("One device's conversation: resync")
struct ResyncConversationTests {
    private func conversation(acknowledged: UInt64 = 0) -> DownloadConversation {
        let queries = QuerySet(version: 1, queries: [])
        return DownloadConversation(
            hello: Hello(
                client: ClientID(1), protocolVersions: 1...1, schema: Schema(),
                checkpoint: Checkpoint(
                    epoch: 9, version: ServerVersion(50), querySet: 1, acknowledged: acknowledged, incarnation: 3),
                held: queries, wanted: queries),
            isLost: true, user: "user",
            limits: SessionLimits(frameBytes: 1 << 20, creditBytes: 100_000, heartbeatMilliseconds: 1_000), now: 0)
    }

    private let question = DigestQuestion(
        number: 1, seed: 5, acknowledged: 0, asks: [DigestAsk(DigestRange("A"), .whole)])
    private let newest = ServerVersion(40)

    @Test("a device with a lost checkpoint is asked until nothing is left to ask, and then told")
    func dialogue() throws {
        var conversation = conversation()
        _ = conversation.marked(7, newest: newest)
        guard case .difference(let request) = conversation.next(newest: newest, now: 0) else {
            Issue.record("a checkpoint beyond the newest version was taken for it")
            return
        }
        #expect(request.isLost)
        conversation.comparisonBegan()
        #expect(conversation.next(newest: newest, now: 0) == .question)
        #expect(conversation.asked(question, now: 0) == .digestsWanted(question))
        #expect(conversation.next(newest: newest, now: 1) == .wait(milliseconds: 999))
        // Answers to another question mean nothing.
        conversation.answered(2, [])
        #expect(conversation.next(newest: newest, now: 1) == .wait(milliseconds: 999))
        let reports = [DigestReport.whole(.empty)]
        conversation.answered(1, reports)
        #expect(conversation.next(newest: newest, now: 1) == .compare(reports))
        // Nor does a second one.
        conversation.answered(1, [])
        guard case .wait = conversation.next(newest: newest, now: 1) else {
            Issue.record("one answer was taken twice")
            return
        }
        conversation.compared(fits: true)
        #expect(conversation.next(newest: newest, now: 1) == .question)
        #expect(conversation.asked(nil, now: 1) == nil)
        guard case .part = conversation.next(newest: newest, now: 1) else {
            Issue.record("what was found is not told")
            return
        }
        let checkpoint = Checkpoint(epoch: 9, version: newest, querySet: 1, acknowledged: 0, incarnation: 4)
        // Also when nothing differs: the device must learn where it stands.
        guard case .changes(let chunk) = conversation.message(for: ViewChunk(), lastAt: checkpoint) else {
            Issue.record("the device stays at a version that is lost")
            return
        }
        #expect(chunk.checkpoint == checkpoint)
        #expect(conversation.next(newest: newest, now: 1) == .send(.mark(7)))
        // From here on it is told from the history.
        guard case .difference(let next) = conversation.next(newest: ServerVersion(41), now: 1) else {
            Issue.record("the session stands still")
            return
        }
        #expect(!next.isLost && next.from == newest)
    }

    @Test("a device that does not answer, or answers something else, loses its session and can try again")
    func silent() throws {
        var silent = conversation()
        _ = silent.next(newest: newest, now: 0)
        silent.comparisonBegan()
        _ = silent.asked(question, now: 0)
        guard case .finish(let failure) = silent.next(newest: newest, now: DownloadConversation.stallMilliseconds)
        else {
            Issue.record("it holds a snapshot for ever")
            return
        }
        #expect(failure.action == .retry)

        var wrong = conversation()
        _ = wrong.next(newest: newest, now: 0)
        wrong.comparisonBegan()
        _ = wrong.asked(question, now: 0)
        wrong.answered(1, [])
        _ = wrong.next(newest: newest, now: 0)
        wrong.compared(fits: false)
        guard case .finish(let refusal) = wrong.next(newest: newest, now: 0) else {
            Issue.record("nonsense is asked about again")
            return
        }
        #expect(refusal.code == .messageMalformed)
    }

    @Test("a device that waits for its turn hears heartbeats, and is asked about what it wants by then")
    func queued() throws {
        var conversation = conversation()
        _ = conversation.marked(7, newest: newest)
        _ = conversation.next(newest: newest, now: 0)
        conversation.comparisonQueued()
        #expect(conversation.next(newest: newest, now: 0) == .wait(milliseconds: 1_000))
        // Neither a commit nor other queries are the turn.
        let other = QuerySet(version: 2, queries: [])
        conversation.wants(other)
        #expect(conversation.next(newest: ServerVersion(41), now: 1_000) == .send(.heartbeat(serverTime: 1_000)))
        conversation.turnCame()
        guard case .difference(let request) = conversation.next(newest: ServerVersion(41), now: 1_000) else {
            Issue.record("the turn passes by")
            return
        }
        #expect(request.isLost && request.wanted == other)
        conversation.comparisonBegan()
        // A turn comes once.
        conversation.turnCame()
        #expect(conversation.next(newest: newest, now: 1_000) == .question)

        var ended = self.conversation()
        _ = ended.next(newest: newest, now: 0)
        ended.comparisonQueued()
        ended.ends(SyncFailure(.serverEnding, "maintenance"))
        guard case .finish(let failure) = ended.next(newest: newest, now: 0) else {
            Issue.record("it waits on")
            return
        }
        #expect(failure.code == .serverEnding)
        ended.turnCame()
        guard case .wait = ended.next(newest: newest, now: 0) else {
            Issue.record("it goes on after its end")
            return
        }
    }

    @Test("a device that does not answer loses its session sooner when others wait for its turn")
    func silentInTurn() throws {
        var silent = conversation()
        _ = silent.next(newest: newest, now: 0)
        silent.comparisonBegan()
        _ = silent.asked(question, now: 0)
        let limit = DownloadConversation.awaitedStallMilliseconds
        #expect(limit < DownloadConversation.stallMilliseconds)
        for (now, isTurnAwaited) in [(limit - 1, true), (limit, false)] {
            if case .finish = silent.next(newest: newest, now: now, isTurnAwaited: isTurnAwaited) {
                Issue.record("it had \(now) milliseconds only")
            }
        }
        guard case .finish(let failure) = silent.next(newest: newest, now: limit, isTurnAwaited: true) else {
            Issue.record("the others wait on")
            return
        }
        #expect(failure.code == .serverBusy && failure.action == .retry)
    }

    @Test("a device that answers always a little late loses its turn in the end, if others wait for it")
    func lateInTurn() throws {
        var late = conversation()
        _ = late.next(newest: newest, now: 0)
        late.comparisonBegan()
        var now: UInt64 = 1_000
        while now < 1_000 + DownloadConversation.awaitedTurnMilliseconds {
            #expect(late.next(newest: newest, now: now, isTurnAwaited: true) == .question)
            _ = late.asked(question, now: now)
            now += DownloadConversation.awaitedStallMilliseconds - 1
            if now >= 1_000 + DownloadConversation.awaitedTurnMilliseconds { break }
            late.answered(question.number, [])
            #expect(late.next(newest: newest, now: now, isTurnAwaited: true) == .compare([]))
            late.compared(fits: true)
        }
        var alone = late
        if case .finish = alone.next(newest: newest, now: now) { Issue.record("nobody waits") }
        guard case .finish(let failure) = late.next(newest: newest, now: now, isTurnAwaited: true) else {
            Issue.record("the others wait on")
            return
        }
        #expect(failure.code == .serverBusy && failure.action == .retry && failure.message.contains("20 minutes"))
    }

    @Test("while the database lacks changesets that the device knows to be on it, the device is not asked")
    func incomplete() throws {
        var conversation = conversation(acknowledged: 4)
        _ = conversation.marked(7, newest: newest)
        guard case .difference(let request) = conversation.next(newest: newest, now: 0) else {
            Issue.record("nothing was computed")
            return
        }
        #expect(request.acknowledged == 4)
        conversation.foundIncomplete(at: newest)
        #expect(conversation.next(newest: newest, now: 0) == .wait(milliseconds: 1_000))
        guard case .send(.heartbeat) = conversation.next(newest: newest, now: 1_000) else {
            Issue.record("the device hears nothing")
            return
        }
        guard case .difference = conversation.next(newest: ServerVersion(41), now: 1_000) else {
            Issue.record("nobody looks again")
            return
        }
    }
}
