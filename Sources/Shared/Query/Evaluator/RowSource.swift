package import CausewayModel

/// One object as the row evaluator sees it: whoever holds objects in a form of their own lets queries run on them.
///
/// Class names and property indices are those of the schema the predicate was bound to.
package protocol RowSource {
    /// The value of a property that is no collection. A link is `.object` or `.link`, whichever the source has;
    /// a property that is not known is `.null`.
    func value(of property: Int, in className: String) -> Value

    /// The elements of a list, in order.
    func elements(of property: Int, in className: String) -> [Value]

    /// The objects of a class whose property links to this one, once for each link; with no class, all that link to it.
    ///
    /// A source that cannot know answers none: whoever has such a source refuses predicates that ask
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

    package func nested(in value: Value) -> NestedContent? { nil }

    package func namesSameObject(_ left: Value, _ right: Value, in target: String) -> Bool {
        left == right
    }
}
