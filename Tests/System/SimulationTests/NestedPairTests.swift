import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewayStore
import CausewaySyncedFile
import CausewayWire
import Testing

@testable import CausewaySimulation

/// Every pair of concurrent operations on a place that holds a collection, in RULES.md, section 6: on every kind of
/// place, whoever is later, and whoever arrives first.
@Suite("Pairs of operations on collections in mixed values", .serialized)
struct NestedPairTests {
    /// Where the collection is.
    enum Place: CaseIterable {
        case property, element, key, elementOfNested, keyOfNested

        var isElement: Bool { self == .element || self == .elementOfNested }
        var isKey: Bool { self == .key || self == .keyOfNested }
    }

    enum Action: CaseIterable {
        /// In the collection: of a list its first element, of a map the key "a".
        case add, set, remove, clear
        /// Of the place.
        case putList, putMap, putText, putNull, removePlace, clearAround, move, deleteObject

        func isPossible(at place: Place) -> Bool {
            switch self {
            case .removePlace, .clearAround: place != .property
            case .move: place.isElement
            default: true
            }
        }
    }

    @Test(
        "two changes give what the rules say, whoever arrives first", arguments: NestedCollection.allCases,
        Place.allCases)
    func pairs(_ content: NestedCollection, _ place: Place) throws {
        for first in Action.allCases where first.isPossible(at: place) {
            for second in Action.allCases where second.isPossible(at: place) {
                // The second writes later, whoever arrives first. Who does is drawn anew each time.
                let isSecondFirst = Bool.random()
                let bench = try Bench(content, place)
                let actual = try bench.run(first, second, isSecondFirst: isSecondFirst)
                let expected = Expectation(content, place, first, second).picture
                let isEqual = expected.contains(actual)
                #expect(
                    isEqual,
                    "\(content) in \(place): \(first), then \(second)\(isSecondFirst ? ", which arrives first" : "")"
                )
                if !isEqual { print("  expected \(expected), is \(String(describing: actual))") }
            }
        }
    }
}

/// A server and two devices that hold one object with the collection.
private final class Bench {
    private let server: LoopbackServer
    private let devices: [LoopbackDevice]
    private let content: NestedCollection
    private let place: NestedPairTests.Place
    private var now: UInt64 = 1_700_000_000_000

    init(_ content: NestedCollection, _ place: NestedPairTests.Place) throws {
        self.content = content
        self.place = place
        server = try LoopbackServer(.inMemory(), now: now)
        devices = [try .inMemory(now: now), try .inMemory(now: now)]
        for device in devices {
            try device.subscribe([StandingQuery(className: "Item", predicate: "TRUEPREDICATE")])
        }
        try devices[0].write(at: now) { [self] in try begin($0, devices[0].file.replica) }
        for device in devices { try sync(device) }
    }

    /// What the object is afterwards, for both devices and the server; nil when it is gone.
    func run(
        _ first: NestedPairTests.Action, _ second: NestedPairTests.Action, isSecondFirst: Bool
    ) throws -> Picture? {
        for (device, action) in zip(devices, [first, second]) {
            now += 1000
            try device.write(at: now) { [self] in try perform(action, $0, device) }
        }
        for device in isSecondFirst ? devices.reversed() : devices { try sync(device) }
        for device in devices { try sync(device) }
        let expected = try server.read { $0.pictures("Item") }[.int(1)]
        for device in devices {
            #expect(try device.read { $0.pictures("Item") }[.int(1)] == expected)
            #expect(try device.read { $0.orphans() } == [])
        }
        #expect(try server.read { $0.orphans() } == [])
        return expected?.mixedProperties
    }

    private func sync(_ device: LoopbackDevice) throws {
        server.now = now
        try device.sync(with: server)
    }

    // MARK: - The place

