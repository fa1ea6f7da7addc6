import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// From the merged state to the rows.

extension Merging {
    /// Writes back what was touched since the last call.
    func writeBackAll(_ stamp: Stamp) throws(StoreFailure) {
        for object in unwritten { try writeBack(object, stamp) }
        unwritten = []
    }

    private func writeBack(_ object: WorkingObject, _ stamp: Stamp) throws(StoreFailure) {
        object.isUnwritten = false
        if let key = object.key, !table(object.name.classNumber).exists(key) {
            // Its row went with what held it, earlier in this changeset.
            doubt(object)
            return
        }
        switch (object.stamps?.life, object.state.isAlive) {
        case (nil, false):
            // Dead, and stays dead; a deletion of a longer life than the known one is recorded.
            if object.state.life > (object.end?.life ?? 0) { endLife(of: object) } else { meetEnd(of: object) }
        case (nil, true):
            try createRow(for: object, stamp)
        case (.some, false):
            try removeRow(of: object)
        case (.some(let life), true) where life != object.state.life:
            try removeRow(of: object)
            try createRow(for: object, stamp)
        case (.some, true):
            try writeColumns(of: object)
        }
    }

    // MARK: - Life

    private func createRow(for object: WorkingObject, _ stamp: Stamp) throws(StoreFailure) {
        let plan = object.plan
        let table = table(plan.number)
        var row = plan.zeroRow
        if let primaryKey = plan.primaryKey { row[primaryKey] = object.name.key.value ?? .null }
        var stamps = ObjectStamps(
            life: object.state.life, bornVersion: version, creation: object.state.born)
        for field in object.state.fields {
            guard let column = plan.columns[field.property], column != plan.primaryKey else { continue }
            row[column] = stored(field.value, plan, column)
            if field.stamp == stamps.creation {
                if field.isDefault { stamps.defaults.insert(column) } else { stamps.written.insert(column) }
            } else {
                stamps.set(column, field.stamp, isDefault: field.isDefault)
            }
            object.loaded.insert(column)
        }
        for case (let column, .text(let text)) in object.parts { row[column] = .string(text.string) }
        if plan.schema.kind == .embedded { forgetRoots() }
        let key: ObjectKey
        do {
            key = try table.create(object.name.key, row: row)
        } catch {
            throw StoreFailure(error)
        }
        for (column, content) in object.parts {
            try show(content, of: object, column, table, key)
            keep(content, of: object, at: PartTree.Place(plan.number, column, key))
            object.loaded.insert(column)
        }
        stamps.save(plan.number, key, in: transaction)
        if plan.schema.kind == .object { noteObjects(1, by: stamps.born.client) }
        saveCounters(of: object, key)
        object.key = key
        object.stamps = stamps
        if object.end != nil {
            End.remove(object.name, in: transaction)
            object.end = nil
        }
        if plan.schema.kind == .embedded { uncertain.append(object) }
    }

    private func removeRow(of object: WorkingObject) throws(StoreFailure) {
        guard let key = object.key else { return }
        try doubtEmbedded(in: Row(object.name.classNumber, key), root: object.root ?? object.name)
        try removeRecords(of: object, key)
        table(object.name.classNumber).delete(key, leavingGhost: true)
        endLife(of: object)
    }

    func removeRecords(of object: WorkingObject, _ key: ObjectKey) throws(StoreFailure) {
        let table = table(object.name.classNumber)
        try ObjectStamps.remove(object.name.classNumber, key, in: transaction) { $0 != key && table.exists($0) }
        for (column, _) in object.plan.parts {
            let place = PartTree.Place(object.name.classNumber, column, key)
            PartTree(in: transaction).remove(place)
            MarkTree(in: transaction).remove(place)
        }
        for column in object.plan.counterColumns {
            CounterRecord.remove(object.name.classNumber, column, key, in: transaction)
        }
        if object.plan.schema.kind == .object, let creator = object.stamps?.born.client { noteObjects(-1, by: creator) }
        object.key = nil
        object.stamps = nil
        object.loaded = PropertyNumbers()
        creation.targets.removeAll(keepingCapacity: true)
    }

    func endLife(of object: WorkingObject) {
        // A life that was skipped over has an even number too: the last deletion is recorded.
        let life = object.state.isAlive ? object.state.life - 1 : object.state.life
        let end = End(life: life, version: version, client: client)
        end.save(object.name, in: transaction)
        object.end = end
        creation.hasEnds[object.name.classNumber] = true
    }

    /// A tombstone that beats a change is kept for a while longer.
    private func meetEnd(of object: WorkingObject) {
        guard var end = object.end, end.met != version else { return }
        end.met = version
        end.save(object.name, in: transaction)
        object.end = end
    }

    // MARK: - Columns

