import CausewayJSON
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import Synchronization
import Testing

@testable import CausewayDataAPI

@Suite("What one request may take")
struct BoundTests {
    /// Writes as a device may: a plant whose mixed value is a list that holds the next list twice, and so on.
    private func plantOfLists(_ levels: Int, in bench: APIBench) async throws {
        let client = try await bench.conversations.callClient(of: "ann")
        let className = NestedCollection.list.className
        let plant = ObjectReference("Plant", .int(1))
        let lists = (0..<levels).map { _ in ObjectReference(className, .container(client.nextID())) }
        var operations: [CausewayOperations.Operation] = [.create(plant, life: 1, fields: [])]
        for list in lists { operations.append(.create(list, life: 1, fields: [])) }
        operations.append(.set(plant, FieldValue("any", .anyLink(ClassedLink(className, lists[0].key)))))
        for (list, next) in zip(lists, lists.dropFirst()) {
            var state = ListState()
            for place in 0..<2 {
                let insertion = state.insertion(
                    of: .anyLink(ClassedLink(className, next.key)), at: place, id: client.nextID())
                state.join(insertion, stamp: Stamp(time: .max, client: client.id))
                operations.append(.list(list, property: NestedCollection.property, insertion))
            }
        }
        let outcome = try await bench.conversations.apply(
            operations, base: try bench.store.snapshot().version, terms: CallTerms(), as: client,
            by: KnownCaller(user: "ann"))
        #expect(outcome.failure == nil)
    }

    @Test("a part that is in several places is written once")
    func repeatedParts() async throws {
        let bench = try APIBench()
        try await plantOfLists(30, in: bench)
        let single = try await bench.call("GET", "objects/Plant/1")
        #expect(single.status == 200 && single.text.utf8.count < 4_000, "\(single.text.prefix(200))")
        #expect(single.text.contains("[],null],null]"), "\(single.text.prefix(2_000))")
        let page = try await bench.call("GET", "objects/Plant")
        #expect(page.objects == [single.json])
        let tag = try #require(single.header("etag"))
        let patched = try await bench.call(
            "PATCH", "objects/Plant/1", #"{"name": "a"}"#, as: "ann", ["If-Match": tag])
        #expect(patched.status == 200, "\(patched.text)")
    }

    @Test("an object that is too large is refused, with a remedy", arguments: [(2_000, true), (100_000, false)])
    func objectBytes(_ bytesMax: Int, _ isTooLarge: Bool) async throws {
        let bench = try APIBench()
        let colours = Array(repeating: #""red""#, count: 1_000).joined(separator: ",")
        #expect(
            try await bench.call("POST", "objects/Plant", #"{"_id": 1, "colours": [\#(colours)]}"#).status == 201)
        let snapshot = try bench.store.snapshot()
        let number = try #require(snapshot.classNumber("Plant"))
        let row = try #require(snapshot.row(ObjectName(number, .int(1))))
        var writer = JSONWriter()
        var failure: APIError?
        do throws(APIError) {
            try ObjectWriter(snapshot, under: nil, bytesMax: bytesMax).write(row, to: &writer)
        } catch {
            failure = error
        }
        #expect(failure?.code == (isTooLarge ? APIError.Code.tooCostly : nil))
        #expect(failure?.message.contains("fields=") ?? true)
        #expect(!isTooLarge || writer.bytes.count < bytesMax + 100)
    }

    /// The time of every second question is over.
    private final class Turns: Sendable {
        private let asked = Mutex(0)

        func isOver() -> Bool {
            asked.withLock { asked in
                asked += 1
                return asked.isMultiple(of: 2)
            }
        }
    }

    @Test("an order holds the positions of its page and some more, however many objects there are")
    func positions() async throws {
        let bench = try APIBench()
        let (count, limit) = (6_000, 10)
        try await bench.fill(0..<count)
        let snapshot = try bench.store.snapshot()
        let number = try #require(snapshot.classNumber("Plant"))
        let plant = try #require(snapshot.schema["Plant"])
        // Each object precedes those before it.
        let order = try SortOrder("-_id", plant)
        let query = try SingleQuery(
            nil, of: number, sortedBy: order.keys.map(\.column), in: snapshot, under: nil)
        let scan = PageScan(snapshot, query, order: order, after: nil, limit: limit, isCounting: false)
        let turns = Turns()
        let end = StepEnd { turns.isOver() }
        while !(try scan.step(until: end)) {
            #expect(scan.found.count <= limit + PageScan.positionsBesidesPageMax)
        }
        #expect(scan.found.count == limit + 1)
        let expected = (0...limit).map { [Value.int(Int64(count - 1 - $0))] }
        #expect(scan.found.map(\.values) == expected)
    }

    @Test("texts are compared within a budget, then replaced between what both begin and end with")
    func textBudget() {
        func edits(_ budget: Int, _ old: String, _ new: String) -> [TextEdit] {
            var comparisons = TextComparisons(budget: budget)
            return comparisons.edits(from: old, to: new)
        }
        let (old, new) = ("a-b-c", "aXbXYc")
        #expect(edits(0, old, new) == [.insert("XbXY", at: 1), .remove(5..<8)])
        #expect(edits(0, "abc", "abc") == [])
        #expect(edits(0, "abc", "") == [.remove(0..<3)])
        #expect(edits(0, "", "é👩‍👩‍👧") == [.insert("é👩‍👩‍👧", at: 0)])
        #expect(edits(TextComparisons.budgetMax, old, new) == TextDifference.edits(from: old, to: new))
    }

    @Test("all texts of a request share one budget")
    func sharedTextBudget() {
        // Enough for two of three.
        var comparisons = TextComparisons(budget: 2_000)
        var counts: [Int] = []
        for _ in 0..<3 { counts.append(comparisons.edits(from: "a-b-c", to: "aXbXYc").count) }
        #expect(counts == [4, 4, 2])
    }

    @Test("a text of thousands of other lines is written in time", .timeLimit(.minutes(1)))
    func longTexts() async throws {
        let bench = try APIBench()
        func text(_ word: String) -> String { (0..<4_000).map { "\(word) \($0)\\n" }.joined() }
        #expect(
            try await bench.call("POST", "objects/Plant", #"{"_id": 1, "notes": "\#(text("old"))"}"#).status == 201)
        let reply = try await bench.call("PATCH", "objects/Plant/1", #"{"notes": "\#(text("new"))"}"#)
        #expect(reply.status == 200, "\(reply.text)")
        let notes = try await bench.call("GET", "objects/Plant/1").json["notes"]?.string
        #expect(notes == text("new").replacing("\\n", with: "\n"))
    }
}
