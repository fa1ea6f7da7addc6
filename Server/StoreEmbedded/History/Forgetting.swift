import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Collections forget what was removed below the horizon: RULES.md, section 12.

extension StoreEmbedded {
    /// Makes collections forget what their marks list, once the history has passed these marks.
    ///
    /// What sets and maps forget changes nothing for anybody. Devices have the tree of a list or text too, so the
    /// server rebuilds it in a version of its own, without an author. That version tells the tree whole to all who see
    /// it, those that write to it now among them.
    ///
    /// - Returns: how many marks were handled, and whether more are due.
    func forget(in transaction: Transaction, _ meta: inout Meta) throws(StoreFailure) -> (count: Int, hasMore: Bool) {
        let tree = MarkTree(in: transaction)
        let due = tree.takeDue(through: meta.historyStart)
        guard !due.marks.isEmpty else { return (0, due.hasMore) }
        let catalog = catalog(of: transaction)
        let next = ServerVersion(meta.version.rawValue + 1)
        let merging = Merging(transaction, catalog, client: .nobody, version: next)
        for mark in due.marks {
            let (place, version) = (mark.place, meta.version)
            // The object may have been deleted since.
            guard transaction.tree(Layout.lists).get(place.bytes) != nil else { continue }
            if catalog[place.classNumber].schema.properties[place.column].collection.isKeyed {
                try merging.forgetKeys(mark, at: version)
            } else {
                try merging.forget(mark, else: version)
            }
        }
        if !merging.unwritten.isEmpty {
            try merging.writeBackAll(.zero)
            meta.version = next
            try merging.finish(&meta, editedBytesMin: options.editedBytesMin)
        }
        return (due.marks.count, due.hasMore)
    }
}

extension Merging {
    fileprivate func forgetKeys(_ mark: MarkTree.Mark, at version: ServerVersion) throws(StoreFailure) {
        let (place, tree) = (mark.place, PartTree(in: transaction))
        var content = try tree.load(.keyed, at: place, table(place.classNumber))
        let removed = try mark.decoded { bytes throws(EncodingError) in try KeyedState(encoded: bytes) }
        content.changeKeyed { $0.forget(removed) }
        tree.save(content, at: place)
        MarkTree(in: transaction).mark(content, at: place, version)
    }

    /// Makes a list or text forget what its mark lists as removed.
    ///
    /// - Parameter version: the version of a new mark, when nothing can be forgotten yet.
    fileprivate func forget(_ mark: MarkTree.Mark, else version: ServerVersion) throws(StoreFailure) {
        let place = mark.place
        guard table(place.classNumber).exists(place.key),
            let primaryKey = table(place.classNumber).primaryKey(of: place.key)
        else { return }
        let object = try object(ObjectName(place.classNumber, primaryKey))
        try load(place.column, of: object)
        let property = object.plan.schema.properties[place.column]
        let tree = MarkTree(in: transaction)
        guard let kind = property.part, var content = object.state[property.name, kind] else { return }
        guard try content.forget(mark) else { return tree.mark(content, at: place, version) }
        object.state.put(ObjectState.Part(property.name, content))
        object.columns.insert(place.column)
        tree.noteForgotten(at: place, mark.version)
        note(object)
    }

    /// F8: places an insert of a writer that has not seen everything that was removed when a list or text forgot it.
    /// Such a writer may name positions that are forgotten, or between which there are others that it does not know.
    /// Its insert goes right after the position before it. Where that is forgotten, it goes right before the position
    /// after it.
    func placed(
        _ operation: Operation, _ object: WorkingObject, _ column: Int, _ changeset: Changeset
    ) -> Operation {
        guard let key = object.key,
            changeset.seen(operation.target)
                < MarkTree(in: transaction).forgotten(at: PartTree.Place(object.plan.number, column, key))
        else { return operation }
        let placed: Operation? =
            switch operation {
            case .list(let target, let property, let edit):
                object.state.change(property, .list) { $0.changeList { $0.placedByWhatIsKnown(edit) } }??
                    .map { .list(target, property: property, $0) }
            case .text(let target, let property, let edit):
                object.state.change(property, .text) { $0.changeText { $0.placedByWhatIsKnown(edit) } }??
                    .map { .text(target, property: property, $0) }
            default: nil
            }
        guard let placed else { return operation }
        object.effective = false
        return placed
    }
}

extension ObjectState.Content {
    /// Forgets what a mark lists as removed; false where its tree cannot be rebuilt without that.
    fileprivate mutating func forget(_ mark: MarkTree.Mark) throws(StoreFailure) -> Bool {
        switch self {
        case .list:
            let older = try mark.decoded { bytes throws(EncodingError) in try ListState(encoded: bytes) }
            return changeList { $0.forget(older) } ?? false
        case .text(var text):
            guard try mark.decoded({ bytes throws(EncodingError) in try text.forget(bytes) }) else { return false }
            self = .text(text)
            return true
        case .keyed: return false
        }
    }
}

extension MarkTree.Mark {
    fileprivate func decoded<State>(
        _ decode: ([UInt8]) throws(EncodingError) -> State
    ) throws(StoreFailure) -> State {
        do {
            return try decode(bytes)
        } catch {
            throw StoreFailure(damaged: Layout.marks, error)
        }
    }
}
