@testable import CausewayStorage
import Dispatch
import Glibc
import Synchronization
import Testing

@Suite("Turns to write and to sync")
struct SharedTurnTests {
    @Test("one writes at a time, whether threads share the file in one process or in several")
    func exclusive() throws {
        let folder = try SharedFolder()
        let states = try (0..<2).map { _ in try folder.join() }
        let locks = states.map { WriterLock($0) }
        let inside = Counter()
        let overlaps = Counter()
        atOnce(4) { number in
            let lock = locks[number % 2]
            for _ in 0..<500 {
                guard (try? lock.wait(for: lock.takeTicket())) != nil else { return overlaps.add(1) }
                inside.add(1)
                if inside.value != 1 { overlaps.add(1) }
                inside.add(-1)
                lock.release()
            }
        }
        #expect(overlaps.value == 0)
    }

    @Test("threads of one process get the turn in the order of their tickets")
    func inOrder() throws {
        let lock = WriterLock(SharedState())
        let first = lock.takeTicket()
        let tickets = (0..<20).map { _ in lock.takeTicket() }
        let order = Kept<Int>()
        let group = DispatchGroup()
        for number in (0..<20).reversed() {
            let ticket = tickets[number]
            DispatchQueue(label: "writer \(number)").async(group: group) {
                guard (try? lock.wait(for: ticket)) != nil else { return }
                order.keep(number)
                lock.release()
            }
        }
        try lock.wait(for: first)
        lock.release()
        group.wait()
        #expect(order.all == Array(0..<20))
    }

    @Test("who has written and wants to write again lets a waiting process pass")
    func alternating() throws {
        let folder = try SharedFolder()
        let states = try (0..<3).map { _ in try folder.join() }
        let eager = WriterLock(states[0])
        for _ in 0..<20 {
            let order = Kept<String>()
            let group = DispatchGroup()
            try eager.wait(for: eager.takeTicket())
            let patient = WriterLock(states[1])
            DispatchQueue(label: "patient").async(group: group) {
                guard (try? patient.wait(for: patient.takeTicket())) != nil else { return }
                order.keep("patient")
                patient.release()
            }
            #expect(try eventually { try states[2].locks?.isLockedElsewhere(SharedLayout.turnstileByte) == true })
            eager.release()
            try eager.wait(for: eager.takeTicket())
            order.keep("eager")
            eager.release()
            group.wait()
            #expect(order.all == ["patient", "eager"])
        }
    }

    @Test("a process that leaves, or is gone, leaves the turn to the next")
    func leaving() throws {
        let folder = try SharedFolder()
        let staying = try folder.join()
        do {
            let leaving = try folder.join()
            let lock = WriterLock(leaving)
            try lock.wait(for: lock.takeTicket())
            leaving.beginCommitting(leaving.takeBirth())
        }
        let lock = WriterLock(staying)
        try lock.wait(for: lock.takeTicket())
        #expect(staying.committing == 2)
        staying.endCommitting()
        #expect(staying.committing == 0)
        lock.release()
    }

    @Test("one syncs at a time, and what a dead one was syncing is forgotten")
    func syncing() throws {
        let folder = try SharedFolder()
        let staying = try folder.join()
        do {
            let leaving = try folder.join()
            leaving.lockSyncing()
            leaving.setSyncing(1)
            #expect(staying.fallbacks == [1, 0, 1])
            leaving.unlockSyncing()
        }
        staying.lockSyncing()
        #expect(staying.fallbacks == [1, 0, 0])
        staying.unlockSyncing()
        let states = [staying, try folder.join()]
        let inside = Counter()
        let overlaps = Counter()
        atOnce(4) { number in
            for _ in 0..<500 {
                states[number % 2].lockSyncing()
                inside.add(1)
                if inside.value != 1 { overlaps.add(1) }
                inside.add(-1)
                states[number % 2].unlockSyncing()
            }
        }
        #expect(overlaps.value == 0)
    }

    @Test("what is durable only grows, and makes the state found at opening one like any other")
    func durable() {
        let state = SharedState()
        state.reset(newest: 8, slot: 1, durable: 5, slots: [5, 8, 0, 0], nextBirth: 9)
        #expect(state.fallbacks == [5, 8, 0])
        state.setDurable(7)
        #expect(state.fallbacks == [7, 8, 0])
        state.setDurable(6)
        #expect(state.fallbacks == [7, 8, 0])
        state.setDurable(8)
        #expect(state.fallbacks == [8, 0, 0])
    }

    @Test("a reservation that is dropped gives the turn back")
    func reservation() throws {
        let lock = WriterLock(SharedState())
        try lock.wait(for: lock.takeTicket())
        do { _ = WriteReservation(lock, isUsed: false) }
        try lock.wait(for: lock.takeTicket())
        lock.release()
    }
}
