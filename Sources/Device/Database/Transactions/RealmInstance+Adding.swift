import CausewayModel
import CausewayObjectStore
import Foundation

extension RealmInstance {
    /// Adds an unmanaged object and the objects it links to. The object becomes the accessor of a new row or, under an
    /// update policy, of the row with its primary key.
    @discardableResult
    func add(_ object: ObjectBase, update: Realm.UpdatePolicy, asChild: Bool = false) -> ObjectKey {
        guard object._header == nil else {
            guard object._instance === self else {
                misuse("Object is already managed by another Realm. Use create instead to copy it into this Realm.")
            }
            guard !object.isInvalidated else {
                misuse("Adding a deleted or invalidated object to a Realm is not permitted")
            }
            return object._key
        }
        let access = access(for: type(of: object))
        if access.isEmbedded, !asChild {
            misuse("Embedded objects cannot be added to a Realm directly: assign them to a property of their parent.")
        }
        // Linked objects follow the policy of the call that adds them, and never that of an earlier one.
        let policy = asChild ? updatePolicy : update
        let outer = updatePolicy
        updatePolicy = policy
        defer { updatePolicy = outer }
        return access.isEmbedded ? insert(object, access, nil) : promote(object, access, policy)
    }

    private func promote(_ object: ObjectBase, _ access: _ClassAccess, _ policy: Realm.UpdatePolicy) -> ObjectKey {
        guard let place = access.primaryKeyPlace else { return insert(object, access, nil) }
        let value = place.value(Unmanaged.passUnretained(object).toOpaque(), access.model)
        guard let primaryKey = PrimaryKey(value) else {
            misuse("Invalid primary key '\(value)' for class '\(access.model.className)'.")
        }
        // Most objects of a bulk insert are new: creation itself finds duplicates, without a search before it.
        if policy == .error { return insert(object, access, primaryKey) }
        guard let key = access.table.key(for: primaryKey) else { return insert(object, access, primaryKey) }
        update(object, access, key, onlyDifferent: policy == .modified)
        return key
    }

    private func insert(_ object: ObjectBase, _ access: _ClassAccess, _ primaryKey: PrimaryKey?) -> ObjectKey {
        let row: NewRow
        do {
            let name = primaryKey ?? (access.isEmbedded ? coordinator.participant?.container(in: transaction) : nil)
            row = try access.table.beginRow(name)
        } catch {
            refuse(error, access, primaryKey)
        }
        let promotions = fill(row, from: object, access)
        access.created(row.key)
        // Bound first: an object that links back finds it managed.
        access.bind(object, to: row.key)
        for (column, run) in promotions { run(object, column) }
        return row.key
    }

    private typealias Promotions = [(column: Int, run: (ObjectBase, Int) -> Void)]

    /// Writes the scalars of an object into a new row. Returns the work that is left for its links and collections.
    private func fill(_ row: NewRow, from object: ObjectBase, _ access: _ClassAccess) -> Promotions {
        let base = Unmanaged.passUnretained(object).toOpaque()
        let model = access.model
        let table = access.table
        var promotions: Promotions = []
        for place in access.places {
            place.enter(base, row, table, model)
            if place.isScalar || model.places[place.position].isUntouched(base + place.offset) { continue }
            if let linked = place.linked(base), let target = access.target(place.column),
                let key = rowToLink(linked, in: target)
            {
                table.link(row, place.column, to: key)
                continue
            }
            if let run = model.properties[place.position].wrapper.promotion(base + place.offset) {
                promotions.append((place.column, run))
            }
        }
        for column in access.undeclaredColumns { table.set(row, column, .null) }
        return promotions
    }

    /// The row of a linked object if a new row may link to it as it is: it is in this Realm and not embedded.
    func rowToLink(_ linked: ObjectBase, in target: _ClassAccess) -> ObjectKey? {
        // An object that points to a class access of this Realm is one of this Realm.
        guard linked._header == target.header, !target.isEmbedded else { return nil }
        // Last checked in another transaction: it may have been deleted, which stops the program.
        if linked._epoch != target.header.pointee.epoch { _ = linked._checkedAccess() }
        return linked._key
    }

    func refuse(_ error: StoreError, _ access: _ClassAccess, _ primaryKey: PrimaryKey?) -> Never {
        if error.code == .duplicatePrimaryKey, let primaryKey {
            misuse(Self.duplicate(access.model.className, primaryKey))
        }
        misuse("Object of type '\(access.model.className)' could not be created: \(error.message)")
    }

