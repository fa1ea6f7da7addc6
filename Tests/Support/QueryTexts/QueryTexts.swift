import CausewayModel
import CausewayQuery
import CausewayQueryGrammar
import CausewaySeeds
import CausewayStore

/// Generated texts, each asked in `filter` on a device, in a subscription and in a rule of a server, and compared with an
/// evaluator that shares no code with any of them.
package struct QueryTexts {
    package struct Difference: Error, CustomStringConvertible {
        package let description: String

        init(description: String) { self.description = description }
    }

    private static let objectCount = 24

    private let seed: UInt64
    private var generator: TextGenerator
    private let evaluator: PlainEvaluator
    private let device: DeviceItems
    private let server: ServerItems
    /// How many texts of each kind were compared.
    package private(set) var compared = 0
    package private(set) var served = 0
    package private(set) var refused = 0
    package private(set) var found = 0

    package var counts: [String: Int] { generator.counts }

    package init(seed: UInt64) throws {
        self.seed = seed
        var numbers = SeededNumbers(seed: seed ^ 0x7465_7874)
        let objects = PlainObject.drawn(Self.objectCount, &numbers)
        generator = TextGenerator(seed: seed, objectCount: objects.count)
        evaluator = PlainEvaluator(objects)
        device = try DeviceItems(objects)
        server = try ServerItems(objects)
    }

    /// Tries so many texts; ends with the first difference.
    package mutating func run(count: Int) throws {
        for number in 0..<count { try compare(generator.next(), number) }
    }

    private mutating func compare(_ drawn: TextGenerator.Drawn, _ number: Int) throws {
        let expected = evaluator.found(drawn.tree)
        found += expected.isEmpty ? 0 : 1
        func expect(_ rows: [Int], _ place: String, _ text: String, _ wanted: [Int]? = nil) throws {
            guard rows != wanted ?? expected else { return }
            throw difference(number, "\(place) of \(text): \(rows), expected \(wanted ?? expected)")
        }
        let canonical: String
        do {
            let arguments = drawn.arguments.map { Argument.value($0.stored) }
            _ = try Predicate.parse(drawn.textWithArguments, arguments: arguments)
                .bound(to: PlainObject.className, in: ServerItems.schema)
            let parsed = try Predicate.parse(drawn.text)
            canonical = parsed.description
            guard try Predicate.parse(canonical).description == canonical else {
                throw difference(number, "\(drawn.text) is written \(canonical), which is read otherwise")
            }
            _ = try parsed.bound(to: PlainObject.className, in: ServerItems.schema)
        } catch let error as QueryError {
            throw difference(number, "\(drawn.textWithArguments) / \(drawn.text) is refused: \(error)")
        }
        try expect(device.found(drawn.textWithArguments, drawn.arguments), "filter", drawn.textWithArguments)
        if !drawn.steps.isEmpty {
            let text = ([drawn.text] + drawn.steps.map(\.text)).joined(separator: " ")
            try expect(device.found(text, []), "filter", text, evaluator.applied(drawn.steps, to: expected))
        }
        do {
            try expect(server.subscribed(canonical), "subscription", canonical)
            // A constant that decides by itself leaves no path to refuse: `items.@min.int == inf` holds for none.
            served += 1
        } catch let failure as StoreFailure {
            guard drawn.tree.usesLinks || drawn.tree.multipliesCollections else {
                throw difference(number, "a subscription to \(canonical) is refused: \(failure)")
            }
            refused += 1
        }
        // What is refused inside of a rule is unknown, and then nothing follows from it.
        if !drawn.tree.multipliesCollections { try expect(server.permitted(drawn.text), "rule", drawn.text) }
        compared += 1
    }

    private func difference(_ number: Int, _ text: String) -> Difference {
        Difference(description: "seed \(seed), text \(number): \(text)")
    }
}

extension QueryTexts {
    /// Throws if a text of the class `Item` is not understood.
    package static func checkExample(_ text: String) throws {
        let selection = try Selection.parse(text, arguments: [.value(.int(1))])
        _ = try selection.predicate.bound(to: PlainObject.className, in: ServerItems.schema)
    }
}
