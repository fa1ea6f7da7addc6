import Causeway
import CausewayMeasuring
import Foundation
import Synchronization

/// Durable commits while another thread reads all the while: what an app does whose list is on the screen.
extension EverydayBenchmarks {
    func besideReader(_ report: ([Row]) -> Void) throws {
        var small = data
        small.count = smoke ? 1_000 : 100_000
        small.persons = 100
        let files = (ours: file("beside.realm"), theirs: file("beside.sqlite"))
        let realm = try DogData.realm(files.ours)
        let dog = try filled(realm, small)
        let peer = try small.sqlite(files.theirs)
        try small.addPersons(to: peer)
        try small.addDogs(to: peer)
        let update = try peer.prepare("UPDATE dog SET age = ? WHERE id = 500")
        let (count, rounds) = smoke ? (10, 1) : (1_000, 5)
        var (ours, theirs) = (Stopwatch(), Stopwatch())
        for round in 0..<rounds {
            try beside({ try Self.scan(ofRealmAt: files.ours) }) {
                for number in 0..<count { try ours.time { try realm.write { dog.age = number + round } } }
            }
            try beside({ try Self.scan(ofSQLiteAt: files.theirs) }) {
                for number in 0..<count {
                    theirs.time {
                        update.bind(1, number + round)
                        update.run()
                    }
                }
            }
        }
        report([rate("durable commit beside a scanning reader", ours.sample(), theirs.sample())])
    }

    /// Runs the work while a thread of its own scans, from its first scan on.
    ///
    /// - Parameter open: Called by that thread; what it returns makes one scan.
    private func beside(_ open: @escaping @Sendable () throws -> () -> Void, _ work: () throws -> Void) throws {
        let scanning = Scanning()
        Thread.detachNewThread { scanning.run(open) }
        scanning.begun.wait()
        defer {
            scanning.end()
            scanning.ended.wait()
        }
        try work()
        if let failure = scanning.failure { throw failure }
    }

    /// What the two threads tell each other.
    private final class Scanning: Sendable {
        private struct State {
            var isOver = false
            var failure: (any Error)?
        }
        private let state = Mutex(State())
        /// Signalled by each scan.
        let begun = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)

        var failure: (any Error)? { state.withLock { $0.failure } }

        func end() { state.withLock { $0.isOver = true } }

        func run(_ open: () throws -> () -> Void) {
            do {
                let scan = try open()
                while !state.withLock({ $0.isOver }) {
                    scan()
                    begun.signal()
                }
            } catch {
                state.withLock { $0.failure = error }
                begun.signal()
            }
            ended.signal()
        }
    }

    /// No index helps: every row is looked at, of the newest state.
    private nonisolated static func scan(ofRealmAt file: URL) throws -> () -> Void {
        let realm = try DogData.realm(file)
        return {
            realm.refresh()
            consume(realm.objects(Dog.self).filter("name CONTAINS 'zz'").count)
        }
    }

    private nonisolated static func scan(ofSQLiteAt file: URL) throws -> () -> Void {
        let select = try SQLitePeer(file).prepare("SELECT count(*) FROM dog WHERE instr(name, 'zz') > 0")
        return { consume(select.answer()) }
    }
}
