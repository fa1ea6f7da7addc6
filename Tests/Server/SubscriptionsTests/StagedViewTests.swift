import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import Testing

@Suite("What a device is told that was cut in the middle of a change")
struct StagedViewTests {
    private static let seeds = SeedList.drawn(for: "staged-views", count: 150)

    private let all = [tasks("TRUEPREDICATE"), QueryText(className: "Person", predicate: "TRUEPREDICATE")]

    @Test("cut behind every part, and nothing is told twice", arguments: [40, 200, 1_000])
    func nothingTwice(bytes: Int) throws {
        let view = try View()
        try view.write(View.bob, (1...40).map { make(task(Int64($0)), ("title", .string("t"))) })
        try view.write(View.bob, (1...20).map { make(ObjectReference("Person", .string("p\($0)"))) })
        var device = CutDevice(view)
        var told: [String] = []
        for _ in 0..<100 where device.held != all {
            told += try device.session(all, bytes: bytes, partsMax: 1)
        }
        #expect(device.held == all)
        #expect(told.sorted() == ((1...40).map { "Task \($0)" } + (1...20).map { "Person p\($0)" }).sorted())
        #expect(Set(device.base.keys.map(\.shown)) == Set(told))
    }

    @Test("what others change between two cuts arrives, before and behind the place of the cut")
    func changed() throws {
        let view = try View()
        let open = [tasks("done == false")]
        try view.write(View.bob, (1...9).map { make(task(Int64($0))) })
        var device = CutDevice(view)
        _ = try device.session(open, bytes: 1, partsMax: 4)
        try view.write(
            View.bob, change(task(2), "title", .string("before")), change(task(7), "title", .string("behind")),
            change(task(1), "done", .bool(true)), .delete(task(8), life: 2), .delete(task(3), life: 2),
            make(task(10)))
        _ = try device.session(open, bytes: 1, partsMax: 100)
        #expect(device.held == open)
        let left = [10, 2, 4, 5, 6, 7, 9].map { "Task \($0)" }
        #expect(device.base.keys.map(\.shown).sorted() == left)
        #expect(device.base[task(2)]?["title"] == .string("before"))
        #expect(device.base[task(7)]?["title"] == .string("behind"))
    }

    @Test("whatever is written and cut in between, the device ends with what its queries match")
    func random() throws {
        for seed in Self.seeds {
            var random = SeededNumbers(seed: seed)
            let view = try View()
            var device = CutDevice(view)
            var writers = RandomTasks()
            try writers.write(6 + random.below(30), by: View.bob, in: view, using: &random)
            for _ in 0..<3 {
                let wanted = Self.queries[random.below(Self.queries.count)]
                for _ in 0..<40 where device.held != wanted || device.version != view.record.version {
                    let sequence = view.record.version
                    _ = try device.session(wanted, bytes: 20 + random.below(200), partsMax: 1 + random.below(4))
                    if random.below(3) == 0 {
                        try writers.write(random.below(5), by: View.bob, in: view, using: &random)
                    }
                    if random.below(4) == 0 {
                        device.wrote(try writers.write(1 + random.below(2), by: View.ann, in: view, using: &random))
                    }
                    if random.below(5) == 0, view.record.version == sequence { break }
                }
                _ = try device.session(wanted, bytes: 100, partsMax: 1_000)
                _ = try device.session(wanted, bytes: 100, partsMax: 1_000)
                var fresh = CutDevice(view, client: ClientID(9))
                _ = try fresh.session(wanted, bytes: 1 << 20, partsMax: 1)
                #expect(device.base == fresh.base, "seed \(seed), wanted \(wanted)")
                guard device.base == fresh.base else { return }
            }
        }
    }

    private static let queries: [[QueryText]] = [
        [tasks("TRUEPREDICATE")], [tasks("done == false")], [tasks("done == true"), tasks("title == 'a'")],
        [tasks("done == false"), QueryText(className: "Person", predicate: "TRUEPREDICATE")],
        [QueryText(className: "Person", predicate: "name == 'a'"), tasks("title == 'b'")], [],
    ]
}

/// Writes tasks and people, with the lives they have.
private struct RandomTasks {
    private var lives: [ObjectReference: UInt32] = [:]

    @discardableResult
    mutating func write(
        _ count: Int, by client: ClientID, in view: View, using random: inout SeededNumbers
    ) throws -> [[Operation]] {
        var changesets: [[Operation]] = []
        for _ in 0..<count {
            var operations: [Operation] = []
            for _ in 0...random.below(3) { operations.append(operation(using: &random)) }
            try view.write(client, operations)
            changesets.append(operations)
        }
        return changesets
    }

