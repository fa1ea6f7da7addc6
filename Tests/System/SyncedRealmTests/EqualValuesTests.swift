import Causeway
import Foundation
import Testing

/// A property of every kind that can hold values which compare as equal and are written differently.
final class Twin: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var double = 0.0
    @Persisted var float: Float = 0
    @Persisted var text = ""
    @Persisted var optionalText: String?
    @Persisted var decimal: Decimal128
    @Persisted var any: AnyRealmValue
    @Persisted var inAny: AnyRealmValue
    @Persisted var doubles: List<Double>
    @Persisted var texts: List<String>
    @Persisted var decimals: List<Decimal128>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var textsByName: Map<String, String>
    @Persisted var doublesByName: Map<String, Double>
    @Persisted var numbers: MutableSet<Double>
    @Persisted var names: MutableSet<String>
    @Persisted var story: Text

    /// Every bit of what it shows.
    var bits: [String] {
        [
            "double \(double.bitPattern)", "float \(float.bitPattern)", "text \(Self.bytes(text))",
            "optionalText \(optionalText.map(Self.bytes) ?? "nil")", "decimal \(decimal)", "any \(Self.bits(any))",
            "inAny \(Self.bits(inAny))", "doubles \(doubles.map(\.bitPattern))", "texts \(texts.map(Self.bytes))",
            "decimals \(decimals.map { "\($0)" })", "anys \(anys.map(Self.bits))",
            "textsByName \(textsByName.keys.map { "\(Self.bytes($0)): \(Self.bytes(textsByName[$0] ?? ""))" })",
            "doublesByName \(doublesByName.keys.map { "\(Self.bytes($0)): \(doublesByName[$0]?.bitPattern ?? 0)" })",
            "numbers \(numbers.map(\.bitPattern).sorted())", "names \(names.map(Self.bytes).sorted())",
            "story \(Self.bytes(story.string))",
        ]
    }

    private static func bytes(_ text: String) -> String { "\(Array(text.utf8))" }

    private static func bits(_ value: AnyRealmValue) -> String {
        switch value {
        case .string(let text): bytes(text)
        case .double(let number): "\(number.bitPattern)"
        case .decimal128(let number): "\(number)"
        case .list(let list): "\(list.map(bits))"
        default: "\(value)"
        }
    }
}

/// Objects named by strings.
final class Named: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var note = ""
    @Persisted var other: Named?
}

@Suite("Values that compare as equal and are not the same, on devices joined by a server's core", .serialized)
@MainActor
struct EqualValuesTests {
    private let composed = "\u{E9}"
    private let decomposed = "e\u{301}"

    private func open(_ bench: Bench, _ device: String) async throws -> Realm {
        var configuration = try await bench.configuration(device) {
            $0.append(QuerySubscription<Twin>())
            $0.append(QuerySubscription<Named>())
        }
        configuration.objectTypes = [Twin.self, Named.self]
        return try Realm(configuration: configuration)
    }

    @Test(
        "a value that takes the place of one that it only equals is stored, sent, observed and the same on every device"
    )
    func everyKind() async throws {
        let bench = try Bench()
        let (a, b) = (try await open(bench, "a"), try await open(bench, "b"))
        let (one, same) = (try Decimal128(string: "1.0"), try Decimal128(string: "1.00"))
        try a.write {
            let twin = a.create(Twin.self, value: ["id": 1])
            twin.text = composed
            twin.optionalText = composed
            twin.decimal = one
            twin.any = .string(composed)
            twin.inAny = .fromArray([.string(composed), .double(0), .decimal128(one)])
            twin.doubles.append(objectsIn: [0, 1])
            twin.texts.append(objectsIn: [composed, "x"])
            twin.decimals.append(one)
            twin.anys.append(.string(composed))
            twin.textsByName["k"] = composed
            twin.doublesByName["k"] = 0
            twin.numbers.insert(0)
            twin.names.insert(composed)
            twin.story.append(composed)
        }
        try await settle(a, b)
        let (here, there) = (
            try #require(a.object(ofType: Twin.self, forPrimaryKey: 1)),
            try #require(b.object(ofType: Twin.self, forPrimaryKey: 1))
        )
        let before = here.bits
        #expect(there.bits == before)
        var observed: [String] = []
        let token = there.observe { change in
            if case .change(_, let properties) = change { observed += properties.map(\.name) }
        }
        try a.write {
            here.double = -0.0
            here.float = -0.0
            here.text = decomposed
            here.optionalText = decomposed
            here.decimal = same
            here.any = .string(decomposed)
            if case .list(let list) = here.inAny {
                list[0] = .string(decomposed)
                list[1] = .double(-0.0)
                list[2] = .decimal128(same)
            }
            here.doubles[0] = -0.0
            here.texts[0] = decomposed
            here.decimals[0] = same
            here.anys[0] = .string(decomposed)
            here.textsByName["k"] = decomposed
            here.doublesByName["k"] = -0.0
            here.numbers.remove(0)
            here.numbers.insert(-0.0)
            here.names.insert(decomposed)
            here.story.string = decomposed
        }
        let after = here.bits
        for (old, new) in zip(before, after) { #expect(!old.utf8.elementsEqual(new.utf8), "\(new)") }
        try await settle(a, b)
        #expect(there.bits == after)
        #expect(
            Set(observed).isSuperset(of: [
                "double", "float", "text", "optionalText", "decimal", "any", "doubles", "texts", "decimals", "anys",
                "textsByName", "doublesByName", "numbers", "names", "story",
            ]), "\(observed)")
        token.invalidate()
        let c = try await open(bench, "c")
        try await settle(c)
        #expect(c.object(ofType: Twin.self, forPrimaryKey: 1)?.bits == after)
        await bench.end()
    }

