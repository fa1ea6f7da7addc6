import CausewayModel
import CausewayObjectStore

extension RealmInstance {
    /// Writes the objects of this Realm into another one, in one transaction: those whose primary keys it has are
    /// updated, the others created. Nothing is deleted there.
    ///
    /// - Throws: `Realm.Error.invalidInput` for objects whose class the other Realm lacks, or whose class has no
    ///   primary key.
    func copyObjects(to other: RealmInstance) throws {
        let classes = try classesToCopy(to: other)
        try other.beginWrite()
        do {
            // All objects first, so that every link finds its target.
            for source in classes { other.createMissing(from: source) }
            for source in classes { other.update(from: source) }
            try other.commitWrite()
        } catch {
            if other.isInWrite { other.cancelWrite() }
            throw error
        }
    }

    /// The classes of this Realm that have objects of their own.
    private func classesToCopy(to other: RealmInstance) throws -> [_ClassAccess] {
        try declared.models.values.sorted { $0.className < $1.className }.compactMap { model in
            guard model.kind == .object else { return nil }
            let access = access(named: model.className)
            guard access.table.count > 0 else { return nil }
            let problem: String? =
                if other.declared.models[model.className] == nil {
                    "the configuration to copy to does not have the class. Add it to objectTypes"
                } else if model.primaryKeyIndex == nil {
                    "a synced class needs a primary key. Give it one with @Persisted(primaryKey: true)"
                } else {
                    nil
                }
            if let problem {
                throw Realm.Error(
                    .invalidInput, "Objects of type '\(model.className)' cannot be copied: \(problem).",
                    fileURL: other.configuration.fileURL)
            }
            return access
        }
    }

    private func createMissing(from source: _ClassAccess) {
        let access = access(named: source.model.className)
        guard let name = source.model.primaryKeyIndex.map({ source.model.properties[$0].name }) else { return }
        for key in source.table.allKeys {
            guard let primaryKey = source.table.primaryKey(of: key), access.table.key(for: primaryKey) == nil else {
                continue
            }
            _ = create(access.model.type, [name: source.object(key).held(forKey: name) as Any], .error)
        }
    }

    private func update(from source: _ClassAccess) {
        let access = access(named: source.model.className)
        defer { draft = nil }
        for key in source.table.allKeys {
            let draft = Draft(for: self, isUpdate: true, linksByKey: true)
            self.draft = draft
            add(draft.make(access.model, from: source.object(key)), update: .modified)
        }
    }

    /// This Realm's object with the class and the primary key of another Realm's object.
    func counterpart(of object: ObjectBase) -> ObjectBase? {
        guard object._header != nil else { return nil }
        let other = object._checkedAccess()
        guard let primaryKey = other.table.primaryKey(of: object._key) else { return nil }
        let access = access(named: other.model.className)
        return access.table.key(for: primaryKey).map { access.object($0) }
    }
}
