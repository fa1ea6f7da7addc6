import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

@Suite("Which runs of the server made which versions")
struct LineageTests {
    private func version(_ number: UInt64) -> ServerVersion { ServerVersion(number) }

    @Test("a database without a lineage knows its versions as those before all runs")
    func old() {
        let lineage = Lineage()
        #expect(lineage.run(of: version(7)) == 0)
        #expect(lineage.knows(version(7), of: 0, newest: version(7)))
        #expect(lineage.knows(version(0), of: 0, newest: version(0)))
        #expect(!lineage.knows(version(8), of: 0, newest: version(7)))
        #expect(!lineage.knows(version(1), of: 5, newest: version(7)))
    }

    @Test("a version is of the run that committed it, and known up to where the next one began")
    func runs() {
        var lineage = Lineage()
        #expect(lineage.commit(by: 10, after: version(40)) == true)
        #expect(lineage.commit(by: 10, after: version(41)) == false)
        #expect(lineage.commit(by: 11, after: version(60)) == true)
        #expect([40, 41, 60, 61].map { lineage.run(of: version($0)) } == [0, 10, 10, 11])
        for (number, run, isKnown) in [
            (40, 0, true), (41, 0, false), (41, 10, true), (60, 10, true), (61, 10, false), (40, 10, false),
            (61, 11, true), (90, 11, true), (91, 11, false), (60, 12, false),
        ] as [(UInt64, UInt64, Bool)] {
            #expect(lineage.knows(version(number), of: run, newest: version(90)) == isKnown, "\(number) of \(run)")
        }
    }

    @Test("of a version that was lost it has the past up to the restore, of a run that nobody knows at the most that")
    func shared() {
        let lineage = Lineage([.init(id: 10, begin: version(40)), .init(id: 11, begin: version(60))])
        for (number, run, expected) in [
            (50, 10, 50), (70, 10, 60), (70, 11, 70), (99, 11, 90), (99, 10, 60),
            // Of a run that was lost, or folded.
            (70, 5, 60), (30, 5, 30), (99, 5, 60),
            // Of none.
            (70, 0, 70), (99, 0, 90),
        ] as [(UInt64, UInt64, UInt64)] {
            let shared = lineage.shared(version(number), of: run, newest: version(90))
            #expect(shared == version(expected), "\(number) of \(run)")
        }
        #expect(Lineage().shared(version(7), of: 3, newest: version(6)) == version(6))
        // The server was started again after the restore: what the restored one committed was not seen, either.
        let restarted = Lineage(lineage.runs + [.init(id: 12, begin: version(80))])
        for (number, expected) in [(75, 60), (80, 60), (95, 80), (50, 40), (30, 30)] as [(UInt64, UInt64)] {
            #expect(restarted.shared(version(number), of: 5, newest: version(90)) == version(expected), "\(number)")
        }
    }

    @Test("runs that are older than the history are forgotten")
    func folding() {
        var lineage = Lineage([.init(id: 1, begin: version(0)), .init(id: 2, begin: version(5))])
        _ = lineage.commit(by: 3, after: version(9))
        #expect(lineage.fold(before: version(5)) == false)
        #expect(lineage.fold(before: version(6)) == true)
        #expect(lineage.runs.map(\.id) == [2, 3])
        // The history begins at 6, so this one is resynced whether it is known or not.
        #expect(lineage.knows(version(6), of: 2, newest: version(12)))
        #expect(lineage.fold(before: version(100)) == true)
        #expect(lineage.runs.map(\.id) == [3])
    }

    @Test("a run is entered with its first commit: a start alone writes nothing")
    func persisted() throws {
        let record = try Record(epoch: 7)
        #expect(try record.store.snapshot().lineage() == Lineage())
        try record.write(Record.ann, .create(dog(1), life: 1, fields: []))
        try record.write(Record.ann, .create(dog(2), life: 1, fields: []))
        #expect(try record.store.snapshot().lineage().runs == [.init(id: 7, begin: version(0))])
        let again = try record.reopen()
        #expect(again.epoch == 7)
        #expect(try again.snapshot().lineage().runs == [.init(id: 7, begin: version(0))])
    }
}
