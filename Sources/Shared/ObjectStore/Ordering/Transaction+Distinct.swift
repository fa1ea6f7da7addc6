package import CausewayModel
package import CausewayQuery

extension Transaction {
    /// The same as `distinct` over the keys that meet a predicate, or over all keys. Faster for a single property of
    /// the objects themselves that is an integer, link, string or data.
    package func distinct(
        _ className: String, matching predicate: BoundPredicate?, by paths: [BoundPath]
    ) throws(StoreError) -> [ObjectKey] {
        guard let table = table(className), paths.count == 1, paths[0].steps.count == 1,
            paths[0].steps[0].collection == .none, let scan = DistinctScan(table, paths[0].steps[0].property)
        else {
            let keys = try predicate.map { predicate throws(StoreError) in
                try self.keys(className, matching: predicate)
            }
            return distinct(keys ?? table(className)?.allKeys ?? [], className, by: paths)
        }
        if let predicate {
            QueryPlan(table, predicate).run { number, found in
                scan.add(number, found)
                return true
            }
        } else {
            for number in table.leafNumbers { scan.add(number, table.aliveWords(number)) }
        }
        try throwDamage()
        return scan.keys
    }

    /// The first of each combination of values at the end of to-one paths, in the order of the keys. Null is a value; an
    /// object whose path breaks off at an empty link has no value and is left out.
    ///
    /// NaN is equal to nothing, so every object with one stays; -0.0 equals 0.0; strings are equal if their bytes are.
    ///
    /// - Complexity: O(n).
    package func distinct(_ keys: [ObjectKey], _ className: String, by paths: [BoundPath]) -> [ObjectKey] {
        settle()
        guard let table = table(className), !paths.isEmpty, !keys.isEmpty else { return keys }
        let keys = table.reaching(paths, from: keys)
        var rows = DistinctRows(count: keys.count)
        for path in paths {
            guard let (table, keys, step) = table.end(of: path, from: keys), step.collection == .none else { continue }
            rows.add(step.property, of: table, keys, step.type)
        }
        var first: [ObjectKey] = []
        rows.forEachFirst { first.append(keys[$0]) }
        return first
    }
}

extension Table {
    /// The keys from which every path reaches an object that has its property.
    fileprivate func reaching(_ paths: [BoundPath], from keys: [ObjectKey]) -> [ObjectKey] {
        paths.filter { $0.steps.count > 1 }.reduce(keys) { keys, path in
            guard let (_, reached, _) = end(of: path, from: keys) else { return [] }
            return zip(keys, reached).compactMap { $1.rawValue < 0 ? nil : $0 }
        }
    }
}
