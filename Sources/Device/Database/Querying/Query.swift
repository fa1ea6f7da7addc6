import CausewayModel
package import CausewayQuery

/// A condition, or a part of one, that the compiler checks. `where` passes a query to its closure.
///
/// ```swift
/// let puppies = dogs.where { $0.age < 2 && $0.name.starts(with: "B") }
/// let playing = dogs.where { $0.favoriteToy.name == "Tennis ball" }
/// let busy = projects.where { $0.tasks.progressMinutes.sum > 100 }
/// ```
///
/// Members are the properties of the class, also through links, embedded objects and collections. A comparison whose
/// path goes through a collection holds when any element satisfies it. The compiler checks property names, types and
/// operators. Nothing is read from the Realm until the results are used.
@dynamicMemberLookup
public struct Query<T> {
    let part: QueryPart

    init(_ part: QueryPart) {
        self.part = part
    }

    /// A query for the object itself, where every path starts.
    package init() {
        part = .path(QueryPath())
    }
}

/// A part of a query, without its type.
enum QueryPart {
    case path(QueryPath)
    /// A condition and the collections that its paths go through. `count` turns one of them into a subquery.
    case condition(Predicate, over: Set<[String]>, written: WrittenCondition)
    case count(Subquery, elements: WrittenCondition)
}

/// A path of property names that starts at the queried class.
struct QueryPath {
    var names: [String] = []
    /// The part of the map at the end of the names: a key, the keys or the values.
    var part: MapPart?
    /// The steps into a mixed value's lists and dictionaries.
    var nested: [NestedStep] = []
    var aggregate: Aggregate?
    /// Whether the path goes through a collection, so that it names many values.
    var isPlural = false
    /// The names up to the first collection on the path.
    var collection: [String]?

    var expression: Expression {
        var path = PropertyPath(names, part: part, aggregate: aggregate)
        for step in nested { path.append(step) }
        return .path(path)
    }
}

extension Query {
    /// The path that this part names. Stops the program for a condition or a count, which have none.
    var path: QueryPath {
        switch part {
        case .path(let path): return path
        case .condition:
            misuse("A comparison can only be combined with &&, || and !; compare properties instead.")
        case .count:
            misuse("The count of a subquery can only be compared with a constant number.")
        }
    }

    /// The expression of this part in a comparison, and the collection that it goes through.
    var side: (expression: Expression, collection: [String]?) {
        if case .count(let subquery, _) = part { return (.subquery(subquery), nil) }
        return (path.expression, path.collection)
    }

    func appending<V>(_ name: String, _ shape: _PropertyShape, isPlural: Bool = false) -> Query<V> {
        var path = path
        if path.aggregate != nil {
            misuse("The result of an aggregate has no properties. Name the property before '.\(aggregateName(path))'.")
        }
        // A map stands for its values.
        if path.part == .values { path.part = nil }
        if path.part != nil {
            misuse("A key path cannot go on after a key or the keys of a map.")
        }
        // A key path traced over several links comes as one dotted name.
        path.names += name.split(separator: ".").map(String.init)
        path.isPlural = path.isPlural || isPlural || shape.collection != .none
        if shape.collection != .none, path.collection == nil { path.collection = path.names }
        return Query<V>(.path(path))
    }

    private func aggregateName(_ path: QueryPath) -> String {
        path.aggregate.map { "\($0.text.dropFirst())" } ?? ""
    }
}

// MARK: - Members

extension Query where T: ObjectBase {
    /// A property of the object.
    ///
    /// ```swift
    /// let named = dogs.where { $0.name != "" }
    /// ```
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
        appending(_name(for: member), V._shape)
    }
}

extension Query where T: _QueryOptional, T.Wrapped: ObjectBase {
    /// A property of the linked or embedded object. Without such an object, no comparison with a value holds.
    ///
    /// ```swift
    /// let atHome = people.where { $0.address.city == "Chicago" }
    /// ```
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V> {
        appending(_name(for: member), V._shape)
    }
}

extension Query where T: RealmCollection, T.Element: ObjectBase {
    /// A property of each object of the collection.
    ///
    /// ```swift
    /// let owners = people.where { $0.dogs.name == "Rex" }
    /// ```
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> {
        appending(_name(for: member), V._shape, isPlural: true)
    }
}

/// An optional, as a constraint that lets queries use the wrapped type.
public protocol _QueryOptional {
    associatedtype Wrapped
}

extension Optional: _QueryOptional {}

// MARK: - Conditions

extension Query where T == Bool {
    /// The finished condition. A Bool property without an operator means that it is true.
    package var condition: Predicate {
        switch part {
        case .condition(let predicate, _, _): predicate
        case .path, .count: .comparison(Comparison(side.expression, .equal, .value(.bool(true))))
        }
    }

    var collections: Set<[String]> {
        if case .condition(_, let collections, _) = part { return collections }
        return side.collection.map { [$0] } ?? []
    }

    /// Negates a condition.
    ///
    /// ```swift
    /// let others = dogs.where { !$0.name.starts(with: "B") }
    /// ```
    public static prefix func ! (query: Query) -> Query {
        Query(.condition(.not(query.condition), over: query.collections, written: query.written.negated))
    }

    /// Combines two conditions that must both hold.
    ///
    /// ```swift
    /// let found = dogs.where { $0.age < 2 && $0.name.starts(with: "B") }
    /// ```
    public static func && (left: Query, right: Query) -> Query {
        let collections = left.collections.union(right.collections)
        return Query(
            .condition(
                .all(of: [left.condition, right.condition]), over: collections,
                written: .both(left.written, right.written))
        )
    }

    /// Combines two conditions of which at least one must hold.
    ///
    /// ```swift
    /// let found = dogs.where { $0.age < 2 || $0.age > 12 }
    /// ```
    public static func || (left: Query, right: Query) -> Query {
        let collections = left.collections.union(right.collections)
        return Query(
            .condition(
                .any(of: [left.condition, right.condition]), over: collections,
                written: .either(left.written, right.written)))
    }
}
