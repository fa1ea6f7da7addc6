public import Foundation

// The macro asks for a function of this name for `$0.map["key"]`. Foundation has one for dictionaries only.

extension PredicateExpressions {
    /// Makes the subscript of a `Map` in a `#Predicate`. The key must be a constant.
    ///
    /// ```swift
    /// let found = dogs.filter(#Predicate<Dog> { $0.favoriteParksByCity["Chicago"] == "Jackson Park" })
    /// ```
    public static func build_subscript<
        Root: PredicateExpression, Key: _MapKey & Sendable, Element: RealmCollectionValue
    >(
        _ root: Root, _ key: Value<Key>
    ) -> KeyPath<Root, Element?> where Root.Output == Map<Key, Element> {
        KeyPath(root: root, keyPath: \Map<Key, Element>.[key.value])
    }
}
