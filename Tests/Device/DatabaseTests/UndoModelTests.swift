import Causeway
import CausewaySeeds
import Dispatch
import Foundation
import Testing

/// Random writes, undone and redone, against models that know nothing of the library's records.
@Suite("Undo and redo of any writes")
struct UndoModelTests {
    private let realm: Realm
    private let queue = DispatchQueue(label: "others")
    private static let seeds = SeedList.drawn(for: "undo", count: 8)
    private static let seedsWithOthers = SeedList.drawn(for: "undo-with-others", count: 8)

    init() throws {
        realm = try Realm.recordingDrafts()
    }

    // MARK: - Nobody else

    /// With nobody else, every state is remembered as text, and undo and redo lead from one to the next.
    @Test("undo leads back through every state and redo forward again, with new writes at any time", arguments: seeds)
    func alone(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        var states = [state()]
        var place = 0
        func check(_ deed: String) {
            #expect(state() == states[place], "after \(deed) to state \(place), seed \(seed)")
        }
        // A step that comes to nothing, as a group that inserts and removes, is dropped when it is undone.
        func undo() throws {
            let isChanged = try realm.undo.undo()
            place -= 1
            check("undo")
            if !isChanged { states.remove(at: place) }
        }
        func redo() throws {
            let isChanged = try realm.undo.redo()
            place += 1
            check("redo")
            if isChanged { return }
            states.remove(at: place)
            place -= 1
        }
        for _ in 0..<60 {
            switch random.below(10) {
            case 0..<5:
                let before = realm.undo.undoCount
                if random.below(4) == 0 {
                    try realm.undo.group {
                        for _ in 0..<random.number(2...5) { try realm.write { change(&random) } }
                    }
                } else {
                    try realm.write { for _ in 0..<random.number(1...6) { change(&random) } }
                }
                guard realm.undo.undoCount > before else {
                    #expect(state() == states[place], "a write that was no step changed something, seed \(seed)")
                    continue
                }
                states.removeSubrange((place + 1)...)
                states.append(state())
                place += 1
            case 5..<8:
                guard place > 0 else { continue }
                try undo()
            default:
                guard place < states.count - 1 else { continue }
                try redo()
            }
        }
        for _ in 0..<2 {
            while place > 0 { try undo() }
            #expect(!realm.undo.canUndo)
            while place < states.count - 1 { try redo() }
            #expect(!realm.undo.canRedo)
        }
        #expect(try realm.verify().problems.isEmpty)
    }

    private func change(_ random: inout SeededNumbers) {
        let tasks = Array(realm.objects(DraftTask.self).sorted(by: \.id))
        let people = Array(realm.objects(DraftPerson.self).sorted(by: \.name))
        func word() -> String { ["a", "b", "cc", "ddd", "e"][random.below(5)] }
        func person() -> DraftPerson? { people.isEmpty ? nil : people[random.below(people.count)] }
        func place() -> DraftPlace { DraftPlace(value: ["city": word(), "rooms": [word()]] as [String: Any]) }
        guard let task = tasks.isEmpty ? nil : tasks[random.below(tasks.count)] else {
            realm.create(DraftTask.self, value: ["id": random.below(4)], update: .modified)
            return
        }
        switch random.below(36) {
        case 0: realm.create(DraftTask.self, value: ["id": random.below(4), "title": word()], update: .modified)
        case 1: realm.create(DraftPerson.self, value: ["name": word(), "age": random.below(9)], update: .modified)
        case 2: if random.below(3) == 0 { realm.delete(task) }
        case 3: if let person = person() { realm.delete(person) }
        case 4: task.title = word()
        case 5: task.note = random.below(2) == 0 ? nil : word()
        case 6: task.votes += random.below(9) - 4
        case 7, 8: task.body.insert(word(), at: random.number(0...task.body.count))
        case 9:
            if task.body.count > 1 {
                let start = random.below(task.body.count)
                task.body.remove(start..<random.number(start + 1...task.body.count))
            }
        case 10: task.setValue(word() + word(), forKey: "body")
        case 11: task.anything = AnyRealmValue.fromArray([.int(random.below(9)), .string(word())])
        case 12: if case .list(let list) = task.anything { list.append(.string(word())) }
        case 13: task.owner = person()
        case 14: task.place = random.below(3) == 0 ? nil : place()
        case 15: task.place?.rooms.append(word())
        case 16, 17: task.steps.insert(word(), at: random.number(0...task.steps.count))
        case 18: if !task.steps.isEmpty { task.steps.remove(at: random.below(task.steps.count)) }
        case 19: if !task.steps.isEmpty { task.steps[random.below(task.steps.count)] = word() }
        case 20:
            if task.steps.count > 1 {
                task.steps.move(from: random.below(task.steps.count), to: random.below(task.steps.count))
            }
        case 21: if let person = person() { task.helpers.insert(person, at: random.number(0...task.helpers.count)) }
        case 22: task.labels.insert(word())
        case 23: task.labels.remove(word())
        case 24: task.links[word()] = random.below(3) == 0 ? nil : word()
        case 25: task.remarks.append(DraftRemark(value: ["text": word()]))
        case 26: if let remark = task.remarks.first { realm.delete(remark) }
        case 27, 28: task.stops.insert(place(), at: random.number(0...task.stops.count))
        case 29: if !task.stops.isEmpty { task.stops.remove(at: random.below(task.stops.count)) }
        case 30:
            if task.stops.count > 1 {
                task.stops.move(from: random.below(task.stops.count), to: random.below(task.stops.count))
            }
        case 31: if !task.stops.isEmpty { task.stops[random.below(task.stops.count)] = place() }
        case 32: if !task.stops.isEmpty { task.stops[random.below(task.stops.count)].rooms.append(word()) }
        case 33: if let person = person() { task.friends.insert(person) }
        case 34: task.places[word()] = random.below(3) == 0 ? nil : place()
        default:
            if random.below(2) == 0, !task.items.isEmpty {
                task.items.remove(at: random.below(task.items.count))
            } else {
                let value: AnyRealmValue =
                    switch random.below(3) {
                    case 0: .string(word())
                    case 1: AnyRealmValue.fromDictionary(["k": .string(word())])
                    default: person().map { .object($0) } ?? .none
                    }
                task.items.insert(value, at: random.number(0...task.items.count))
            }
        }
    }

