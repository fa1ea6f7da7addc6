import CausewayExactValues
import CausewayMergeOracle
import CausewayModel
import CausewayOperations

/// What the naive reference makes of everything that the server took, in the server's order.
///
/// It declares again what the record adds to the rules of single objects: which time a stamp may claim, which life a
/// writer meant (RULES.md, O8), which value an addition was made on (C5, C6) and what is forgotten below the
/// horizon (section 12). Objects that nothing holds are not ended but never looked at.
struct JourneyReference {
    /// Everything that counts, by what it is about, in the order in which it was taken.
    private(set) var merges: [ObjectReference: NaiveMerge] = [:]
    private var lives: [ObjectReference: Life] = [:]
    private var lastTimes: [ClientID: UInt64] = [:]
    private var newestTime: UInt64 = 0
    /// Per class, the newest version that brought about an end which is forgotten.
    private var forgotten: [String: ServerVersion] = [:]
    /// What stands for each key of sets and maps.
    private var entries: [Key: Entry] = [:]

    /// Objects of which a list or text may have forgotten positions, and by which version.
    private var folded: [ObjectReference: ServerVersion] = [:]
    /// Those to which somebody then wrote who had not seen that. Where F8 puts what such a writer inserts follows from the
    /// tree of what is left, which nothing here knows: its order is not compared. All devices must still show the same.
    private(set) var unordered: Set<ObjectReference> = []

    private struct Key: Hashable {
        var object: ObjectReference
        var property: ExactString
        var key: SetIdentity
    }

    private struct Entry {
        var isRemoved: Bool
        var stamp: Stamp
        var version: ServerVersion
    }

    /// By which version and whose changeset something became so.
    private struct Turn {
        var version: ServerVersion
        var client: ClientID

        func isKnown(to changeset: Changeset, about object: ObjectReference) -> Bool {
            client == changeset.client || version <= changeset.seen(object)
        }
    }

    /// The life that an object has reached; even when it has ended.
    private struct Life {
        var number: UInt32
        /// Who made it so.
        var turn: Turn
        /// The oldest stamp of its creates.
        var born: Stamp
        /// Who created it last.
        var made: Turn
        /// What additions to its counters may be made on.
        var sets: [String: (turn: Turn, stamp: Stamp)] = [:]
    }

    /// - Parameter horizon: where the server's history began then.
    mutating func take(
        _ changesets: [Changeset], as version: ServerVersion, at time: UInt64, horizon: ServerVersion = .zero
    ) {
        forget(through: horizon)
        if horizon > .zero { noteFolded(before: version) }
        for changeset in changesets {
            let turn = Turn(version: version, client: changeset.client)
            let stamp = clamped(changeset, at: time)
            for operation in changeset.operations {
                guard let meant = meant(operation, by: changeset, turn, stamp) else { continue }
                note(meant, turn, stamp)
                merges[operation.target, default: NaiveMerge()].operations.append((meant, stamp))
            }
        }
    }

    /// No later than now, unless somebody was taken to be later already; later than everything of the same client.
    private mutating func clamped(_ changeset: Changeset, at now: UInt64) -> Stamp {
        let latest = max(now << 16 | 0xFFFF, newestTime + 1)
        let time = max(min(changeset.stamp.time, latest), (lastTimes[changeset.client] ?? 0) + 1)
        lastTimes[changeset.client] = time
        newestTime = max(newestTime, time)
        return Stamp(time: time, client: changeset.client)
    }

    /// What the writer meant, by what it knew; nil for what then has no effect.
    private mutating func meant(
        _ operation: Operation, by changeset: Changeset, _ turn: Turn, _ stamp: Stamp
    ) -> Operation? {
        let target = operation.target
        switch operation {
        case .create(_, let named, let fields):
            var life = life(named, of: target, by: changeset)
            // F4: counted from an end that is forgotten.
            if let known = lives[target], known.number % 2 == 1, forgotten[target.className] != nil {
                life = min(life, known.number)
            }
            reach(life, of: target, turn, stamp)
            if lives[target]?.number == life { lives[target]?.made = turn }
            for field in fields where !field.isDefault { note(field, of: target, turn, stamp) }
            return .create(target, life: life, fields: fields)
        case .delete(_, let named):
            if mayMeanForgotten(target, changeset, turn) { return nil }
            reach(named, of: target, turn, stamp)
            return .delete(target, life: named)
        case .set(_, let field):
            if !field.isDefault { note(field, of: target, turn, stamp) }
            return operation
        case .add(_, let property, let addition):
            guard let set = lives[target]?.sets[property] else {
                return .add(target, property: property, Addition(addition.amount, base: .zero))
            }
            guard set.turn.isKnown(to: changeset, about: target) else { return nil }
            return .add(target, property: property, Addition(addition.amount, base: set.stamp))
        case .list, .text:
            if let mark = folded[target], changeset.seen(target) < mark { unordered.insert(target) }
            return operation
        case .keyed: return operation
        }
    }

