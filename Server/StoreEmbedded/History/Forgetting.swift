import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Collections forget what is gone below the horizon: RULES.md, section 12.

extension StoreEmbedded {
    /// Has collections forget what the marks say that the history has passed.
    ///
    /// What sets and maps forget changes nothing for anybody. Of a list or text devices have the tree too: it is made anew
    /// in a version of nobody's, which tells it whole to all who see it, those that write about it now among them.
    ///
    /// - Returns: how many marks were done with, and whether more are due.
    func forget(in transaction: Transaction, _ meta: inout Meta) throws(StoreFailure) -> (count: Int, hasMore: Bool) {
        let tree = MarkTree(in: transaction)
        let due = tree.takeDue(through: meta.historyStart)
        guard !due.marks.isEmpty else { return (0, due.hasMore) }
        let catalog = catalog(of: transaction)
        let next = ServerVersion(meta.version.rawValue + 1)
        let merging = Merging(transaction, catalog, client: .nobody, version: next)
        for mark in due.marks {
            let (place, version) = (mark.place, meta.version)
            // The object may have ended since.
            guard transaction.tree(Layout.lists).get(place.bytes) != nil else { continue }
            if catalog[place.classNumber].schema.properties[place.column].collection.isKeyed {
                try KeyedTree.forget(mark, in: transaction, at: version)
            } else {
                try merging.forget(mark, else: version)
            }
        }
        if !merging.unwritten.isEmpty {
            try merging.writeBackAll(.zero)
            meta.version = next
            try merging.finish(&meta)
        }
        return (due.marks.count, due.hasMore)
    }
}

extension KeyedTree {
    fileprivate static func forget(
        _ mark: MarkTree.Mark, in transaction: Transaction, at version: ServerVersion
    ) throws(StoreFailure) {
        let place = mark.place
        var entries = try load(place.classNumber, place.column, place.key, in: transaction)
        entries.forget(try mark.decoded { bytes throws(EncodingError) in try KeyedState(encoded: bytes) })
        save(entries, place.classNumber, place.column, place.key, in: transaction)
        MarkTree(in: transaction).mark(entries, at: place, version)
    }
}

extension Merging {
    /// Has a list or text forget what its mark calls gone.
    ///
    /// - Parameter version: at which it is marked again when it cannot forget anything yet.
    fileprivate func forget(_ mark: MarkTree.Mark, else version: ServerVersion) throws(StoreFailure) {
        let place = mark.place
        guard table(place.classNumber).exists(place.key),
            let primaryKey = table(place.classNumber).primaryKey(of: place.key)
        else { return }
        let object = try object(ObjectName(place.classNumber, primaryKey))
        try load(place.column, of: object)
        let property = object.plan.schema.properties[place.column].name
        let tree = MarkTree(in: transaction)
        if let index = object.state.lists.firstIndex(where: { $0.property.isSame(as: property) }) {
            let older = try mark.decoded { bytes throws(EncodingError) in try ListState(encoded: bytes) }
            guard object.state.lists[index].list.forget(older) else {
                return tree.mark(object.state.lists[index].list, at: place, version)
            }
        } else if let index = object.state.texts.firstIndex(where: { $0.property.isSame(as: property) }) {
            let text = object.state.texts[index].text
            let shorter = try mark.decoded { bytes throws(EncodingError) in
                var shorter = text
                return try shorter.forget(bytes) ? shorter : nil
            }
            guard let shorter else { return tree.mark(text, at: place, version) }
            object.state.texts[index].text = shorter
        }
        object.columns.insert(place.column)
        tree.noteForgotten(at: place, mark.version)
        note(object)
    }

    /// F8: whoever has not seen all of what was gone when a list or text forgot it may name positions between which others
    /// stand that it does not know, or that are forgotten. What it inserts comes right behind what it put it behind, or where
    /// that is forgotten, right before what it put it before.
    func placed(
        _ operation: Operation, _ object: WorkingObject, _ column: Int, _ changeset: Changeset
    ) -> Operation {
        guard let key = object.key,
            changeset.seen(operation.target)
                < MarkTree(in: transaction).forgotten(at: MarkTree.Place(object.plan.number, column, key))
        else { return operation }
        switch operation {
        case .list(let target, let property, let edit):
            guard let index = object.state.lists.firstIndex(where: { $0.property.isSame(as: property) }),
                let placed = object.state.lists[index].list.placedByWhatIsKnown(edit)
            else { return operation }
            object.effective = false
            return .list(target, property: property, placed)
        case .text(let target, let property, let edit):
            guard let index = object.state.texts.firstIndex(where: { $0.property.isSame(as: property) }),
                let placed = object.state.texts[index].text.placedByWhatIsKnown(edit)
            else { return operation }
            object.effective = false
            return .text(target, property: property, placed)
        default:
            return operation
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