    static func duplicate(_ className: String, _ primaryKey: PrimaryKey) -> String {
        "Attempting to create an object of type '\(className)' with an existing primary key value "
            + "'\(primaryKey.shown)'."
    }

    func update(_ object: ObjectBase, _ access: _ClassAccess, _ key: ObjectKey, onlyDifferent: Bool) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        var promotions: [(column: Int, run: (ObjectBase, Int) -> Void)] = []
        for (position, column) in access.columns.enumerated() {
            let property = access.model.properties[position]
            if property.isPrimaryKey { continue }
            if let draft, !draft.wrote(position, of: object) { continue }
            let wrapper = base + property.offset
            if !property.isScalar {
                // What the new object never touched is empty, and replaces what is stored.
                if access.model.places[position].isUntouched(wrapper) {
                    if isEmpty(access, key, column, property.shape) { continue }
                    if property.shape.isMapped, property.shape.collection == .none {
                        access.write(key, column, .null)
                        continue
                    }
                    _ = property.wrapper.read(object, wrapper)
                }
                if let run = property.wrapper.promotion(wrapper) { promotions.append((column, run)) }
                continue
            }
            let value = property.wrapper.scalar(wrapper)
            if onlyDifferent, access.value(key, column) == value { continue }
            access.write(key, column, value)
        }
        access.bind(object, to: key)
        for (column, run) in promotions { run(object, column) }
    }

    /// Whether a row has nothing in a property that is no scalar.
    private func isEmpty(_ access: _ClassAccess, _ key: ObjectKey, _ column: Int, _ shape: _PropertyShape) -> Bool {
        if shape.collection != .none { return access.table.listCount(key, column) == 0 }
        return !shape.isText && access.value(key, column).isNull
    }

    // MARK: - Creating

    /// A managed object made from a dictionary, an array or another object.
    func create(_ type: ObjectBase.Type, _ value: Any, _ update: Realm.UpdatePolicy) -> ObjectBase {
        checkThread()
        checkTransaction()
        let access = access(for: type)
        if access.isEmbedded {
            misuse("Embedded objects cannot be created directly: create them as part of their parent.")
        }
        checkPolicy(access, update)
        // Loops create many objects: a draft that remembers nothing is used for all of them.
        let draft = (update == .error ? idleDraft.take() : nil) ?? Draft(for: self, isUpdate: update != .error)
        let object = draft.make(access.model, from: value)
        self.draft = draft
        defer {
            self.draft = nil
            if draft.isBlank { idleDraft = draft }
        }
        add(object, update: update)
        return object
    }

    func checkTransaction() {
        guard isInWrite else {
            misuse(
                "Can only add, remove, or create objects in a Realm in a write transaction - call "
                    + "beginWriteTransaction on an RLMRealm instance first.")
        }
    }

    func checkPolicy(_ access: _ClassAccess, _ update: Realm.UpdatePolicy) {
        if update != .error, access.model.primaryKeyIndex == nil {
            misuse("'\(access.model.className)' does not have a primary key and can not be updated")
        }
    }

    // MARK: - Deleting

    func delete(_ object: ObjectBase) {
        guard object._instance === self, object._header != nil else {
            misuse("Can only delete an object from the Realm it belongs to.")
        }
        // Nil where somebody else has deleted it: by a query, a rule, or another accessor.
        let access = object._livingAccess()
        checkTransaction()
        access?.delete(object._key)
    }

    /// Deletes objects in batches: neighbours of one class together.
    func delete(_ objects: some Sequence<ObjectBase>) {
        var keys: [ObjectKey] = []
        var access: _ClassAccess?
        for object in objects {
            guard object._instance === self, object._header != nil else {
                misuse("Can only delete an object from the Realm it belongs to.")
            }
            guard let next = object._livingAccess() else { continue }
            if let access, access !== next {
                access.delete(keys)
                keys = []
            }
            access = next
            keys.append(object._key)
        }
        checkTransaction()
        access?.delete(keys)
    }

    func deleteAll() {
        checkThread()
        checkTransaction()
        transaction.deleteAll(leavingGhosts: leavesGhosts)
        rowsDeleted()
    }
}

extension PrimaryKey {
    /// The key as a message names it.
    var shown: String {
        switch self {
        case .null: "(null)"
        case .int(let value): String(value)
        case .string(let value): value
        case .objectId(let id): ObjectId(id).stringValue
        case .uuid(let id): "\(UUID(id))"
        case .container: "(embedded)"
        }
    }
}