    private func begin(_ transaction: Transaction, _ replica: Replica) throws {
        let items = try #require(transaction.table("Item"))
        let item = try items.create(.int(1))
        let value = try transaction.makeNested(content, [.string("x"), .string("y")], ["a", "b"], replica)
        func column(_ name: String) throws -> Int { try #require(items.schema.index(of: name)) }
        switch place {
        case .property: items.set(item, try column("it"), value)
        case .element:
            items.listAppend(item, try column("anys"), value)
            items.listAppend(item, try column("anys"), .string("z"))
        case .key:
            items.mapPut(item, try column("byName"), "k", value)
            items.mapPut(item, try column("byName"), "l", .string("z"))
        case .elementOfNested, .keyOfNested:
            let kind = place == .elementOfNested ? NestedCollection.list : .map
            items.set(
                item, try column("it"),
                try transaction.makeNested(kind, [value, .string("z")], ["k", "l"], replica))
        }
    }

    /// What the place is in: an object or a nested collection, and which column of it.
    private func around(_ transaction: Transaction) throws -> (table: Table, key: ObjectKey, column: Int) {
        let items = try #require(transaction.table("Item"))
        let item = try #require(items.key(for: .int(1)))
        func column(_ name: String) throws -> Int { try #require(items.schema.index(of: name)) }
        switch place {
        case .property: return (items, item, try column("it"))
        case .element: return (items, item, try column("anys"))
        case .key: return (items, item, try column("byName"))
        case .elementOfNested, .keyOfNested:
            let (table, key, _) = try #require(transaction.nested(items.value(item, try column("it"))))
            return (table, key, NestedCollection.column)
        }
    }

    private func perform(
        _ action: NestedPairTests.Action, _ transaction: Transaction, _ device: LoopbackDevice
    ) throws {
        let (table, key, column) = try around(transaction)
        let present: Value? =
            switch place {
            case .property: table.value(key, column)
            case .element, .elementOfNested: table.listValue(key, column, 0)
            case .key, .keyOfNested: table.mapValue(key, column, "k")
            }
        let word = Expectation.word(device === devices[1])
        func put(_ value: Value) {
            switch place {
            case .property: table.set(key, column, value)
            case .element, .elementOfNested: table.listSet(key, column, 0, value)
            case .key, .keyOfNested: table.mapPut(key, column, "k", value)
            }
        }
        switch action {
        case .putList: put(try transaction.makeNested(.list, [.string(word)], [], device.file.replica))
        case .putMap: put(try transaction.makeNested(.map, [.string(word)], ["m"], device.file.replica))
        case .putText: put(.string(word))
        case .putNull: put(.null)
        case .removePlace where place.isElement: table.listRemove(key, column, 0)
        case .removePlace: table.mapRemove(key, column, "k")
        case .clearAround where place.isElement: table.listClear(key, column)
        case .clearAround: table.mapClear(key, column)
        case .move: table.listMove(key, column, 0, 1)
        case .deleteObject:
            let items = try #require(transaction.table("Item"))
            items.delete(try #require(items.key(for: .int(1))), leavingGhost: true)
        case .add, .set, .remove, .clear:
            let (nested, row, kind) = try #require(transaction.nested(present ?? .null))
            let inside = NestedCollection.column
            switch (action, kind) {
            case (.add, .list): nested.listAppend(row, inside, .string(word))
            case (.set, .list): nested.listSet(row, inside, 0, .string(word))
            case (.remove, .list): nested.listRemove(row, inside, 0)
            case (.clear, .list): nested.listClear(row, inside)
            case (.add, .map): nested.mapPut(row, inside, "c" + word, .string(word))
            case (.set, .map): nested.mapPut(row, inside, "a", .string(word))
            case (.remove, .map): nested.mapRemove(row, inside, "a")
            default: nested.mapClear(row, inside)
            }
        }
    }
}

/// What the rules say, computed from the two actions alone. The second one is the later.
private struct Expectation {
    /// All that may be; more than one where ids decide.
    let picture: [Picture?]

    static func word(_ isSecond: Bool) -> String { isSecond ? "B" : "A" }

    typealias Action = NestedPairTests.Action

    init(_ content: NestedCollection, _ place: NestedPairTests.Place, _ first: Action, _ second: Action) {
        let actions = [(first, "A"), (second, "B")]
        guard !actions.contains(where: { $0.0 == .deleteObject }) else {
            picture = [nil]
            return
        }
        var values: [Picture] = content == .list ? Self.lists(actions) : [Self.map(actions)]
        var isThere = true
        for (action, word) in actions {
            switch action {
            case .putList: values = [.list([.value(.string(word))])]
            case .putMap: values = [.object(["m": .value(.string(word))])]
            case .putText: values = [.value(.string(word))]
            case .putNull: values = [.value(.null)]
            default: break
            }
            switch action {
            // A later put brings a key back, and nothing an element.
            case .putList, .putMap, .putText, .putNull: if place.isKey { isThere = true }
            case .removePlace, .clearAround: isThere = false
            default: break
            }
        }
        let keepsOther = !actions.contains { $0.0 == .clearAround }
        let isMoved = actions.contains { $0.0 == .move }
        let other = Picture.value(.string("z"))
        picture = values.map { value in
            var around: Picture
            if place == .property {
                around = value
            } else if place.isElement {
                let pair =
                    isMoved
                    ? [keepsOther ? other : nil, isThere ? value : nil]
                    : [isThere ? value : nil, keepsOther ? other : nil]
                around = .list(pair.compactMap { $0 })
            } else {
                around = .object(
                    ["k": isThere ? value : nil, "l": keepsOther ? other : nil].compactMapValues { $0 })
            }
            return Self.item(around, at: place)
        }
    }

    /// The first element, the second, and what each added.
    private static func lists(_ actions: [(Action, String)]) -> [Picture] {
        var first: String? = "x"
        var second: String? = "y"
        for (action, word) in actions where action == .set { first = word }
        if actions.contains(where: { $0.0 == .remove || $0.0 == .clear }) { first = nil }
        if actions.contains(where: { $0.0 == .clear }) { second = nil }
        let added = actions.filter { $0.0 == .add }.map(\.1)
        return [added, added.reversed()].map { added in
            .list(([first, second] + added).compactMap { $0 }.map { .value(.string($0)) })
        }
    }

    private static func map(_ actions: [(Action, String)]) -> Picture {
        var entries: [ExactString: String] = ["a": "x", "b": "y"]
        for (action, word) in actions {
            switch action {
            case .add: entries[ExactString("c" + word)] = word
            case .set: entries["a"] = word
            case .remove: entries["a"] = nil
            // What the other added meanwhile was not seen.
            case .clear:
                entries["a"] = nil
                entries["b"] = nil
            default: break
            }
        }
        return .object(entries.mapValues { .value(.string($0)) })
    }

    private static func item(_ around: Picture, at place: NestedPairTests.Place) -> Picture {
        .object(
            [
                "it": place == .element || place == .key ? .value(.null) : around,
                "anys": place == .element ? around : .list([]),
                "byName": place == .key ? around : .object([:]),
            ])
    }
}

extension Picture {
    /// Of an item, the mixed properties only.
    fileprivate var mixedProperties: Picture {
        guard case .object(let properties) = self else { return self }
        return .object(properties.filter { ["it", "anys", "byName"].contains($0.key) })
    }
}