    private func writeColumns(of object: WorkingObject) throws(StoreFailure) {
        guard let key = object.key, var stamps = object.stamps else { return }
        let plan = object.plan
        let table = table(plan.number)
        let before = stamps
        stamps.born = object.state.born
        for field in object.state.fields {
            guard let column = plan.columns[field.property], column != plan.primaryKey else { continue }
            let value = stored(field.value, plan, column)
            let present = table.value(key, column)
            if present != value {
                if plan.mayHoldParts(column) { try doubt(present, plan, column, in: object) }
                table.set(key, column, value)
                // The value that went took this object with it: they held each other in a cycle.
                guard table.exists(key) else { return doubt(object) }
            }
            if stamps[column] != (field.stamp, field.isDefault) {
                stamps.set(column, field.stamp, isDefault: field.isDefault)
            }
        }
        for (column, content) in object.parts where object.columns.contains(column) {
            try show(content, of: object, column, table, key)
            guard table.exists(key) else { return doubt(object) }
            keep(content, of: object, at: PartTree.Place(plan.number, column, key))
        }
        saveCounters(of: object, key)
        if stamps != before {
            stamps.save(plan.number, key, in: transaction)
            if plan.schema.kind == .object, stamps.born.client != before.born.client {
                noteObjects(-1, by: before.born.client)
                noteObjects(1, by: stamps.born.client)
            }
            object.stamps = stamps
        }
    }

    /// A value as it is stored: a link by the row of its target, which nobody may have created yet.
    func stored(_ value: Value, _ plan: ClassPlan, _ column: Int) -> Value {
        guard case .link(let key) = value else { return transaction.resting(value) }
        return .object(linkTarget(key, plan, column))
    }

    /// Makes the columns show the content. What is no longer held may be deleted.
    private func show(
        _ content: ObjectState.Content, of object: WorkingObject, _ column: Int, _ table: Table, _ key: ObjectKey
    ) throws(StoreFailure) {
        let plan = object.plan
        switch content {
        case .list(let list):
            let values = list.visible.map { stored($0.value, plan, column) }
            let present = table.listValues(key, column)
            guard present != values else { return }
            let parts =
                plan.mayHoldParts(column)
                ? present.filter { catalog.part($0, plan, column, in: transaction) != nil } : []
            // A part that moves must not leave the list even for a moment: it would be deleted.
            if !parts.isEmpty || plan.isEmbedded(column) {
                try doubt(parts, unlessIn: values, column, of: object)
                table.listReplace(key, column, values)
            } else {
                rewrite(table, key, column, from: present, to: values)
            }
        case .keyed(let entries):
            if plan.mayHoldParts(column) {
                let values = entries.visible.map { stored($0.value, plan, column) }
                try doubt(table.listValues(key, column), unlessIn: values, column, of: object)
            }
            show(entries, plan, column, table, key)
        case .text(let text):
            guard case .string(let shown) = table.value(key, column) else { return }
            for edit in TextDifference.edits(from: shown, to: text.string) { table.edit(key, text: column, edit) }
        }
    }

    private func doubt(
        _ present: [Value], unlessIn values: [Value], _ column: Int, of object: WorkingObject
    ) throws(StoreFailure) {
        let held = Set(values)
        for element in present where !held.contains(element) { try doubt(element, object.plan, column, in: object) }
    }

    private func show(_ entries: KeyedState, _ plan: ClassPlan, _ column: Int, _ table: Table, _ key: ObjectKey) {
        if plan.schema.properties[column].collection == .set {
            table.setReplace(key, column, entries.visible.map { stored($0.key, plan, column) })
            return
        }
        var named: [(key: String, value: Value)] = []
        for case (.string(let name), let value) in entries.visible {
            named.append((name, stored(value, plan, column)))
        }
        table.mapReplace(key, column, named)
    }

    private func keep(_ content: ObjectState.Content, of object: WorkingObject, at place: PartTree.Place) {
        object.wholeBytes[place.column] = PartTree(in: transaction).save(content, at: place)
        MarkTree(in: transaction).mark(content, at: place, version)
    }

    /// Edits the list where it differs: a long list that grows by one element is not written link by link.
    private func rewrite(
        _ table: Table, _ key: ObjectKey, _ column: Int, from present: [Value], to wanted: [Value]
    ) {
        var prefix = 0
        while prefix < present.count, prefix < wanted.count, present[prefix] == wanted[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < present.count - prefix, suffix < wanted.count - prefix,
            present[present.count - 1 - suffix] == wanted[wanted.count - 1 - suffix]
        {
            suffix += 1
        }
        let removed = present.count - prefix - suffix
        let inserted = wanted[prefix..<wanted.count - suffix]
        if removed + inserted.count > Self.stepsWorthTaking {
            table.listReplace(key, column, wanted)
            return
        }
        for index in (prefix..<prefix + removed).reversed() { table.listRemove(key, column, index) }
        for (index, value) in inserted.enumerated() { table.listInsert(key, column, prefix + index, value) }
    }

    private static let stepsWorthTaking = 64
}