    private mutating func operation(using random: inout SeededNumbers) -> Operation {
        let isTask = random.below(4) > 0
        let object =
            isTask
            ? task(Int64(random.below(40))) : ObjectReference("Person", .string("p\(random.below(10))"))
        let word = Value.string(["a", "b", "c"][random.below(3)])
        let life = lives[object] ?? 0
        guard life % 2 == 1 else {
            lives[object] = life + 1
            return isTask
                ? make(object, life: life + 1, ("title", word), ("done", .bool(random.below(2) == 0)))
                : make(object, life: life + 1, ("name", word))
        }
        switch random.below(4) {
        case 0:
            lives[object] = life + 1
            return .delete(object, life: life + 1)
        case 1 where isTask: return change(object, "done", .bool(random.below(2) == 0))
        default: return change(object, isTask ? "title" : "name", word)
        }
    }
}

/// A device in words: what the server is known to have, what it wrote itself, and what it keeps of a change that was cut.
private struct CutDevice {
    private let view: View
    private let client: ClientID
    private(set) var base: [ObjectReference: [String: Value]] = [:]
    private(set) var version = ServerVersion.zero
    private(set) var held: [QueryText] = []
    private var acknowledged = 0
    private var own: [[Operation]] = []
    /// What came up to the last place where the server can go on, by the session that brought it.
    private var segments: [(parts: [ViewDifference.Part], version: ServerVersion, acknowledged: Int)] = []
    private var staged: (queries: [QueryText], reached: Row)?

    init(_ view: View, client: ClientID = View.ann) {
        self.view = view
        self.client = client
    }

    mutating func wrote(_ changesets: [[Operation]]) { own += changesets }

    /// Is told at most so many parts before it is cut. Answers the objects that entered and that it keeps.
    mutating func session(_ wanted: [QueryText], bytes: Int, partsMax: Int) throws -> [String] {
        let snapshot = try view.record.snapshot()
        let rest = staged.flatMap { Set(wanted).isSuperset(of: $0.queries) ? $0 : nil }
        if rest == nil { (segments, staged) = ([], nil) }
        let target = rest?.queries ?? wanted
        let difference = try ViewDifference(
            snapshot, from: segments.last?.version ?? version, held: rest?.queries ?? held, wanted: target, for: client,
            staged: rest.map {
                ToldUpTo(base: held, className: snapshot.className($0.reached.classNumber), row: $0.reached.key)
            })
        var parts: [ViewDifference.Part] = []
        var kept = 0
        var isWhole = false
        while parts.count < partsMax, !isWhole {
            let part = try difference.next(bytesMax: bytes)
            parts.append(part)
            isWhole = part.isLast
            if let reached = part.reached {
                kept = parts.count
                staged = (target, reached)
            }
        }
        if isWhole { kept = parts.count }
        guard kept > 0 else { return [] }
        let words = parts[..<kept].flatMap { $0.allEntered.map(\.object.shown) }
        segments.append((Array(parts[..<kept]), difference.version, Int(difference.acknowledged)))
        guard isWhole else { return words }
        for segment in segments { apply(segment.parts, acknowledged: segment.acknowledged) }
        (segments, staged) = ([], nil)
        (version, held) = (difference.version, target)
        if target != wanted { return try words + session(wanted, bytes: bytes, partsMax: partsMax) }
        return words
    }

    private mutating func apply(_ parts: [ViewDifference.Part], acknowledged through: Int) {
        for operation in own[acknowledged..<through].joined() {
            switch operation {
            case .create(let object, _, let fields):
                base[object] = Dictionary(fields.map { ($0.property, $0.value) }) { $1 }
            case .set(let object, let field): base[object]?[field.property] = field.value
            case .delete(let object, _): base[object] = nil
            default: break
            }
        }
        acknowledged = through
        for part in parts {
            for content in part.allEntered { base[content.object] = content.values }
            for content in part.updated { base[content.object]?.merge(content.values) { $1 } }
            for leave in part.left { base[leave.object] = nil }
            for end in part.deleted { base[end.object] = nil }
        }
    }
}

extension ObjectContent {
    fileprivate var values: [String: Value] {
        let fields = state.fields.filter { ["title", "done", "name"].contains($0.property) }
        return Dictionary(fields.map { ($0.property, $0.value) }) { $1 }
    }
}