    /// Everything that the Realm holds, as text.
    private func state() -> String {
        let people = realm.objects(DraftPerson.self).sorted(by: \.name).map { "\($0.name) \($0.age)" }
        let remarks = realm.objects(DraftRemark.self).map(\.text).sorted()
        let tasks = realm.objects(DraftTask.self).sorted(by: \.id).map { task in
            [
                "\(task.id) \(task.title) \(task.priority) \(task.note ?? "nil") \(task.votes.value) \(task.body.string)",
                "\(mixed(task.anything)) \(task.owner?.name ?? "nil") \(place(task.place)) \(Array(task.steps))",
                "\(Array(task.helpers.map(\.name))) \(Array(task.stops.map { place($0) })) \(task.labels.sorted())",
                "\(task.links.map { "\($0.key)=\($0.value)" }.sorted()) \(Array(task.remarks.map(\.text)))",
                "\(task.friends.map(\.name).sorted()) \(task.places.map { "\($0.key)=\(place($0.value))" }.sorted())",
                "\(task.items.map { mixed($0) }.joined(separator: ","))",
            ].joined(separator: " | ")
        }
        return (people + remarks + tasks).joined(separator: "\n")
    }

    private func place(_ place: DraftPlace?) -> String { place.map { "\($0.city) \(Array($0.rooms))" } ?? "nil" }

    private func mixed(_ value: AnyRealmValue) -> String {
        switch value {
        case .list(let list): "[\(list.map { mixed($0) }.joined(separator: ","))]"
        case .dictionary(let map): "{\(map.map { "\($0.key):\(mixed($0.value))" }.sorted().joined(separator: ","))}"
        case .object(let object): "<\((object as? DraftPerson)?.name ?? "?")>"
        default: "\(value)"
        }
    }

    // MARK: - With others

    @Test("undo of everything leaves what others wrote, and nothing of what the app wrote", arguments: seedsWithOthers)
    func withOthers(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        var model = SharedDraft()
        realm.undo.isRecording = false
        try realm.write {
            let task = realm.create(DraftTask.self, value: ["id": 1])
            for _ in 0..<6 {
                model.insert(.steps, in: task, by: .others, &random)
                model.insert(.stops, in: task, by: .others, &random)
                model.insert(.body, in: task, by: .others, &random)
                model.put(in: task, by: .others, &random)
            }
            for _ in 0..<3 { model.add(to: task, by: .others, &random) }
            model.set(task, by: .others, &random)
            model.noteLinks(from: [:], to: SharedDraft.links(of: task))
        }
        realm.undo.isRecording = true
        let configuration = realm.configuration
        let other = try queue.sync { try Realm(configuration: configuration, queue: queue) }
        func step(_ writer: SharedDraft.Writer, _ realm: Realm) throws {
            realm.refresh()
            let task = try #require(realm.object(ofType: DraftTask.self, forPrimaryKey: 1))
            let links = SharedDraft.links(of: task)
            try realm.write { for _ in 0..<random.number(1...5) { model.change(task, by: writer, &random) } }
            if writer == .others { model.noteLinks(from: links, to: SharedDraft.links(of: task)) }
        }
        for _ in 0..<40 {
            if random.below(2) == 0 {
                try step(.app, realm)
            } else {
                try queue.sync { try step(.others, other) }
            }
        }
        // Between the undos, others go on.
        realm.refresh()
        while realm.undo.canUndo {
            try realm.undo.undo()
            if random.below(3) == 0 { try queue.sync { try step(.others, other) } }
        }
        queue.sync { other.invalidate() }
        realm.refresh()
        let task = try #require(realm.object(ofType: DraftTask.self, forPrimaryKey: 1))
        model.check(task, seed)
        #expect(try realm.verify().problems.isEmpty)
    }
}

