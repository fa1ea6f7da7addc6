package import CausewayModel
package import CausewayQuery

extension Transaction {
    /// The first of each combination of values at the end of to-one paths, in the order of the keys. Null is a value.
    ///
    /// NaN is equal to nothing, so every object with one stays; -0.0 equals 0.0; strings are equal as Unicode has it.
    ///
    /// - Complexity: O(n).
    package func distinct(_ keys: [ObjectKey], _ className: String, by paths: [BoundPath]) -> [ObjectKey] {
        guard let table = table(className), !paths.isEmpty, keys.count > 1 else { return keys }
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
