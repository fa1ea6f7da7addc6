package import CausewayModel

/// One object as the row evaluator sees it. Types that hold objects in a form of their own adopt it, so that queries
/// run on them.
///
/// Class names and property indices are those of the schema the predicate was bound to.
package protocol RowSource {
    /// The value of a property that is no collection. A link is `.object` or `.link`, whichever the source has;
    /// a property that is not known is `.null`.
    func value(of property: Int, in className: String) -> Value

    /// The elements of a list, in order. The complement of a property's number stands for the keys of a map.
    func elements(of property: Int, in className: String) -> [Value]

    /// The objects of a class whose property links to this one, once for each link; with no class, all that link to it.
    ///
    /// A source that cannot know returns none. Its owner refuses predicates that ask
    /// (``BoundPredicate/usesLinks(in:)``).
    func origins(of property: Int, in className: String?) -> [Value]

    /// What a mixed value holds when it is a list or a dictionary; nil for any other.
    func nested(in value: Value) -> NestedContent?

    /// The object a link value leads to; nil when it is not here or no longer alive.
    func object(at link: Value, in target: String) -> Self?

    /// Whether two link values of one target class name the same object. Only sources that mix `.object` and `.link`
    /// need their own answer.
    func namesSameObject(_ left: Value, _ right: Value, in target: String) -> Bool
}

extension RowSource {
    package func origins(of property: Int, in className: String?) -> [Value] { [] }

    /// For sources to which a collection in a mixed value is an object like others.
    package func nested(in value: Value) -> NestedContent? {
        guard case .anyLink(let link) = value, let kind = NestedCollection(className: link.className),
            let row = object(at: .link(link.key), in: link.className)
        else { return nil }
        let column = NestedCollection.column
        let values = row.elements(of: column, in: link.className)
        guard kind == .map else { return .list(values) }
        let names = row.elements(of: ~column, in: link.className).map { name in
            if case .string(let name) = name { name } else { "" }
        }
        return .map(names, values)
    }

    package func namesSameObject(_ left: Value, _ right: Value, in target: String) -> Bool {
        left == right
    }
}
