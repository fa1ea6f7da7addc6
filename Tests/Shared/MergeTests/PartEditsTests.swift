import CausewayMerge
import CausewayModel
import CausewayOperations
import Testing

/// What a device is told of several versions.
@Suite("Edits of several versions")
struct PartEditsTests {
    private static let (a, b) = (ClientID(1), ClientID(2))

    private func id(_ counter: UInt64, _ client: ClientID = a) -> ElementID {
        ElementID(client: client, counter: counter)
    }

    private func stamp(_ time: UInt64, _ client: ClientID = a) -> Stamp { Stamp(time: time, client: client) }

    private func list(_ edits: ListOperation..., at time: UInt64, isOwn: Bool = false) -> PartEdits.Version {
        PartEdits.Version(.list(edits.map { StampedEdit($0, stamp(time)) }), isOwn: isOwn)
    }

    private func keyed(_ edits: KeyedOperation..., at time: UInt64, isOwn: Bool = false) -> PartEdits.Version {
        PartEdits.Version(.keyed(edits.map { StampedEdit($0, stamp(time)) }), isOwn: isOwn)
    }

    private func text(_ edits: TextOperation..., at time: UInt64, isOwn: Bool = false) -> PartEdits.Version {
        PartEdits.Version(.text(edits.map { StampedEdit($0, stamp(time)) }), isOwn: isOwn)
    }

