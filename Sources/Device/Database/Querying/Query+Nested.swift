import CausewayModel
import CausewayQuery

// Typed queries on lists and dictionaries inside mixed values.

extension Query where T == AnyRealmValue {
    /// The element at a position of a list inside the value; nil if there is none.
    ///
    /// ```swift
    /// events.where { $0.details["tags"][0] == .string("late") }
    /// ```
    public subscript(index: Int) -> Query<AnyRealmValue> {
        if index < 0 { misuse("The position \(index) of a list in a query is negative.") }
        return nested(.index(index))
    }

    /// The value of a key of a dictionary inside the value; nil if there is none.
    ///
    /// ```swift
    /// events.where { $0.details["gate"] == .int(12) }
    /// ```
    public subscript(key: String) -> Query<AnyRealmValue> { nested(.key(ExactString(key))) }

    /// All elements of a list or values of a dictionary inside the value. A comparison holds when any of them satisfies
    /// it.
    ///
    /// ```swift
    /// events.where { $0.details["tags"].any == .string("late") }
    /// ```
    public var any: Query<AnyRealmValue> { nested(.any) }

    private func nested(_ step: NestedStep) -> Query<AnyRealmValue> {
        var path = path
        if case .key(let key) = step, path.part == nil, path.nested.isEmpty {
            path.part = .value(key)
        } else {
            path.nested.append(step)
        }
        if step == .any { path.isPlural = true }
        return Query<AnyRealmValue>(.path(path))
    }
}
