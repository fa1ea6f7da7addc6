import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Objects created plainly, many at once: their columns go into the tables as they come from the wire.

extension Merging {
    /// Creates the objects of a changeset's runs, in order, up to the first run that names an object which exists or
    /// was deleted: the rest is handled create by create. Returns how many runs and objects it created.
    ///
    /// It creates none if a create could be refused, because a refusal covers everything else about the object too.
    /// That is so where a create does not fit the schema or comes after other operations, and where the writer may not
    /// write everything.
    func create(
        _ changeset: Changeset, _ check: OperationCheck, _ permissions: Permissions?
    ) throws(StoreFailure) -> (runs: Int, objects: Int) {
        var made = (runs: 0, objects: 0)
        guard !changeset.creations.isEmpty, AccessJudge.rules(permissions, self) == nil,
            !changeset.others.contains(where: \.isCreate)
        else { return made }
        var checked: [(plan: ClassPlan, columns: [Int])] = []
        for run in changeset.creations {
            guard run.life == 1, let plan = catalog[run.className], let columns = check.columns(of: run, plan) else {
                return made
            }
            checked.append((plan, columns))
        }
        for (run, (plan, columns)) in zip(changeset.creations, checked) {
            guard try create(run, plan, columns, changeset.stamp) else { break }
            made = (made.runs + 1, made.objects + run.count)
        }
        return made
    }

    /// Returns false, with nothing done, when the objects must be handled one by one.
    private func create(
        _ run: CreationRun, _ plan: ClassPlan, _ columns: [Int], _ stamp: Stamp
    ) throws(StoreFailure) -> Bool {
        // In a class with forgotten tombstones ghost rows lie within the runs of others, where their objects once were.
        guard !touchedClasses.contains(plan.number), try !hasEnds(plan),
            try forgotten(plan.number).version == .zero, let keys = NewKeys(run.keys, plan.schema)
        else { return false }
        let table = table(plan.number)
        guard let rows = try? table.beginRows(keys) else { return false }
        var values = [SparseColumn?](repeating: nil, count: plan.schema.properties.count)
        var stamps = ObjectStamps(life: 1, bornVersion: version, creation: stamp)
        for (field, column) in zip(run.fields, columns) {
            values[column] = field.values
            if field.isDefault { stamps.defaults.insert(column) } else { stamps.written.insert(column) }
        }
        for place in table.fill(rows, keys, with: values) { save(stamps, of: place, plan.number) }
        return true
    }
}
