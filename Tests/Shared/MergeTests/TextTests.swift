import CausewayMerge
import CausewayMergeOracle
import CausewayModel
import CausewayOperations
import CausewaySeeds
import Testing

/// Texts: what two of them become together, and that runs never show.
@Suite struct TextTests {
    private static let seeds = SeedList.drawn(for: "texts", count: 60)
    private static let convergenceSeeds = SeedList.drawn(for: "text-convergence", count: 250)

    private static func check(_ text: TextState, _ comment: @autoclosure () -> String) {
        #expect(text.isOrderOfTree, "\(comment()): not the order of its tree")
        #expect(text.isCounted, "\(comment()): counted wrong")
    }

    private static func joined(_ operations: [TextOperation]) -> TextState {
        var text = TextState()
        for operation in operations { text.join(operation) }
        return text
    }

    private static func naive(_ operations: [TextOperation]) -> String {
        var text = NaiveText()
        for operation in operations { text.join(operation) }
        return text.string
    }

    @Test("what one writer types, deletes and types again is what a plain string would be")
    func oneWriter() {
        for seed in Self.seeds {
            var random = SeededNumbers(seed: seed)
            var writer = TextWriter(1)
            var expected = Array("".unicodeScalars)
            var operations: [TextOperation] = []
            var place = 0
            for step in 0..<150 {
                if random.once(in: 4) { place = random.number(0...expected.count) }
                place = min(place, expected.count)
                if expected.isEmpty || !random.once(in: 3) {
                    let string = random.one(of: ["a", "b", "cd", "é", "👍🏽", "efg", "\n"])
                    operations += writer.insert(string, at: place)
                    expected.insert(contentsOf: string.unicodeScalars, at: place)
                    place += string.unicodeScalars.count
                } else {
                    // Backwards or forwards.
                    let first = max(0, min(random.once(in: 2) ? place - 1 : place, expected.count - 1))
                    let end = min(first + random.number(1...3), expected.count)
                    operations += writer.remove(first..<end)
                    expected.removeSubrange(first..<end)
                    place = first
                }
                #expect(Array(writer.text.string.unicodeScalars) == expected, "seed \(seed), step \(step)")
                if step.isMultiple(of: 10) { Self.check(writer.text, "seed \(seed), step \(step)") }
            }
            let other = Self.joined(operations)
            #expect(other == writer.text, "seed \(seed)")
            #expect(other.encoded() == writer.text.encoded(), "seed \(seed)")
            var runs: [TextOperation] = []
            for operation in operations { runs.appendRun(operation) }
            #expect(runs.count <= operations.count)
            #expect(Self.joined(runs) == writer.text, "seed \(seed): one operation a run says something else")
        }
    }

    /// Everything two or three writers can do to a text of two scalars with one edit.
    private static func edits(_ writer: TextWriter) -> [(TextWriter, [TextOperation])] {
        var found: [(TextWriter, [TextOperation])] = []
        for index in 0...writer.text.count {
            var copy = writer
            let operations = copy.insert(index.isMultiple(of: 2) ? "xy" : "z", at: index)
            found.append((copy, operations))
        }
        for first in 0..<writer.text.count {
            for end in first + 1...writer.text.count {
                var copy = writer
                let operations = copy.remove(first..<end)
                found.append((copy, operations))
            }
        }
        return found
    }

    private static func writer(_ client: UInt64, seeing operations: [TextOperation]) -> TextWriter {
        var writer = TextWriter(client)
        for operation in operations { writer.text.join(operation) }
        return writer
    }

    /// All orders in which the lists can be delivered, each list in its own order.
    private static func interleavings(_ lists: [[TextOperation]]) -> [[TextOperation]] {
        if lists.allSatisfy(\.isEmpty) { return [[]] }
        return lists.indices.filter { !lists[$0].isEmpty }.flatMap { index in
            var rest = lists
            let first = rest[index].removeFirst()
            return interleavings(rest).map { [first] + $0 }
        }
    }