    @Test("objects, links and keys of maps whose names look alike stay apart on every device")
    func names() async throws {
        let bench = try Bench()
        let (a, b) = (try await open(bench, "a"), try await open(bench, "b"))
        let pairs = [(composed, decomposed), ("01HK", "01H\u{212A}"), (";", "\u{37E}")]
        try a.write {
            let twin = a.create(Twin.self, value: ["id": 1])
            for (left, right) in pairs {
                let first = a.create(Named.self, value: ["name": left, "note": "first"])
                let second = a.create(Named.self, value: ["name": right, "note": "second"])
                (first.other, second.other) = (second, first)
                twin.textsByName[left] = "first"
                twin.textsByName[right] = "second"
            }
        }
        try await settle(a, b)
        for realm in [a, b] {
            #expect(realm.objects(Named.self).count == 6)
            for (left, right) in pairs {
                let first = try #require(realm.object(ofType: Named.self, forPrimaryKey: left))
                let second = try #require(realm.object(ofType: Named.self, forPrimaryKey: right))
                #expect(first.note == "first" && second.note == "second" && !first.isSameObject(as: second))
                #expect(first.other?.note == "second" && second.other?.note == "first")
                #expect(realm.objects(Named.self).where { $0.name == left }.map(\.note) == ["first"])
                #expect(realm.objects(Named.self).filter("name == %@", right).map(\.note) == ["second"])
                let twin = try #require(realm.object(ofType: Twin.self, forPrimaryKey: 1))
                #expect(twin.textsByName[left] == "first" && twin.textsByName[right] == "second")
            }
        }
        var keys: [[String]] = []
        let twin = try #require(b.object(ofType: Twin.self, forPrimaryKey: 1))
        let token = twin.textsByName.observe { change in
            if case .update(_, let deletions, _, let modifications) = change { keys += [deletions, modifications] }
        }
        b.refresh()
        try a.write {
            for (left, right) in pairs {
                if let first = a.object(ofType: Named.self, forPrimaryKey: left) { a.delete(first) }
                a.object(ofType: Named.self, forPrimaryKey: right)?.note = "changed"
                let twin = a.object(ofType: Twin.self, forPrimaryKey: 1)
                twin?.textsByName[left] = nil
                twin?.textsByName[right] = "changed"
            }
        }
        try await settle(a, b)
        for realm in [a, b] {
            for (left, right) in pairs {
                #expect(realm.object(ofType: Named.self, forPrimaryKey: left) == nil)
                #expect(realm.object(ofType: Named.self, forPrimaryKey: right)?.note == "changed")
            }
            let map = try #require(realm.object(ofType: Twin.self, forPrimaryKey: 1)).textsByName
            #expect(map.count == 3 && map.values.allSatisfy { $0 == "changed" })
        }
        #expect(keys.map(\.count) == [3, 3], "\(keys)")
        token.invalidate()
        await bench.end()
    }

    @Test(
        "of two ways to write an element that devices put into a set while they were cut off, all devices show the later"
    )
    func elements() async throws {
        let bench = try Bench()
        let (a, b) = (try await open(bench, "a"), try await open(bench, "b"))
        try a.write { _ = a.create(Twin.self, value: ["id": 1]) }
        try await settle(a, b)
        let (here, there) = (
            try #require(a.object(ofType: Twin.self, forPrimaryKey: 1)),
            try #require(b.object(ofType: Twin.self, forPrimaryKey: 1))
        )
        bench.cutOff("a", "b")
        try a.write { here.numbers.insert(0) }
        try b.write { there.numbers.insert(-0.0) }
        try await bench.rejoin(["a": a, "b": b])
        try await settle(a, b)
        let c = try await open(bench, "c")
        try await settle(c)
        let shown = [here, there, try #require(c.object(ofType: Twin.self, forPrimaryKey: 1))].map { twin in
            Array(twin.numbers).map(\.bitPattern)
        }
        #expect(shown[0].count == 1 && Set(shown).count == 1, "\(shown)")
        await bench.end()
    }
}
