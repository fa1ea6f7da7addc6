@testable import CausewayStorage
import Glibc
import Testing

@Suite("Watching commits of other processes")
struct WatchingTests {
    let folder: SharedFolder

    init() throws {
        folder = try SharedFolder()
    }

    @Test("commits of others are told, one's own are not")
    func others() throws {
        let watching = try folder.join()
        let committing = try folder.join()
        let calls = Counter()
        #expect(!committing.isWatchedByOthers)
        let observation = watching.observeOtherProcesses { calls.add(1) }
        #expect(committing.isWatchedByOthers)
        #expect(!watching.isWatchedByOthers)
        for _ in 0..<100 { watching.noteCommit() }
        for commit in 1...50 {
            committing.noteCommit()
            #expect(eventually { calls.value == commit })
        }
        withExtendedLifetime(observation) {}
    }

    @Test("several observers are told, until their tokens are gone")
    func tokens() throws {
        let watching = try folder.join()
        let committing = try folder.join()
        let (first, second) = (Counter(), Counter())
        var one: (any StorageObservation)? = watching.observeOtherProcesses { first.add(1) }
        var two: (any StorageObservation)? = watching.observeOtherProcesses { second.add(1) }
        committing.noteCommit()
        #expect(eventually { first.value == 1 && second.value == 1 })
        withExtendedLifetime(one) { one = nil }
        committing.noteCommit()
        #expect(eventually { second.value == 2 })
        #expect(first.value == 1)
        withExtendedLifetime(two) { two = nil }
        #expect(!committing.isWatchedByOthers)
        committing.noteCommit()
        let three = watching.observeOtherProcesses { first.add(1) }
        committing.noteCommit()
        #expect(eventually { first.value > 1 })
        #expect(second.value == 2)
        withExtendedLifetime(three) {}
    }

    @Test("an observer may end observations, and the file, from within its call")
    func endingInside() throws {
        let committing = try folder.join()
        let held = Kept<any Sendable>()
        let calls = Counter()
        do {
            let watching = try folder.join()
            let observation = watching.observeOtherProcesses {
                calls.add(1)
                held.letGo()
            }
            held.keep(watching)
            held.keep(observation)
        }
        committing.noteCommit()
        #expect(eventually { calls.value == 1 && committing.processes.count == 1 })
        committing.noteCommit()
        #expect(calls.value == 1)
    }

    @Test("when the file is closed, the thread and everything that observers hold goes away")
    func noThreadLeft() throws {
        weak var watcher: CommitWatcher?
        weak var captured: Counter?
        for _ in 0..<20 {
            do {
                let counter = Counter()
                captured = counter
                let state = try folder.join()
                watcher = state.watcher
                let observation = state.observeOtherProcesses { counter.add(1) }
                state.close()
                #expect(counter.value == 0)
                withExtendedLifetime(observation) {}
            }
            #expect(captured == nil)
            // The thread holds it until it ends.
            #expect(eventually { watcher == nil })
        }
    }

    @Test("in memory of its own nobody is watched, and no thread is started")
    func alone() {
        let state = SharedState()
        state.begin(at: 1)
        let observation = state.observeOtherProcesses { Issue.record("there is nobody else") }
        state.noteCommit()
        #expect(state.processes.count == 1)
        withExtendedLifetime(observation) {}
    }
}
