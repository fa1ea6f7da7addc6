import CausewayMerge
import CausewayMergeOracle
import CausewayMergeUniverse
import CausewayModel
import CausewayOperations
import Testing

/// A small universe, every case, every interleaving, against `NaiveMerge`.
@Suite struct EveryPairTests {
    typealias Stamped = (operation: Operation, stamp: Stamp)

    /// An object with two list elements, which all writers have seen.
    private func beginning() -> [Stamped] {
        var founder = Writer(9)
        return [.create, .insertLast, .insertLast].flatMap { founder.act($0) }
    }

    private func writer(_ client: UInt64, seeing: [Stamped], behind: UInt64 = 0) -> Writer {
        var writer = Writer(client)
        for (operation, stamp) in seeing { writer.receive(operation, stamp) }
        writer.time += behind
        return writer
    }

    private func join(_ operations: [Stamped]) -> ObjectState {
        var state = ObjectState()
        for (operation, stamp) in operations { state.join(operation, stamp: stamp) }
        return state
    }

    /// The pair of operations for which RULES.md promises no independence of order: something written without having
    /// seen that the object was deleted and made again, and not older than that.
    private func isExempt(_ operations: [Stamped]) -> Bool {
        let born = operations.compactMap { operation, stamp in
            if case .create(_, 3, _) = operation { stamp } else { nil }
        }.min()
        guard let born else { return false }
        return operations.contains { operation, stamp in
            switch operation {
            case .set, .list, .keyed, .add: stamp.client != born.client && !(stamp < born)
            default: false
            }
        }
    }

    private func check(_ orders: [[Stamped]], _ comment: String) {
        if isExempt(orders[0]) { return }
        let expected = NaiveMerge(operations: orders[0]).outcome
        let states = orders.map(join)
        for (order, state) in zip(orders, states) {
            #expect(state.outcome == expected, "\(comment): \(order)")
            #expect(state == states[0], "\(comment): the order shows: \(order)")
            #expect(state.encoded() == states[0].encoded(), "\(comment): the order shows in the bytes")
        }
    }

    @Test("every two intentions of two writers give one state in both orders, whoever has the later clock")
    func everyPair() {
        let start = beginning()
        for first in Writer.Intention.allCases {
            for second in Writer.Intention.allCases {
                for behind in [UInt64(0), 5] {
                    var left = writer(1, seeing: start, behind: behind)
                    var right = writer(2, seeing: start)
                    let (one, two) = (left.act(first), right.act(second))
                    check([start + one + two, start + two + one], "\(first), \(second), behind \(behind)")
                }
            }
        }
    }

    @Test("every three intentions of three writers give one state in all six orders")
    func everyTriple() {
        let start = beginning()
        for first in Writer.Intention.allCases {
            for second in Writer.Intention.allCases {
                for third in Writer.Intention.allCases {
                    var writers = (1...3).map { writer($0, seeing: start) }
                    let (one, two, three) = (writers[0].act(first), writers[1].act(second), writers[2].act(third))
                    let orders = [
                        one + two + three, one + three + two, two + one + three, two + three + one, three + one + two,
                        three + two + one,
                    ]
                    check(orders.map { start + $0 }, "\(first), \(second), \(third)")
                }
            }
        }
    }

    @Test("two creates of one key are one object: explicit values beat defaults, later ones beat older ones")
    func createsMerge() {
        let one: Stamped = (
            .create(
                Writer.object, life: 1, fields: [FieldValue("x", .int(1)), FieldValue("y", .int(1), isDefault: true)]),
            Stamp(time: 10, client: ClientID(1))
        )
        let two: Stamped = (
            .create(
                Writer.object, life: 1, fields: [FieldValue("x", .int(2), isDefault: true), FieldValue("y", .int(2))]),
            Stamp(time: 5, client: ClientID(2))
        )
        check([[one, two], [two, one]], "creates")
        #expect(join([one, two])["x"]?.value == .int(1))
        #expect(join([one, two])["y"]?.value == .int(2))
    }

    @Test("a delete beats every concurrent change, and a later create brings the key back empty")
    func deleteWins() {
        let start = beginning()
        for intention in Writer.Intention.allCases where intention != .recreate {
            var deleter = writer(1, seeing: start)
            var other = writer(2, seeing: start, behind: 100)
            let (end, change) = (deleter.act(.delete), other.act(intention))
            #expect(!join(start + end + change).isAlive, "\(intention)")
            #expect(!join(start + change + end).isAlive, "\(intention)")
        }
        var writer = writer(1, seeing: start)
        let again = writer.act(.recreate)
        #expect(join(start + again).parts.isEmpty)
        #expect(join(start + again)["x"] == nil)
    }

    @Test("only what took effect is reported as applied")
    func outcomes() {
        var state = ObjectState()
        let older = Stamp(time: 1, client: ClientID(1))
        let later = Stamp(time: 2, client: ClientID(1))
        let create = Operation.create(
            Writer.object, life: 1, fields: [FieldValue("x", .int(1)), FieldValue("y", .int(1))])
        #expect(state.join(.set(Writer.object, FieldValue("x", .int(0))), stamp: older) == .noEffect)
        #expect(state.join(create, stamp: older) == .applied)
        #expect(state.join(.set(Writer.object, FieldValue("x", .int(2))), stamp: later) == .applied)
        #expect(state.join(create, stamp: older) == .noEffect)
        #expect(state.join(.set(Writer.object, FieldValue("x", .int(3))), stamp: older) == .noEffect)
        #expect(state.join(.delete(Writer.object, life: 2), stamp: later) == .applied)
        #expect(state.join(.delete(Writer.object, life: 2), stamp: later) == .noEffect)
        #expect(state.join(.set(Writer.object, FieldValue("x", .int(3))), stamp: later) == .noEffect)
    }
}