/// What must be left of a task when everything that the app wrote is undone. It remembers, for each element, who has made
/// it and who has touched it; every element is unique, so that it is known again by its value.
struct SharedDraft {
    enum Writer {
        case app
        case others
    }

    enum Sequence: CaseIterable {
        case steps
        case stops
        case body
    }

    /// An element as others see it: the app's writes do not change it.
    struct Element {
        /// Its value without the app's writes; nil if the app made it.
        var value: String?
        var isRemovedByOthers = false
        /// Whether others put it where it is, or into another place: its neighbours are not known then.
        var isMovedByOthers = false
        /// Whether its value is the app's now.
        var isReplacedByApp = false
        /// Whether others replaced what the app had put in its place: where the app moved it, it stays. See the guide.
        var isOrderUnknown = false
    }

    private var next = 0
    private var elements: [Sequence: [Int: Element]] = [:]
    /// The element that has a value now, or had it.
    private var ids: [String: Int] = [:]
    /// In the order in which they were first inserted; only the first ones, whose order is known.
    private var firsts: [Sequence: [Int]] = [:]
    private var title = ""
    private var votes = 0
    private var labels: Set<String> = []
    private var links: [String: String] = [:]

    private mutating func fresh() -> String {
        next += 1
        return "\(next)"
    }

    private static func scalar(_ number: String) -> Unicode.Scalar {
        Unicode.Scalar(0x4E00 + UInt32(number, radix: 10)!)!
    }

    private static func values(_ sequence: Sequence, of task: DraftTask) -> [String] {
        switch sequence {
        case .steps: Array(task.steps)
        case .stops: task.stops.map(\.city)
        case .body: task.body.string.unicodeScalars.map { "\($0.value - 0x4E00)" }
        }
    }

    // MARK: - Writes

    mutating func change(_ task: DraftTask, by writer: Writer, _ random: inout SeededNumbers) {
        switch random.below(9) {
        case 0: set(task, by: writer, &random)
        case 1: count(task, by: writer, &random)
        case 2: add(to: task, by: writer, &random)
        case 3: take(from: task, by: writer, &random)
        case 4, 5: put(in: task, by: writer, &random)
        case 6: insert(Sequence.allCases[random.below(3)], in: task, by: writer, &random)
        case 7: remove(Sequence.allCases[random.below(3)], from: task, by: writer, &random)
        default:
            let sequence: Sequence = random.below(2) == 0 ? .steps : .stops
            if random.below(2) == 0 {
                replace(sequence, in: task, by: writer, &random)
            } else {
                move(sequence, in: task, by: writer, &random)
            }
        }
    }

    mutating func set(_ task: DraftTask, by writer: Writer, _ random: inout SeededNumbers) {
        task.title = fresh()
        if writer == .others { title = task.title }
    }

    mutating func count(_ task: DraftTask, by writer: Writer, _ random: inout SeededNumbers) {
        let amount = random.below(20) - 10
        task.votes += amount
        if writer == .others { votes += amount }
    }

    mutating func add(to task: DraftTask, by writer: Writer, _ random: inout SeededNumbers) {
        let label = fresh()
        task.labels.insert(label)
        if writer == .others { labels.insert(label) }
    }

    mutating func take(from task: DraftTask, by writer: Writer, _ random: inout SeededNumbers) {
        let present = task.labels.sorted()
        if present.isEmpty { return }
        let label = present[random.below(present.count)]
        task.labels.remove(label)
        if writer == .others { labels.remove(label) }
    }

    mutating func put(in task: DraftTask, by writer: Writer, _ random: inout SeededNumbers) {
        task.links["key \(random.below(6))"] = random.below(3) == 0 ? nil : fresh()
    }

    static func links(of task: DraftTask) -> [String: String] {
        Dictionary(uniqueKeysWithValues: task.links.map { ($0.key, $0.value) })
    }