    /// A writer that could not know the number names a life that is over: it means the next one.
    private func life(
        _ named: UInt32, of object: ObjectReference, by changeset: Changeset
    ) -> UInt32 {
        guard let reached = lives[object], reached.number >= named, reached.number % 2 == 0,
            reached.turn.isKnown(to: changeset, about: object)
        else { return named }
        return reached.number + 1
    }

    private mutating func reach(_ life: UInt32, of object: ObjectReference, _ turn: Turn, _ stamp: Stamp) {
        guard let known = lives[object], known.number >= life else {
            lives[object] = Life(number: life, turn: turn, born: stamp, made: turn)
            entries = entries.filter { $0.key.object != object }
            return
        }
        if known.number == life { lives[object]?.born = min(known.born, stamp) }
    }

    private mutating func note(_ field: FieldValue, of object: ObjectReference, _ turn: Turn, _ stamp: Stamp) {
        guard let life = lives[object], life.number % 2 == 1, stamp >= life.born else { return }
        if let known = life.sets[field.property], stamp < known.stamp { return }
        lives[object]?.sets[field.property] = (turn, stamp)
    }
}

// MARK: - Below the horizon

extension JourneyReference {
    /// With a history of one version a mark never waits for longer than its own version: what was removed is forgotten
    /// as soon as the history begins behind it.
    private mutating func forget(through horizon: ServerVersion) {
        for (object, life) in lives where life.number % 2 == 0 && life.turn.version <= horizon {
            forgotten[object.className] = max(forgotten[object.className] ?? .zero, life.turn.version)
            lives[object] = nil
            merges[object] = nil
        }
        for (place, entry) in entries where entry.isRemoved && entry.version <= horizon {
            entries[place] = nil
            merges[place.object]?.operations.removeAll { operation, _ in
                guard case .keyed(_, let property, let change) = operation else { return false }
                return ExactString(property) == place.property && SetIdentity(change.key) == place.key
            }
        }
    }

    /// A list or text is marked when far more of its positions are hidden than shown. This looks only at whether it may have
    /// been: it had operations enough.
    private mutating func noteFolded(before version: ServerVersion) {
        for (object, merge) in merges {
            var operations = 0
            for case (.list, _) in merge.operations { operations += 1 }
            for case (.text, _) in merge.operations { operations += 1 }
            if operations > Self.positionsHiddenMin { folded[object] = ServerVersion(version.rawValue - 1) }
        }
    }

    /// Section 12: by more than four, and the operations that hide them.
    private static let positionsHiddenMin = 4

    /// F3: of an object that this writer has not seen begin, and a forgotten end is newer than what it has seen.
    private func mayMeanForgotten(_ object: ObjectReference, _ changeset: Changeset, _ turn: Turn) -> Bool {
        guard let newest = forgotten[object.className], changeset.seen(object) < newest else { return false }
        guard let life = lives[object] else { return true }
        guard life.number % 2 == 1, life.turn.version > changeset.seen(object) else { return false }
        let isOwn = life.born.client == changeset.client
        return !isOwn && !(life.made.client == turn.client && life.made.version == turn.version)
    }

    /// Which put or remove of a key stands.
    private mutating func note(_ operation: Operation, _ turn: Turn, _ stamp: Stamp) {
        guard case .keyed(let object, let property, let change) = operation, let life = lives[object],
            life.number % 2 == 1, stamp >= life.born
        else { return }
        let place = Key(object: object, property: ExactString(property), key: SetIdentity(change.key))
        if let known = entries[place], stamp < known.stamp { return }
        let isRemoved = if case .remove = change { true } else { false }
        entries[place] = Entry(isRemoved: isRemoved, stamp: stamp, version: turn.version)
    }
}
