import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

extension Recording {
    /// Keeps what the server has of an object, the first time it is changed here, and notes the last changeset about
    /// it.
    mutating func keepBase(
        _ object: ObjectReference, _ table: Table, _ key: ObjectKey, isEnding: Bool = false
    ) throws(StoreError) {
        guard previous[object] == nil else { return }
        let sequence = state.lastSequence + 1
        if hasLeft { try noteLastSeen(object, table, key) }
        if let earlier = try trees.continueBase(object, with: sequence) {
            previous[object] = earlier
        } else if let creator = trees.fresh.creator(of: table.name, key) {
            // The server has nothing of it.
            trees.save(BaseCopy(state: ObjectState(), lastSequence: sequence), object)
            begin(object, behind: creator)
        } else {
            // The texts of an embedded object go with its row, whenever its holder lets go of it.
            let leavesTexts = !isEnding && table.schema.kind == .object
            let state = try stateBefore(object, table.name, key, leavingTexts: leavesTexts)
            let leftTexts = leavesTexts && state.isAlive && table.schema.properties.contains(where: \.isText)
            trees.save(
                BaseCopy(state: state, lastSequence: sequence, textsAsOf: leftTexts ? transaction.version : nil), object
            )
            begin(object, behind: nil)
        }
    }

    /// Notes an object's first change that needs a base: only its creation may precede it in the log.
    mutating func begin(_ object: ObjectReference, behind creator: UInt64?) {
        previous[object] = creator ?? 0
        if let creator { trees.addDue(object, with: creator) }
    }

    /// Notes an object that has left the view, or is embedded in one: its state here is older than the changeset's
    /// base. Objects that are not on the server yet are left out.
    private mutating func noteLastSeen(
        _ object: ObjectReference, _ table: Table, _ key: ObjectKey
    ) throws(StoreError) {
        if let base = try trees.storedBase(object) {
            guard base.state.isAlive else { return }
        } else if trees.fresh.creator(of: table.name, key) != nil {
            return
        }
        // The holder found is embedded, too, if nothing holds it any more.
        let (holder, row) = table.outermost(of: key)
        let isEmbedded = table.schema.kind == .embedded
        guard let seen = trees.lastSeen(isEmbedded ? try reference(holder, row) : object) else { return }
        // A version of an unknown run counts as one of the base's run: the server takes the lowest.
        let isOfBase = seen.run == 0 || seen.run == state.incarnation
        lastSeen.note(object, seen: seen.version, of: isOfBase ? nil : seen.run)
    }

    /// The object as the last commit has it: without pending operations that is what the server has.
    private mutating func stateBefore(
        _ object: ObjectReference, _ className: String, _ key: ObjectKey, leavingTexts: Bool
    ) throws(StoreError) -> ObjectState {
        let before = try lastCommit()
        guard let table = before.table(className), table.exists(key) else {
            return ObjectState(life: try trees.pastLife(object))
        }
        let life = try Trees(before).life(object) ?? 1
        let travelling = Links(before)
        var copy = ObjectState(life: life)
        for (column, property) in table.schema.properties.enumerated() {
            switch property.part {
            case .list:
                let list = try Trees(before).list(object, property.name)
                if list != ListState() { copy.put(ObjectState.Part(property.name, .list(list))) }
            case .keyed:
                let entries = table.entries(of: key, column, travelling)
                if !entries.isEmpty { copy.put(ObjectState.Part(property.name, .keyed(entries))) }
            case .text:
                guard !leavingTexts, case .string(let string) = table.value(key, column) else { continue }
                let text = try Trees(before).texts.state(object, property.name, showing: string)
                if !text.isUntouched { copy.put(ObjectState.Part(property.name, .text(text))) }
            case nil where !property.isPrimaryKey:
                let value = travelling.travelling(table.value(key, column), target: property.target)
                copy.put(ObjectState.Field(property.name, value, stamp: .zero))
            case nil: break
            }
        }
        return copy
    }
}
