package import CausewayQuery

/// Reads a format string that SORT, DISTINCT and LIMIT may end. One that cannot be read is a mistake of the program and
/// stops it.
package func readSelection(_ format: String, _ arguments: [Any?]) -> Selection {
    do {
        return try Selection.parse(format, arguments: queryArguments(arguments))
    } catch {
        misuse("\(error)")
    }
}

extension RealmCollection {
    /// The elements that satisfy the condition, after what SORT, DISTINCT and LIMIT do to them.
    package func _selected(by selection: Selection) -> Results<Element> {
        var source = _filtered(by: selection.predicate)._source
        for step in selection.steps {
            switch step {
            case .sort(let keys):
                source = source.sorted(
                    by: keys.map { SortDescriptor(keyPath: Self.keyPath($0.path), ascending: $0.ascending) })
            case .distinct(let paths): source = source.distinct(by: paths.map { Self.keyPath($0) })
            case .limit(let count): source = source.limited(to: count)
            }
        }
        return Results(source)
    }

    private static func keyPath(_ path: PropertyPath) -> String {
        // Whatever is more than names has no order, and the sort says so.
        path == PropertyPath(path.names) ? path.names.joined(separator: ".") : path.text
    }
}