    private static func checkOrders(_ start: [TextOperation], _ lists: [[TextOperation]], _ comment: String) {
        let expected = naive(start + lists.joined())
        var bytes: [UInt8]?
        for order in interleavings(lists) {
            let text = joined(start + order)
            #expect(text.string == expected, "\(comment): \(order)")
            check(text, comment)
            let encoded = text.encoded()
            #expect(bytes == nil || bytes == encoded, "\(comment): the order shows: \(order)")
            bytes = encoded
            var again = text
            for operation in start + order { #expect(again.join(operation) == .noEffect, "\(comment): retried") }
            #expect(again == text, "\(comment): retried")
        }
    }

    @Test("one writer with two edits and one with one: every pair, every order of delivery")
    func everyPair() {
        var founder = TextWriter(9)
        let start = founder.insert("ab", at: 0)
        for (one, first) in Self.edits(Self.writer(1, seeing: start)) {
            for (_, second) in Self.edits(one) {
                let third = Self.edits(Self.writer(2, seeing: start)).map(\.1)
                for operations in third { Self.checkOrders(start, [first + second, operations], "two and one") }
            }
        }
    }

    @Test("three writers with an edit each: every triple, every order of delivery")
    func everyTriple() {
        var founder = TextWriter(9)
        let start = founder.insert("ab", at: 0)
        for (_, first) in Self.edits(Self.writer(1, seeing: start)) {
            for (_, second) in Self.edits(Self.writer(2, seeing: start)) {
                for (_, third) in Self.edits(Self.writer(3, seeing: start)) {
                    Self.checkOrders(start, [first, second, third], "three writers")
                }
            }
        }
    }

    @Test("writers that type, delete and hear of each other at random end with the same bytes, as the reference says")
    func convergence() {
        for seed in Self.convergenceSeeds {
            var random = SeededNumbers(seed: seed)
            var writers = (1...3).map { TextWriter($0) }
            var inboxes: [[[TextOperation]]] = [[], [], []]
            var log: [TextOperation] = []
            for _ in 0..<40 {
                let number = random.below(3)
                if random.once(in: 4), !inboxes[number].isEmpty {
                    let heard = random.number(1...inboxes[number].count)
                    for operation in inboxes[number].prefix(heard).joined() { writers[number].text.join(operation) }
                    inboxes[number].removeFirst(heard)
                    continue
                }
                let count = writers[number].text.count
                let operations: [TextOperation]
                if count > 2, random.once(in: 3) {
                    let first = random.below(count)
                    operations = writers[number].remove(first..<min(count, first + random.number(1...4)))
                } else {
                    // Mostly at the same few places, where runs meet.
                    let place = random.once(in: 2) ? random.number(0...count) : min(count, random.below(3))
                    operations = writers[number].insert(random.one(of: ["1", "ab", "ü", "long"]), at: place)
                }
                log += operations
                for other in 0..<3 where other != number { inboxes[other].append(operations) }
                Self.check(writers[number].text, "seed \(seed)")
            }
            let server = Self.joined(log)
            #expect(server.string == Self.naive(log), "seed \(seed)")
            for number in 0..<3 {
                for operation in inboxes[number].joined() { writers[number].text.join(operation) }
                Self.check(writers[number].text, "seed \(seed), writer \(number)")
                #expect(writers[number].text.encoded() == server.encoded(), "seed \(seed), writer \(number)")
            }
        }
    }

    @Test("what two writers type at the same place never interleaves, forwards and backwards, letter by letter")
    func noInterleaving() {
        for isBackward in [false, true] {
            var founder = TextWriter(9)
            let start = founder.insert("[]", at: 0)
            var writers = [Self.writer(1, seeing: start), Self.writer(2, seeing: start)]
            var typed: [[TextOperation]] = [[], []]
            for number in 0..<2 {
                let words = number == 0 ? "milk" : "eggs"
                for (place, letter) in (isBackward ? words.reversed() : Array(words)).enumerated() {
                    typed[number] += writers[number].insert(String(letter), at: isBackward ? 1 : 1 + place)
                }
            }
            for order in [typed[0] + typed[1], typed[1] + typed[0]] {
                let string = Self.joined(start + order).string
                #expect(["[milkeggs]", "[eggsmilk]"].contains(string), "\(string), backward \(isBackward)")
            }
        }
    }

    @Test("a text of many runs survives blocks, its encoding and the runs without the text")
    func manyRuns() throws {
        var random = SeededNumbers(seed: 7)
        var writers = [TextWriter(1), TextWriter(2)]
        for _ in 0..<6 {
            var made: [[TextOperation]] = [[], []]
            for number in 0..<2 {
                for _ in 0..<150 {
                    let count = writers[number].text.count
                    if count > 20, random.once(in: 4) {
                        let first = random.below(count - 5)
                        made[number] += writers[number].remove(first..<first + random.number(1...5))
                    } else {
                        made[number] += writers[number].insert("wörd", at: random.number(0...count))
                    }
                }
            }
            for operation in made[1] { writers[0].text.join(operation) }
            for operation in made[0] { writers[1].text.join(operation) }
            for writer in writers { Self.check(writer.text, "many runs") }
            #expect(writers[0].text.encoded() == writers[1].text.encoded())
        }
        let text = writers[0].text
        #expect(text.pieceCount > 500)
        let decoded = try TextState(encoded: text.encoded())
        #expect(decoded == text)
        Self.check(decoded, "decoded")
        let beside = try TextState(runs: text.encodedRuns(), text: text.string)
        #expect(beside == text)
        #expect(throws: EncodingError.self) { try TextState(runs: text.encodedRuns(), text: text.string + "!") }
    }

    @Test("damaged states are refused or harmless")
    func damage() throws {
        for seed in Self.seeds {
            var random = SeededNumbers(seed: seed)
            var writers = [TextWriter(1), TextWriter(2)]
            var operations: [TextOperation] = []
            for _ in 0..<12 {
                for number in 0..<2 {
                    operations += writers[number].insert("ab", at: random.number(0...writers[number].text.count))
                }
            }
            let bytes = Self.joined(operations).encoded()
            for length in bytes.indices {
                #expect(throws: EncodingError.self) { try TextState(encoded: Array(bytes.prefix(length))) }
            }
            for _ in 0..<150 {
                var damaged = bytes
                for _ in 0..<random.number(1...3) { damaged[random.below(damaged.count)] = UInt8(random.below(256)) }
                guard var text = try? TextState(encoded: damaged) else { continue }
                for operation in operations { text.join(operation) }
                if text.count > 0 { _ = text.remove(0..<text.count) }
                Self.check(text, "seed \(seed), damaged")
            }
        }
    }

    @Test("operations that name what is not known change what they can and break nothing")
    func unknown() {
        let nobody = ElementID(client: ClientID(77), counter: 5)
        var text = Self.joined([.insert(ElementID(client: ClientID(1), counter: 1), left: nil, right: nil, text: "abc")]
        )
        #expect(text.join(.delete(nobody, count: 3)) == .noEffect)
        #expect(text.join(.delete(ElementID(client: ClientID(1), counter: 2), count: 1_000_000)) == .applied)
        #expect(text.string == "a")
        let late = ElementID(client: ClientID(2), counter: 1)
        #expect(text.join(.insert(late, left: nobody, right: nobody, text: "x")) == .applied)
        #expect(text.join(.insert(late, left: nil, right: nil, text: "yz")) == .noEffect)
        #expect(text.string == "ax" || text.string == "xa")
        let last = ElementID(client: ClientID(2), counter: .max)
        #expect(text.join(.insert(last, left: nil, right: nil, text: "no")) == .noEffect)
        #expect(text.join(.delete(last, count: 2)) == .noEffect)
        Self.check(text, "unknown")
    }

    @Test("operations survive their encoding, and one letter takes few bytes")
    func encoding() throws {
        var writer = TextWriter(UInt64.max - 3)
        var run: [TextOperation] = []
        for place in 0..<40 { for operation in writer.insert("e", at: place * 2 / 3) { run.appendRun(operation) } }
        for operation in writer.remove(3..<9) { run.appendRun(operation) }
        let note = ObjectReference("Note", .int(1))
        func changeset(_ operations: [TextOperation]) -> Changeset {
            Changeset(
                client: writer.client, sequence: 1, stamp: Stamp(time: 1, client: writer.client), base: .zero,
                operations: operations.map { .text(note, property: "body", $0) })
        }
        let bytes = Changeset.encode([changeset(run)])
        #expect(try Changeset.decode(bytes) == [changeset(run)])
        #expect(bytes[0] == 3)
        let without = Changeset.encode([changeset(Array(run.prefix(1)))])
        #expect((bytes.count - without.count) / (run.count - 1) <= 12)
        for length in bytes.indices {
            #expect(throws: EncodingError.self) { try Changeset.decode(Array(bytes.prefix(length))) }
        }
    }
}
