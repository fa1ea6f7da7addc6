import CausewayQuery
public import Foundation

/// A query to subscribe to: all objects of a class, or those that match a condition.
///
/// ```swift
/// QuerySubscription<Flight>()
/// QuerySubscription<Flight>(name: "to Los Angeles") { $0.origin == "JFK" && $0.dest == "LAX" }
/// QuerySubscription<Flight>(where: "delay > %@", 60)
/// ```
///
/// A condition may use the object's own properties and those of its embedded objects. The server rejects a path through
/// a link to another object, because the result would depend on other subscriptions.
public struct QuerySubscription<T: Object> {
    let name: String?
    /// The condition with stored names, or the error in its format string.
    let predicate: Result<CausewayQuery.Predicate, Realm.Error>

    /// Creates a query with a condition that the compiler checks. Without a condition it matches all objects.
    ///
    /// ```swift
    /// let all = QuerySubscription<Dog>()
    /// let puppies = QuerySubscription<Dog>(name: "puppies") { $0.age < 2 }
    /// ```
    public init(name: String? = nil, query: ((Query<T>) -> Query<Bool>)? = nil) {
        self.name = name
        let condition = query.map { $0(Query<T>()).condition } ?? .constant(true)
        predicate = .success(condition.withStoredNames(ObjectModel.of(T.self)))
    }

    /// Creates a query from a format string. If it cannot be parsed, the update that adds the query fails.
    ///
    /// ```swift
    /// let puppies = QuerySubscription<Dog>(name: "puppies", where: "age < %@", 2)
    /// ```
    public init(name: String? = nil, where predicateFormat: String, _ arguments: Any...) {
        self.name = name
        do {
            let condition = try CausewayQuery.Predicate.parse(predicateFormat, arguments: queryArguments(arguments))
            predicate = .success(condition.withStoredNames(ObjectModel.of(T.self)))
        } catch {
            predicate = .failure(Realm.Error(.subscriptionFailed, "\(error)"))
        }
    }

    /// Creates a query from a predicate: one made from a format string, a constant, or a compound of these.
    ///
    /// ```swift
    /// let puppies = QuerySubscription<Dog>(where: NSPredicate(format: "age < 2"))
    /// ```
    public init(name: String? = nil, where predicate: NSPredicate) {
        self.name = name
        self.predicate = .success(CausewayQuery.Predicate(predicate).withStoredNames(ObjectModel.of(T.self)))
    }

    /// Creates a query from a predicate of Foundation. A part of it that no query has stops the program.
    ///
    /// ```swift
    /// let puppies = QuerySubscription<Dog>(name: "puppies", where: #Predicate<Dog> { $0.age < 2 })
    /// ```
    public init(name: String? = nil, where predicate: Foundation.Predicate<T>) {
        self.name = name
        self.predicate = .success(translated(predicate).withStoredNames(ObjectModel.of(T.self)))
    }
}
