import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

/// The ordered trees in which a replica keeps its bookkeeping, with typed keys and values.
///
/// | Tree | Key | Value |
/// |---|---|---|
/// | `sync.state` | empty | `ReplicaState` |
/// | `sync.log` | sequence | the changeset |
/// | `sync.touched` | sequence | `TouchedBy`: which objects that changeset created or changed |
/// | `sync.fresh` | class, last row of a range | its first row, 8, and the sequence that created the rows, 8: `FreshRows` |
/// | `sync.due` | sequence, object | nothing: an object that the changeset created, and that got a base later |
/// | `sync.bases` | object | `BaseCopy` |
/// | `sync.lists` | object, property | the visible `ListState` |
/// | `sync.texts` | object, property | the runs of the visible text, whole; its string stands in the column |
/// | `sync.edits` | object, property, version, 8 | `TextStep`: what the commit of that version did to the runs |
/// | `sync.lives` | object | causal length, where it is not the usual one |
/// | `sync.left` | object | the version up to which it was seen, 8, and the run of the server that committed that, 8 (an earlier build wrote none): it has left the view, or nothing holds it, and stays for what is pending |
/// | `sync.suspects` | object | nothing: an embedded object that may have no holder |
/// | `sync.openings` | the log, 1: 0 changesets, 1 one-way entries; the complement of the first number, 8 | the opening that made them, 8, of those that the state has no room for |
/// | `sync.kept` | sequence | when it was acknowledged by the `KeptClock`, 8, and the changeset; under one zero byte the sum of their sizes, under two that clock |
/// | `sync.quarantine` | number | `QuarantinedChange`; under one zero byte the last number |
/// | `sync.oneway` | number | one transaction's one-way creates, as a changeset |
struct Trees {
    private let transaction: Transaction
    private let work: LogWork?
    private let knownRuns: KnownRuns?

    init(_ transaction: Transaction, _ work: LogWork? = nil, _ knownRuns: KnownRuns? = nil) {
        self.transaction = transaction
        self.work = work
        self.knownRuns = knownRuns
    }

    // MARK: - State

    private var stateTree: Tree { transaction.tree("sync.state") }
    private static let stateKey: [UInt8] = [0]

    func loadState() throws(StoreError) -> ReplicaState? {
        guard let bytes = stateTree.get(Self.stateKey) else { return nil }
        return try readable { () throws(EncodingError) in try ReplicaState(encoded: bytes) }
    }

    func save(_ state: ReplicaState) {
        state.assertInvariants()
        stateTree.put(Self.stateKey, state.encoded())
    }

    /// Logs a one-way entry under the next number. The caller saves the state.
    func appendOneWay(_ operations: [Operation], stamp: Stamp, to state: inout ReplicaState) {
        state.lastOneWay += 1
        let entry = Changeset(
            client: state.client, sequence: state.lastOneWay, stamp: stamp, base: state.version, operations: operations)
        oneWay.put(Self.key(state.lastOneWay), Changeset.encode([entry]))
    }

    /// Empties all of them.
    func removeAll() {
        for tree in [
            stateTree, log, touched, freshTree, due, bases, lists, lives, left, suspects, oneWay, kept,
            quarantine, openings,
        ] {
            tree.removeRange()
        }
        texts.removeAll()
    }

    // MARK: - Logs

    var log: Tree { transaction.tree("sync.log") }
    var touched: Tree { transaction.tree("sync.touched") }
    private var freshTree: Tree { transaction.tree("sync.fresh") }
    var fresh: FreshRows { FreshRows(freshTree) }

    func row(of object: ObjectReference) -> ObjectKey? {
        transaction.table(object.className)?.keyOrGhost(for: object.key)
    }

    var oneWay: Tree { transaction.tree("sync.oneway") }
    var kept: Tree { transaction.tree("sync.kept") }
    var openings: Tree { transaction.tree("sync.openings") }
    var quarantine: Tree { transaction.tree("sync.quarantine") }