    @Test("of an element the last value is told, and of one that was removed none")
    func values() {
        let told = PartEdits.told([
            list(
                .insert(id(1), left: nil, right: nil, value: .string("secret")),
                .insert(id(2), left: id(1), right: nil, value: .string("first")), at: 5),
            list(.set(id(2), value: .string("between")), .set(id(1), value: .string("secret too")), at: 6),
            list(.set(id(2), value: .string("last")), .delete(id(1)), at: 7),
        ])
        #expect(
            told
                == .list([
                    StampedEdit(.insert(id(1), left: nil, right: nil, value: .null), stamp(5)),
                    StampedEdit(.insert(id(2), left: id(1), right: nil, value: .string("last")), stamp(5)),
                    StampedEdit(.set(id(2), value: .string("last")), stamp(7)),
                    StampedEdit(.delete(id(1)), stamp(7)),
                ]))
    }

    @Test("an element that is inserted and removed shows at no step")
    func steps() {
        var list = ListState()
        _ = list.join(.insert(id(1), left: nil, right: nil, value: .int(1)), stamp: stamp(1))
        let edits: [StampedEdit<ListOperation>] = [
            StampedEdit(.insert(id(2), left: id(1), right: nil, value: .null), stamp(2)),
            StampedEdit(.insert(id(3), left: id(2), right: nil, value: .int(3)), stamp(2)),
            StampedEdit(.move(id(3), position: id(4), left: nil, right: id(1)), stamp(3)),
            StampedEdit(.clear([id(2)]), stamp(3)),
        ]
        #expect(list.follow(edits) == [.insert(1, .int(3)), .move(1, 0)])
        #expect(list.values == [.int(3), .int(1)])
    }

    @Test("a device's own operations are left out, but for a move behind somebody else's")
    func own() {
        let told = PartEdits.told([
            list(.move(id(1), position: id(10), left: nil, right: nil), at: 5),
            list(
                .insert(id(3), left: nil, right: nil, value: .int(3)), .set(id(2), value: .int(2)), .delete(id(4)),
                .move(id(2), position: id(11), left: nil, right: nil),
                .move(id(1), position: id(12), left: nil, right: nil), at: 6, isOwn: true),
        ])
        #expect(
            told
                == .list([
                    StampedEdit(.move(id(1), position: id(10), left: nil, right: nil), stamp(5)),
                    StampedEdit(.move(id(1), position: id(12), left: nil, right: nil), stamp(6)),
                ]))
    }

    @Test("where the device's own operations name what it has not seen, only the whole state tells it")
    func unseen() {
        let insert = list(.insert(id(1), left: nil, right: nil, value: .int(1)), at: 5)
        for own: ListOperation in [
            .insert(id(2), left: nil, right: id(1), value: .int(2)), .delete(id(1)), .set(id(1), value: .null),
            .move(id(1), position: id(3), left: nil, right: nil), .clear([id(7), id(1)]),
        ] {
            #expect(PartEdits.told([insert, list(own, at: 6, isOwn: true)]) == nil, "\(own)")
            #expect(PartEdits.told([insert, list(own, at: 6)]) != nil, "\(own)")
        }
        let typed = text(.insert(id(10), left: nil, right: nil, text: "abc"), at: 5)
        for own: TextOperation in [
            .insert(id(20), left: id(12), right: nil, text: "x"), .insert(id(20), left: nil, right: id(10), text: "x"),
            .delete(id(8), count: 3),
        ] {
            #expect(PartEdits.told([typed, text(own, at: 6, isOwn: true)]) == nil, "\(own)")
        }
        #expect(PartEdits.told([typed, text(.delete(id(8), count: 2), at: 6, isOwn: true)]) != nil)
    }

    @Test("of a key the last operation is told, unless it is the device's own")
    func keys() {
        let told = PartEdits.told([
            keyed(.put(key: .string("a"), value: .int(1)), .put(key: .string("b"), value: .int(1)), at: 5),
            keyed(.put(key: .string("b"), value: .int(2)), at: 6, isOwn: true),
            keyed(.remove(key: .string("a")), at: 7), keyed(.put(key: .double(-0.0), value: .null), at: 8),
            keyed(.put(key: .double(0), value: .null), at: 9),
        ])
        #expect(
            told
                == .keyed([
                    StampedEdit(.put(key: .double(0), value: .null), stamp(9)),
                    StampedEdit(.remove(key: .string("a")), stamp(7)),
                ]))
    }

    @Test("what was typed on is one run; what was typed and removed again is blank")
    func texts() {
        let told = PartEdits.told([
            text(.insert(id(10), left: id(1), right: id(2), text: "pass"), at: 5),
            text(.insert(id(14), left: id(13), right: id(2), text: "word"), at: 6),
            text(.delete(id(12), count: 4), at: 7),
        ])
        #expect(
            told
                == .text([
                    StampedEdit(.insert(id(10), left: id(1), right: id(2), text: "pa    rd"), stamp(7)),
                    StampedEdit(.delete(id(12), count: 4), stamp(7)),
                ]))
        // Somebody typed in between, whom this device is not told of: the second run hangs elsewhere in the tree.
        let apart = PartEdits.told([
            text(.insert(id(10), left: id(1), right: nil, text: "a"), at: 5),
            text(.insert(id(20, Self.b), left: nil, right: nil, text: "x"), at: 6, isOwn: true),
            text(.insert(id(11), left: id(10), right: id(20, Self.b), text: "b"), at: 7),
        ])
        #expect(apart?.count == 2)
    }

    @Test("versions of several kinds, and none, are nothing")
    func kinds() {
        #expect(PartEdits.told([]) == nil)
        #expect(PartEdits.told([list(.delete(id(1)), at: 1), text(.delete(id(1), count: 1), at: 2)]) == nil)
    }

    @Test("what names something unknown is not followed, and known things are followed whatever the stamps are")
    func following() {
        var list = ListState()
        for counter in 1...3 as ClosedRange<UInt64> {
            let left = counter == 1 ? nil : id(counter - 1)
            _ = list.join(.insert(id(counter), left: left, right: nil, value: .int(Int64(counter))), stamp: stamp(100))
        }
        func follow(_ operation: ListOperation) -> [ListState.IndexEdit]? {
            var copy = list
            return copy.follow([StampedEdit(operation, stamp(1))])
        }
        #expect(follow(.delete(id(9))) == nil)
        #expect(follow(.set(id(9), value: .int(0))) == nil)
        #expect(follow(.clear([id(1), id(9)])) == nil)
        #expect(follow(.insert(id(4), left: id(9), right: nil, value: .int(0))) == nil)
        #expect(follow(.insert(id(4), left: nil, right: id(9), value: .int(0))) == nil)
        #expect(follow(.move(id(9), position: id(4), left: nil, right: nil)) == nil)
        #expect(follow(.move(id(1), position: id(2), left: nil, right: nil)) == nil)
        #expect(follow(.set(id(1), value: .int(0))) == [.set(0, .int(0))])
        #expect(follow(.move(id(1), position: id(4), left: id(3), right: nil)) == [.move(0, 2)])
        #expect(follow(.insert(id(1), left: id(9), right: nil, value: .int(0))) == [])
        var text = TextState()
        _ = text.join(.insert(id(1), left: nil, right: nil, text: "abc"))
        func follows(_ operation: TextOperation) -> Bool {
            var copy = text
            return copy.follow(operation)
        }
        #expect(!follows(.delete(id(2), count: 3)) && follows(.delete(id(2), count: 2)))
        #expect(!follows(.insert(id(8), left: id(4), right: nil, text: "d")))
        #expect(follows(.insert(id(8), left: id(3), right: nil, text: "d")))
    }
}
