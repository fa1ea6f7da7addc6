package import CausewayQuery

/// Parses a format string that may end with SORT, DISTINCT and LIMIT. An invalid one is a programming error and stops
/// the program.
package func readSelection(_ format: String, _ arguments: [Any?]) -> Selection {
    do {
        return try Selection.parse(format, arguments: queryArguments(arguments))
    } catch {
        misuse("\(error)")
    }
}

extension RealmCollection {
    /// The elements that match the condition, after applying SORT, DISTINCT and LIMIT.
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
        // A path with more than names cannot be sorted by. The sort reports that with the full text.
        path == PropertyPath(path.names) ? path.names.joined(separator: ".") : path.text
    }
}