    /// Passes the changesets after one number and through another to `body`, until it returns false.
    func changesets(
        in tree: Tree, after first: UInt64, through last: UInt64 = .max,
        _ body: (_ changeset: Changeset, _ sizeBytes: Int) -> Bool
    ) throws(StoreError) {
        guard first < last else { return }
        var failure: EncodingError?
        tree.scan(from: Self.key(first + 1), upTo: last == .max ? nil : Self.key(last + 1)) { _, value in
            do throws(EncodingError) {
                work?.read()
                guard let changeset = try Changeset.decode(Array(value)).first else { return true }
                return body(changeset, value.count)
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw damaged(failure) }
    }

    /// The entry of a log under a number; nil if there is none.
    func entry(_ number: UInt64, of tree: Tree) throws(StoreError) -> Changeset? {
        guard let bytes = tree.get(Self.key(number)) else { return nil }
        work?.read()
        return try readable { () throws(EncodingError) in try Changeset.decode(bytes).first }
    }

    func touched(_ sequence: UInt64) throws(StoreError) -> TouchedBy? {
        guard let bytes = touched.get(Self.key(sequence)) else { return nil }
        work?.read()
        return try readable { () throws(EncodingError) in try TouchedBy(encoded: bytes) }
    }

    func touched(after first: UInt64, through last: UInt64) throws(StoreError) -> [(
        sequence: UInt64, touched: TouchedBy
    )] {
        guard first < last else { return [] }
        var found: [(sequence: UInt64, touched: TouchedBy)] = []
        var failure: EncodingError?
        touched.scan(from: Self.key(first + 1), upTo: last == .max ? nil : Self.key(last + 1)) { key, value in
            do throws(EncodingError) {
                work?.read()
                found.append((Self.number(key), try TouchedBy(encoded: Array(value))))
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw damaged(failure) }
        return found
    }

    // MARK: - Objects that got a base after their creation

    var due: Tree { transaction.tree("sync.due") }

    /// Notes that the changeset which created the object is to be joined into its base when it is acknowledged.
    func addDue(_ object: ObjectReference, with sequence: UInt64) {
        due.put(Self.key(sequence) + Self.key(object), [])
    }

    func due(with sequence: UInt64) -> [ObjectReference] {
        var found: [ObjectReference] = []
        due.scan(from: Self.key(sequence), upTo: Self.key(sequence + 1)) { key, _ in
            if let object = Self.object(Array(key.dropFirst(8))) { found.append(object) }
            return true
        }
        return found
    }

    // MARK: - Bases, lists, lives

    var bases: Tree { transaction.tree("sync.bases") }
    private var lists: Tree { transaction.tree("sync.lists") }
    var texts: TextTrees { TextTrees(transaction, knownRuns) }
    private var lives: Tree { transaction.tree("sync.lives") }

    /// Whether any object has a base or a remembered life.
    var remembersObjects: Bool { !bases.isEmpty || !lives.isEmpty }

    func hasBase(_ object: ObjectReference) -> Bool { bases.get(Self.key(object)) != nil }

    /// The objects of one class that have a base, in the order of their keys' bytes.
    func objectsWithBase(of className: String) -> [ObjectReference] {
        var writer = ByteWriter()
        writer.write(string: className)
        let prefix = writer.bytes
        var found: [ObjectReference] = []
        bases.scan(from: prefix, upTo: nil) { key, _ in
            guard key.starts(with: prefix) else { return false }
            var reader = ByteReader(Array(key.dropFirst(prefix.count)))
            if let primaryKey = try? reader.readPrimaryKey() { found.append(ObjectReference(className, primaryKey)) }
            return true
        }
        return found
    }

    /// The base of an object, whole.
    ///
    /// - Precondition: the row shows what the log says; so not in the middle of a write of the app.
    func base(_ object: ObjectReference) throws(StoreError) -> BaseCopy? {
        guard var base = try storedBase(object) else { return nil }
        guard let version = base.textsAsOf else { return base }
        base.textsAsOf = nil
        guard let table = transaction.table(object.className), let key = table.key(for: object.key) else { return base }
        for (column, property) in table.schema.properties.enumerated() where property.isText {
            guard case .string(let string) = table.value(key, column) else { continue }
            let text = try texts.state(object, property.name, showing: string, asOf: version)
            if !text.isUntouched { base.state.put(ObjectState.Part(property.name, .text(text))) }
        }
        return base
    }

    /// The base as it is stored: perhaps without the texts, see ``BaseCopy/textsAsOf``.
    func storedBase(_ object: ObjectReference) throws(StoreError) -> BaseCopy? {
        guard let bytes = bases.get(Self.key(object)) else { return nil }
        return try readable { () throws(EncodingError) in try BaseCopy(encoded: bytes) }
    }

    /// Notes that a further changeset is about an object with a base, and returns the last one so far; nil if there is
    /// no base. The state in the base is not decoded.
    func continueBase(_ object: ObjectReference, with sequence: UInt64) throws(StoreError) -> UInt64? {
        let key = Self.key(object)
        guard let bytes = bases.get(key) else { return nil }
        let (last, offset) = try readable { () throws(EncodingError) in
            var reader = ByteReader(bytes)
            return (try reader.readVarint(), reader.offset)
        }
        var writer = ByteWriter()
        writer.write(varint: sequence)
        bases.put(key, writer.bytes + bytes[offset...])
        return last
    }

    func save(_ base: BaseCopy, _ object: ObjectReference) {
        bases.put(Self.key(object), base.encoded())
    }

    /// Removes the base: nothing about the object is pending any more. An embedded object stays noted as left.
    func removeBase(_ object: ObjectReference) {
        if case .container = object.key {} else { forgetLeft(object) }
        bases.remove(Self.key(object))
    }

    func list(_ object: ObjectReference, _ property: String) throws(StoreError) -> ListState {
        guard let bytes = lists.get(Self.key(object, property)) else { return ListState() }
        return try readable { () throws(EncodingError) in try ListState(encoded: bytes) }
    }

    func save(_ list: ListState, _ object: ObjectReference, _ property: String) {
        lists.put(Self.key(object, property), list.encoded())
    }

    /// Whether lists or texts of any object of the class are remembered.
    func hasLists(of schema: ClassSchema) -> Bool {
        var writer = ByteWriter()
        writer.write(string: schema.name)
        return [lists, texts.whole, texts.steps].contains { tree in
            var found = false
            tree.scan(from: writer.bytes) { key, _ in
                found = key.starts(with: writer.bytes)
                return false
            }
            return found
        }
    }

    func removeLists(_ object: ObjectReference, _ schema: ClassSchema) {
        for property in schema.properties where property.collection == .list {
            lists.remove(Self.key(object, property.name))
        }
        for property in schema.properties where property.isText {
            texts.remove(object, property.name)
        }
    }

    /// The causal length that is remembered of an object; nil if it is the usual one: 1 if it is here, 0 if not.
    func life(_ object: ObjectReference) throws(StoreError) -> UInt32? {
        guard let bytes = lives.get(Self.key(object)) else { return nil }
        return try readable { () throws(EncodingError) in
            var reader = ByteReader(bytes)
            return UInt32(truncatingIfNeeded: try reader.readVarint())
        }
    }

    /// The last ended life of an object that is not here: even, zero if none has ended. If the remembered life is odd,
    /// the object lives on out of view, and a new object of its key joins that life.
    func pastLife(_ object: ObjectReference) throws(StoreError) -> UInt32 {
        (try life(object) ?? 0) & ~1
    }

    /// Remembers a life above 1. Without one, an object that is here has life 1, and one that is not has 0.
    func save(life: UInt32, _ object: ObjectReference) {
        let key = Self.key(object)
        guard life > 1 else {
            if lives.get(key) != nil { lives.remove(key) }
            return
        }
        var writer = ByteWriter()
        writer.write(varint: UInt64(life))
        lives.put(key, writer.bytes)
    }

    // MARK: - Objects that have left

    var left: Tree { transaction.tree("sync.left") }

    /// - Returns: the version up to which it was seen, and the run of the server that committed that (zero if unknown);
    ///   nil if it has not left.
    func lastSeen(_ object: ObjectReference) -> (version: ServerVersion, run: UInt64)? {
        left.get(Self.key(object)).map { bytes in
            (ServerVersion(Self.number(bytes.prefix(8))), Self.number(bytes.dropFirst(8)))
        }
    }

    /// Notes that the server tells nothing more of the object. The first note stays: it may leave again before all is
    /// sent.
    func noteLeft(_ object: ObjectReference, seen version: ServerVersion, of run: UInt64) {
        let key = Self.key(object)
        if left.get(key) == nil { left.put(key, Self.key(version.rawValue) + Self.key(run)) }
    }

    func forgetLeft(_ object: ObjectReference) {
        let key = Self.key(object)
        if left.get(key) != nil { left.remove(key) }
    }

    // MARK: - Suspects

    var suspects: Tree { transaction.tree("sync.suspects") }

    func addSuspect(_ object: ObjectReference) {
        suspects.put(Self.key(object), [])
    }

    /// Removes the suspects so far and returns them.
    func takeSuspects() -> [ObjectReference] {
        var found: [ObjectReference] = []
        suspects.scan { key, _ in
            if let object = Self.object(Array(key)) { found.append(object) }
            return true
        }
        suspects.removeRange()
        return found
    }

    // MARK: - Keys

    static func key(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    static func number(_ key: some Sequence<UInt8>) -> UInt64 {
        key.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The object store bounds primary keys, so they are here whole. With very long names of class and property, a key
    /// may still be too long for a tree; then the commit throws `keyTooLong`.
    static func key(_ object: ObjectReference) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(string: object.className)
        writer.write(object.key)
        return writer.bytes
    }

    private static func object(_ key: [UInt8]) -> ObjectReference? {
        var reader = ByteReader(key)
        guard let name = try? reader.readString(), let key = try? reader.readPrimaryKey() else { return nil }
        return ObjectReference(name, key)
    }

    static func key(_ object: ObjectReference, _ property: String) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(string: object.className)
        writer.write(object.key)
        writer.write(string: property)
        return writer.bytes
    }

    // MARK: - Damage

    func readable<Result>(_ body: () throws(EncodingError) -> Result) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw damaged(error)
        }
    }

    func damaged(_ error: EncodingError) -> StoreError {
        StoreError(
            .damaged,
            "The sync bookkeeping of this file cannot be read: \(error). Restore the file from a backup, or remove it "
                + "and sync again.",
            path: transaction.store.path)
    }
}
