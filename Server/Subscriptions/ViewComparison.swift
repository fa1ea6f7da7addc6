package import CausewayMerge
package import CausewayModel
import CausewayOperations
package import CausewayStore

/// Finds out what a device holds of its view and what it lacks, without a common past: by digests of ranges, which are
/// split where they differ.
///
///     whole class ──differs──▶ 64 parts ──differ──▶ 64 parts each … ──few objects──▶ their keys and digests
///
/// It takes the device's answers and says what to ask next. When nothing is left to ask, a `ViewDifference` on the same
/// snapshot tells the findings. PROTOCOL.md, "Resync", has the messages.
///
/// 1. The device is believed in what it reports of a range: a device that lies gets a wrong view of its own.
/// 2. What is asked at once is bounded by `digestsAtOnce`, what is kept in memory by the objects of the view.
/// 3. A range in which both ends have the same count and sum is not asked about again.
package final class ViewComparison {
    package let acknowledged: UInt64
    let opening: UInt64
    let snapshot: any StoreSnapshot
    let wanted: StandingQueries
    let rules: BoundRules?
    let client: ClientID
    let told: UInt64

    private let seed: UInt64
    private let schema: Schema
    private var digester: ObjectDigester
    private var indexes: [String: Index] = [:]
    private typealias Index = DigestIndex<ObjectKey>
    /// The objects of classes whose digests are not made yet, where they have been counted.
    private var keys: [Int: [ObjectKey]] = [:]
    /// The index that is being made.
    private var making: Making?
    /// What is to be asked, the last first, and how many digests its answer will hold. A range is asked about to its
    /// end before the next ones are split, so that few wait, however many a device invents.
    private var open: [(ask: DigestAsk, digests: Int)] = []
    /// How many ranges are to be asked about.
    package var waiting: Int { open.count }
    private var asked: [DigestAsk] = []
    /// What an answer leaves to do, the next last.
    private var work: [Work] = []
    private var questions: UInt64 = 0

    private(set) var entering: [Int: [ObjectKey]] = [:]
    private(set) var leaving: [Int: [PrimaryKey]] = [:]
    private(set) var ended: [(name: ObjectName, life: UInt32)] = []

    /// A range of no more objects is listed object by object.
    package static let objectsListedMax: UInt64 = 64
    /// About how many digests one answer holds.
    package static let digestsAtOnce = 16_384
    /// The most ranges that one question asks about.
    package static let asksAtOnce = 2_048

    /// - Parameters:
    ///   - schema: what the device has declared: it knows no other properties.
    ///   - isHeld: whether the device holds these queries already: then the rules narrow them and do not refuse them.
    ///   - told: the last changeset of the client whose outcome the device was told.
    ///   - seed: of the digests; drawn at random for every comparison.
    ///   - queries: where bound queries are kept from one comparison or difference of a device to the next.
    /// - Throws: `queryInvalid` when a wanted query cannot be served; `fault` when the file cannot be read.
    package init(
        _ snapshot: any StoreSnapshot, schema: Schema, wanted: [QueryText], under permissions: Permissions? = nil,
        isHeld: Bool = false, for client: ClientID, told: UInt64 = 0, seed: UInt64,
        queries: KeptQueries = KeptQueries()
    ) throws(StoreFailure) {
        self.snapshot = snapshot
        self.schema = schema
        self.seed = seed
        self.client = client
        self.told = told
        (acknowledged, opening) = try snapshot.acknowledgement(of: client)
        rules = permissions?.bound(in: snapshot.schema)
        self.wanted = try queries.queries(wanted, in: snapshot, under: permissions, refusing: !isHeld)
        digester = ObjectDigester(seed: seed, schema: schema)
        for classSchema in schema.classes where classSchema.kind == .object {
            guard snapshot.classNumber(classSchema.name) != nil else { continue }
            open.append((DigestAsk(DigestRange(classSchema.name), .whole), 1))
        }
    }

    /// How many objects the view has. Their keys are kept, because the digests are made of them.
    ///
    /// - Complexity: as the queries
    package func objectCount() throws(StoreFailure) -> Int {
        var count = 0
        for classSchema in schema.classes where classSchema.kind == .object {
            guard let number = snapshot.classNumber(classSchema.name), let query = wanted[number] else { continue }
            let found = try snapshot.keys(number, matching: query)
            keys[number] = found
            count += found.count
        }
        return count
    }

    package struct Question: Hashable, Sendable {
        package var number: UInt64
        package var seed: UInt64
        package var acknowledged: UInt64
        package var asks: [DigestAsk]
    }

    /// What to ask next; nil when everything is known.
    package func question() -> Question? {
        guard !open.isEmpty else { return nil }
        var digests = 0
        var count = 0
        while count < open.count, count < Self.asksAtOnce, count == 0 || digests < Self.digestsAtOnce {
            count += 1
            digests += open[open.count - count].digests
        }
        asked = open.suffix(count).map(\.ask)
        open.removeLast(count)
        questions += 1
        return Question(number: questions, seed: seed, acknowledged: acknowledged, asks: asked)
    }

    /// Takes in the answer to the last question, in one piece.
    ///
    /// - Returns: false when it does not answer the question.
    package func take(_ reports: [DigestReport]) throws(StoreFailure) -> Bool {
        guard begin(reports) else { return false }
        _ = try goOn { true }
        return true
    }

    /// Takes the answer to the last question, for `goOn` to work through.
    ///
    /// - Returns: false when it does not answer the question.
    package func begin(_ reports: [DigestReport]) -> Bool {
        guard reports.count == asked.count else { return false }
        var work: [Work] = []
        for (ask, report) in zip(asked, reports) {
            switch (ask.detail, report) {
            case (.whole, .whole(let theirs)):
                work.append(.range(ask.range, theirs))
            case (.parts, .parts(let theirs)):
                let parts = ask.range.parts
                guard parts.count == theirs.count else { return false }
                work += zip(parts, theirs).map { .range($0, $1) }
            case (.objects, .objects(let theirs)):
                work.append(.objects(ask.range, theirs))
            default:
                return false
            }
        }
        asked = []
        self.work = work.reversed()
        return true
    }

    /// Compares what the device answered, until `goesOn` says no. One step takes no more than one report holds.
    ///
    /// - Returns: whether all of it is compared.
    package func goOn(while goesOn: () -> Bool) throws(StoreFailure) -> Bool {
        while let next = work.popLast() {
            switch next {
            case .range(let range, let theirs): try compare(range, theirs)
            case .objects(let range, let theirs): try compare(range, theirs)
            case .entering(let rows, let classNumber):
                let first = rows.prefix(Self.rowsAtOnce)
                entering[classNumber, default: []] += first
                if first.count < rows.count { work.append(.entering(rows.dropFirst(first.count), classNumber)) }
            }
            if !work.isEmpty, !goesOn() { return false }
        }
        return true
    }

    /// Whether an answer is being worked through.
    package var isTaking: Bool { !work.isEmpty }

    private enum Work {
        case range(DigestRange, RangeDigest)
        case objects(DigestRange, [ObjectDigest])
        /// The device has none of these rows of a class.
        case entering(ArraySlice<ObjectKey>, Int)
    }

    /// The difference that brings the device to this snapshot. Call it once, when no question is left.
    package func difference() throws(StoreFailure) -> ViewDifference {
        try ViewDifference(self)
    }

    // MARK: - Comparing

    private func compare(_ range: DigestRange, _ theirs: RangeDigest) throws(StoreFailure) {
        let index = try index(of: range.className)
        guard index.digest(of: range) != theirs else { return }
        if theirs.count == 0 {
            guard let number = snapshot.classNumber(range.className) else { return }
            work.append(.entering(index.names(in: range)[...], number))
        } else if theirs.count <= Self.objectsListedMax || range.parts.isEmpty {
            // The count is what the device says, which may be any number.
            let digests = Int(min(theirs.count, UInt64(Self.digestsAtOnce)))
            open.append((DigestAsk(range, .objects), digests))
        } else {
            open.append((DigestAsk(range, .parts), DigestRange.partsCount))
        }
    }

    private func compare(_ range: DigestRange, _ theirs: [ObjectDigest]) throws(StoreFailure) {
        var unknown: [PrimaryKey: Digest] = [:]
        for object in theirs { unknown[object.key] = object.digest }
        if let number = snapshot.classNumber(range.className) {
            for (row, digest) in try index(of: range.className).objects(in: range) {
                guard let name = snapshot.name(of: Row(number, row)) else { continue }
                if unknown.removeValue(forKey: name.key) != digest { entering[number, default: []].append(row) }
            }
        }
        // In the order in which they came, not in that of a dictionary.
        for object in theirs where unknown.removeValue(forKey: object.key) != nil {
            try letGo(object.key, range.className)
        }
    }

    /// The device holds an object that is not in its view: the object was deleted, matches no query, or was lost with a
    /// newer copy of the database. In the last two cases the device drops it, and whoever still has a write of it
    /// brings it back. The same goes for a deleted object whose tombstone is forgotten: nobody can tell it from a lost
    /// one (RULES.md, section 12). A caller who may not read every object of the class learns of no deletion here,
    /// because claiming a key does not prove that they have seen its object.
    private func letGo(_ key: PrimaryKey, _ className: String) throws(StoreFailure) {
        guard let number = snapshot.classNumber(className) else { return }
        let name = ObjectName(number, key)
        if !rules.mayHide(className), snapshot.row(name) == nil, let life = try snapshot.endedLife(name) {
            ended.append((name, life))
        } else {
            leaving[number, default: []].append(key)
        }
    }

    // MARK: - What is here

    /// Makes the digests that the answer to the last question will be compared with, until `goesOn` says no.
    ///
    /// - Returns: whether all of them are made.
    package func prepare(while goesOn: () -> Bool) throws(StoreFailure) -> Bool {
        for ask in asked where indexes[ask.range.className] == nil {
            guard try index(of: ask.range.className, while: goesOn) != nil else { return false }
        }
        return true
    }

    private func index(of className: String) throws(StoreFailure) -> Index {
        guard let index = try index(of: className, while: { true }) else {
            preconditionFailure("Digests are made to the end by whoever may take the time.")
        }
        return index
    }

    /// Nil when it is not made yet.
    private func index(of className: String, while goesOn: () -> Bool) throws(StoreFailure) -> Index? {
        if let index = indexes[className] { return index }
        guard let number = snapshot.classNumber(className), let query = wanted[number] else {
            let empty = Index()
            indexes[className] = empty
            return empty
        }
        let making: Making
        if let begun = self.making, begun.classNumber == number {
            making = begun
        } else {
            let counted = keys.removeValue(forKey: number)
            let keys = if let counted { counted } else { try snapshot.keys(number, matching: query) }
            making = Making(classNumber: number, keys: keys)
            self.making = making
        }
        while making.done < making.keys.count {
            guard goesOn() else { return nil }
            try goOn(making, className)
        }
        while making.hasUnsorted {
            guard goesOn() else { return nil }
            making.sortSome()
        }
        self.making = nil
        indexes[className] = making.index
        return making.index
    }

    /// Digests of a class that are being made.
    private final class Making {
        let classNumber: Int
        let keys: [ObjectKey]
        var done = 0
        /// By the first bits of the place, so that they are sorted a few at a time, in one pass. Each list holds some
        /// tens of thousands. So few are sorted in a moment, and so many that their memory goes back to the system
        /// afterwards.
        private var unsorted: [[Index.Entry]]
        private let placeShift: Int
        private var next = 0
        private(set) var index: Index

        private static let sortedAtOnce = 98_304

        init(classNumber: Int, keys: [ObjectKey]) {
            self.classNumber = classNumber
            self.keys = keys
            index = Index(reserving: keys.count)
            let bits = Int.bitWidth - (keys.count / Self.sortedAtOnce).leadingZeroBitCount
            placeShift = UInt64.bitWidth - bits
            unsorted = Array(repeating: [], count: 1 << bits)
            // Places are hashes: each part has about as many.
            let each = keys.count / unsorted.count
            for place in unsorted.indices { unsorted[place].reserveCapacity(each + each / 16) }
        }

        func add(_ entry: Index.Entry) { unsorted[Int(entry.place >> UInt64(placeShift))].append(entry) }

        var hasUnsorted: Bool { next < unsorted.count }

        func sortSome() {
            var some: [Index.Entry] = []
            swap(&some, &unsorted[next])
            index.append(some)
            next += 1
        }
    }

    private func goOn(_ making: Making, _ className: String) throws(StoreFailure) {
        // The device holds such objects without what the caller may not read. The digests leave it out too, so that
        // nobody finds it out by guessing.
        let readable = rules?.readable(className)
        let properties = snapshot.schema[className]?.properties ?? []
        let end = min(making.done + Self.rowsAtOnce, making.keys.count)
        var contents: [ObjectContent] = []
        for key in making.keys[making.done..<end] {
            // One by one: an object may be large, and a device that writes such objects can write many.
            contents.removeAll(keepingCapacity: true)
            try snapshot.appendWhole(making.classNumber, [key], to: &contents)
            // What is embedded in an object stands before it.
            guard var object = contents.popLast(), object.object.className.isSame(as: className) else {
                preconditionFailure("Each row has a state, and it is the last of what the row is told as.")
            }
            if let readable {
                object.state.hide(try snapshot.hidden(in: Row(making.classNumber, key), readable), properties)
            }
            var embedded: [ObjectReference: ObjectState] = [:]
            for part in contents { embedded[part.object] = part.state }
            let digest = digester.digest(object.object, object.state) { part in embedded[part] }
            making.add(Index.Entry(place: digester.place(of: object.object.key), key, digest))
        }
        making.done = end
    }

    private static let rowsAtOnce = 256
}
