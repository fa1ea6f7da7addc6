import CausewayQuery
public import Foundation

extension RealmCollection {
    /// The elements that match a predicate of Foundation.
    ///
    /// ```swift
    /// let city = "Chicago"
    /// let found = people.filter(#Predicate<Person> { person in
    ///     person.address?.city == city && person.dogs.contains { $0.age < 2 }
    /// })
    /// ```
    ///
    /// The results have the objects for which the predicate evaluates to true. Nothing is read until they are used, and
    /// they follow every later change. The query is the one that ``where(_:)`` would make, so indexes serve it, too.
    ///
    /// The closure of a predicate may contain more than a query has, such as `%` or a property that the class computes. A
    /// part that cannot be translated stops the program with a message that names the part.
    public func filter(_ predicate: Foundation.Predicate<Element>) -> Results<Element> {
        _filtered(by: translated(predicate))
    }

    /// The position of the first element that matches a predicate of Foundation, or nil.
    ///
    /// ```swift
    /// let place = dogs.index(matching: #Predicate<Dog> { $0.name == "Rex" })
    /// ```
    public func index(matching predicate: Foundation.Predicate<Element>) -> Int? {
        _firstIndex(matching: translated(predicate))
    }
}

extension RealmKeyedCollection {
    /// The values that match a predicate of Foundation.
    ///
    /// ```swift
    /// let puppies = person.dogsByName.filter(#Predicate<Dog?> { ($0?.age ?? 9) < 2 })
    /// ```
    public func filter(_ predicate: Foundation.Predicate<Value>) -> Results<Value> {
        Results(_source).filter(predicate)
    }
}

/// The condition that a predicate stands for. One that has none is a programming error and stops the program.
func translated<Root>(_ predicate: Foundation.Predicate<Root>) -> CausewayQuery.Predicate {
    do {
        return try CausewayQuery.Predicate(translating: predicate)
    } catch {
        misuse("\(error)")
    }
}
