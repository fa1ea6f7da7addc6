import CausewayModel
import CausewayQuery

/// Keys that stand together in an array and lie in one leaf. Keys usually ascend, so a run is most of a leaf; keys in
/// any other order make runs of one.
struct KeyRun {
    let keys: UnsafeBufferPointer<ObjectKey>
    /// The positions of the run in `keys`.
    let positions: Range<Int>
    /// The leaf; negative for keys that name nothing.
    let number: Int

    @inline(__always)
    func slot(_ position: Int) -> Int { Int(keys[position].rawValue) &- number &* slotsPerLeaf }

    /// Visits the array's runs in order.
    @inline(__always)
    static func forEach(in keys: UnsafeBufferPointer<ObjectKey>, _ body: (KeyRun) -> Void) {
        var position = 0
        while position < keys.count {
            let start = position
            let key = keys[position].rawValue
            let number = key < 0 ? -1 : Int(key) / slotsPerLeaf
            let first = Int64(number &* slotsPerLeaf)
            repeat {
                position &+= 1
            } while position < keys.count
                && UInt64(bitPattern: keys[position].rawValue &- first) < UInt64(slotsPerLeaf)
            // Negative keys that are near each other form a run of no leaf.
            body(KeyRun(keys: keys, positions: start..<position, number: number))
        }
    }
}

extension Table {
    /// The leaf of a run, while it has a layout.
    @inline(__always)
    func leaf(_ column: Int, of run: KeyRun) -> UnsafeRawPointer? {
        run.number < 0 ? nil : leaf(column, run.number)
    }

    /// The targets of a column's links, in the order of the keys. A negative key where a link leads to no object that
    /// is here.
    func targets(_ keys: [ObjectKey], _ column: Int, in target: Table) -> [ObjectKey] {
        keys.withUnsafeBufferPointer { keys in
            [ObjectKey](unsafeUninitializedCapacity: keys.count) { targets, count in
                count = keys.count
                KeyRun.forEach(in: keys) { run in
                    let leaf = leaf(column, of: run).map { IntegerLeaf($0) }
                    for position in run.positions {
                        var linked = ObjectKey(-1)
                        if let leaf, !leaf.isNull(run.slot(position)) {
                            linked = ObjectKey(leaf.value(run.slot(position)))
                            if !target.exists(linked) { linked = ObjectKey(-1) }
                        }
                        targets.initializeElement(at: position, to: linked)
                    }
                }
            }
        }
    }

    /// The table and the keys at the last step of a path of to-one links; nil when a step is no link to a class of the
    /// file.
    func end(of path: BoundPath, from keys: [ObjectKey]) -> (table: Table, keys: [ObjectKey], step: BoundPath.Step)? {
        guard let last = path.steps.last else { return nil }
        var table = self
        var keys = keys
        for step in path.steps.dropLast() {
            guard step.type == .object, let name = step.target, let target = transaction.knownTable(name) else {
                return nil
            }
            keys = table.targets(keys, step.property, in: target)
            table = target
        }
        return (table, keys, last)
    }
}