    /// What one commit of others left otherwise than it found it is theirs.
    mutating func noteLinks(from before: [String: String], to after: [String: String]) {
        for key in Set(before.keys).union(after.keys) where before[key] != after[key] { links[key] = after[key] }
    }

    mutating func insert(
        _ sequence: Sequence, in task: DraftTask, by writer: Writer, _ random: inout SeededNumbers
    ) {
        let value = fresh()
        let id = next
        let isFirst = writer == .others && elements[sequence, default: [:]].count < 6
        let count = Self.values(sequence, of: task).count
        let place = isFirst ? count : random.number(0...count)
        switch sequence {
        case .steps: task.steps.insert(value, at: place)
        case .stops: task.stops.insert(DraftPlace(value: ["city": value]), at: place)
        case .body: task.body.insert(String(Character(Self.scalar(value))), at: place)
        }
        ids[value] = id
        elements[sequence, default: [:]][id] = Element(value: writer == .others ? value : nil)
        if isFirst { firsts[sequence, default: []].append(id) }
    }

    mutating func remove(
        _ sequence: Sequence, from task: DraftTask, by writer: Writer, _ random: inout SeededNumbers
    ) {
        let values = Self.values(sequence, of: task)
        if values.isEmpty { return }
        let place = random.below(values.count)
        switch sequence {
        case .steps: task.steps.remove(at: place)
        case .stops: task.stops.remove(at: place)
        case .body: task.body.remove(place..<place + 1)
        }
        if writer == .others, let id = ids[values[place]] { elements[sequence]?[id]?.isRemovedByOthers = true }
    }

    mutating func replace(
        _ sequence: Sequence, in task: DraftTask, by writer: Writer, _ random: inout SeededNumbers
    ) {
        let values = Self.values(sequence, of: task)
        if values.isEmpty { return }
        let place = random.below(values.count)
        let value = fresh()
        if sequence == .steps {
            task.steps[place] = value
        } else {
            task.stops[place] = DraftPlace(value: ["city": value])
        }
        guard let id = ids[values[place]] else { return }
        ids[value] = id
        if writer == .app {
            elements[sequence]?[id]?.isReplacedByApp = true
            return
        }
        // What others have written into it is theirs, whoever made it.
        elements[sequence]?[id]?.value = value
        if elements[sequence]?[id]?.isReplacedByApp == true { elements[sequence]?[id]?.isOrderUnknown = true }
        elements[sequence]?[id]?.isReplacedByApp = false
    }

    mutating func move(_ sequence: Sequence, in task: DraftTask, by writer: Writer, _ random: inout SeededNumbers) {
        let values = Self.values(sequence, of: task)
        if values.isEmpty { return }
        let (from, to) = (random.below(values.count), random.below(values.count))
        if sequence == .steps { task.steps.move(from: from, to: to) } else { task.stops.move(from: from, to: to) }
        if writer == .others, let id = ids[values[from]] { elements[sequence]?[id]?.isMovedByOthers = true }
    }

    // MARK: - Checks

    func check(_ task: DraftTask, _ seed: UInt64) {
        #expect(task.title == title, "title, seed \(seed)")
        #expect(task.votes.value == votes, "votes, seed \(seed)")
        #expect(Set(task.labels) == labels, "labels, seed \(seed)")
        #expect(Self.links(of: task) == links, "links, seed \(seed)")
        for sequence in Sequence.allCases {
            let values = Self.values(sequence, of: task)
            var expected: Set<String> = []
            var undecided: Set<Int> = []
            for (id, element) in elements[sequence, default: [:]] where !element.isRemovedByOthers {
                // An element that the app replaced and others moved keeps what it is: see the guide.
                if element.isMovedByOthers { undecided.insert(id) }
                if let value = element.value, !element.isMovedByOthers { expected.insert(value) }
            }
            let decided = values.filter { value in ids[value].map { !undecided.contains($0) } ?? true }
            #expect(Set(decided) == expected, "\(sequence), seed \(seed)")
            #expect(decided.count == expected.count, "\(sequence), twice, seed \(seed)")
            for id in undecided {
                // It is there once, if it was ever others'.
                let count = values.filter { ids[$0] == id }.count
                let isTheirs = elements[sequence]?[id]?.value != nil
                #expect(isTheirs ? count == 1 : count <= 1, "\(sequence), moved, seed \(seed)")
            }
            let order = decided.compactMap { ids[$0] }.filter { id in
                firsts[sequence, default: []].contains(id) && elements[sequence]?[id]?.isOrderUnknown != true
            }
            #expect(order == order.sorted(), "order of \(sequence), seed \(seed)")
        }
    }
}
