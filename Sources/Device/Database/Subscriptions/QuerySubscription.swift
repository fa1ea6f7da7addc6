import CausewayQuery
public import Foundation

/// A query to subscribe to: everything of a class, or what satisfies a condition.
///
/// ```swift
/// QuerySubscription<Flight>()
/// QuerySubscription<Flight>(name: "to Los Angeles") { $0.origin == "JFK" && $0.dest == "LAX" }
/// QuerySubscription<Flight>(where: "delay > %@", 60)
/// ```
///
/// A condition may use the object's own properties and those of its embedded objects. A path through a link to another
/// object is refused by the server: whether that object is here would depend on other subscriptions.
public struct QuerySubscription<T: Object> {
    let name: String?
    /// The condition by stored names, or what is wrong with its text.
    let predicate: Result<CausewayQuery.Predicate, Realm.Error>

    /// What satisfies a condition that the compiler checks; everything when there is none.
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

    /// What satisfies a format string. A text that cannot be read is an error of the update that adds it.
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

    /// What satisfies a predicate made from a format string, or a compound of such.
    ///
    /// ```swift
    /// let puppies = QuerySubscription<Dog>(where: NSPredicate(format: "age < 2"))
    /// ```
    public init(name: String? = nil, where predicate: NSPredicate) {
        self.name = name
        self.predicate = .success(CausewayQuery.Predicate(predicate).withStoredNames(ObjectModel.of(T.self)))
    }
}
