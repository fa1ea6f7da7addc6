import CausewayModel
import CausewayQuery

// Aggregates of managed collections read columns, never objects. Of mixed values the sum and the average take the numbers,
// as decimals, and the smallest and the largest are the ends of the order in which a sort puts them.

extension RealmCollection {
    /// The smallest value of a property; nil when there is none.
    ///
    /// ```swift
    /// let youngest: Int? = dogs.min(ofProperty: "age")
    /// ```
    ///
    /// - Complexity: O(n).
    public func min<T: MinMaxType>(ofProperty property: String) -> T? {
        _aggregated.minimum(of: property)
    }

    /// The largest value of a property; nil when there is none.
    ///
    /// ```swift
    /// let oldest: Int? = dogs.max(ofProperty: "age")
    /// ```
    ///
    /// - Complexity: O(n).
    public func max<T: MinMaxType>(ofProperty property: String) -> T? {
        _aggregated.maximum(of: property)
    }

    /// The sum of a property over all elements; zero when there are none.
    ///
    /// ```swift
    /// let years: Int = dogs.sum(ofProperty: "age")
    /// ```
    ///
    /// Integers wrap around when the sum does not fit in 64 bits. Floats and doubles are added in column order, not in
    /// the order of the elements, so the last bits may differ from a sum made one by one.
    ///
    /// - Complexity: O(n).
    public func sum<T: AddableType>(ofProperty property: String) -> T {
        _aggregated.sum(of: property)
    }

    /// The average of a property over the elements that have a value; nil when none has.
    ///
    /// ```swift
    /// let mean: Double? = dogs.average(ofProperty: "age")
    /// ```
    ///
    /// - Complexity: O(n).
    public func average<T: AddableType>(ofProperty property: String) -> T? {
        _aggregated.average(of: property)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The smallest value of a property; nil when there is none.
    ///
    /// ```swift
    /// let youngest = dogs.min(of: \.age)
    /// ```
    public func min<T: MinMaxType>(of keyPath: KeyPath<Element, T>) -> T? { min(ofProperty: _name(for: keyPath)) }

    /// The smallest value of a property; nil when there is none.
    ///
    /// ```swift
    /// let lightest = dogs.min(of: \.weight)
    /// ```
    public func min<T: MinMaxType>(of keyPath: KeyPath<Element, T?>) -> T? { min(ofProperty: _name(for: keyPath)) }

    /// The largest value of a property; nil when there is none.
    ///
    /// ```swift
    /// let oldest = dogs.max(of: \.age)
    /// ```
    public func max<T: MinMaxType>(of keyPath: KeyPath<Element, T>) -> T? { max(ofProperty: _name(for: keyPath)) }

    /// The largest value of a property; nil when there is none.
    ///
    /// ```swift
    /// let heaviest = dogs.max(of: \.weight)
    /// ```
    public func max<T: MinMaxType>(of keyPath: KeyPath<Element, T?>) -> T? { max(ofProperty: _name(for: keyPath)) }

    /// The sum of a property over all elements; zero when there are none.
    ///
    /// ```swift
    /// let years = dogs.sum(of: \.age)
    /// ```
    public func sum<T: AddableType>(of keyPath: KeyPath<Element, T>) -> T { sum(ofProperty: _name(for: keyPath)) }

    /// The sum of a property over all elements; zero when there are none.
    ///
    /// ```swift
    /// let kilograms = dogs.sum(of: \.weight)
    /// ```
    public func sum<T: AddableType>(of keyPath: KeyPath<Element, T?>) -> T { sum(ofProperty: _name(for: keyPath)) }

    /// The average of a property over the elements that have a value, as a value of the property's type; nil when none has.
    ///
    /// ```swift
    /// dogs.average(of: \.weight)            // Double? of a Double
    /// dogs.average(of: \.age) as Double?    // of an Int, with what follows the point
    /// ```
    public func average<T: AddableType>(of keyPath: KeyPath<Element, T>) -> T? {
        average(ofProperty: _name(for: keyPath))
    }

    /// The average of a property over the elements that have a value; nil when none has.
    ///
    /// ```swift
    /// let mean: Double? = dogs.average(of: \.age)
    /// ```
    @_disfavoredOverload
    public func average<T: AddableType>(of keyPath: KeyPath<Element, T>) -> Double? {
        average(ofProperty: _name(for: keyPath))
    }

    /// The average of a property over the elements that have a value; nil when none has.
    ///
    /// ```swift
    /// let mean = dogs.average(of: \.weight)
    /// ```
    public func average<T: AddableType>(of keyPath: KeyPath<Element, T?>) -> Double? {
        average(ofProperty: _name(for: keyPath))
    }
}

extension RealmCollection where Element: MinMaxType {
    /// The smallest value; nil when there is none.
    ///
    /// ```swift
    /// let worst = person.scores.min()
    /// ```
    public func min() -> Element? { min(ofProperty: "self") }

    /// The largest value; nil when there is none.
    ///
    /// ```swift
    /// let best = person.scores.max()
    /// ```
    public func max() -> Element? { max(ofProperty: "self") }
}

extension RealmCollection where Element: AddableType {
    /// The sum of all values; zero when there are none.
    ///
    /// ```swift
    /// let total = person.scores.sum()
    /// ```
    public func sum() -> Element { sum(ofProperty: "self") }

    /// The average of all values; nil when there are none.
    ///
    /// ```swift
    /// let mean: Double? = person.scores.average()
    /// ```
    public func average<T: AddableType>() -> T? { average(ofProperty: "self") }
}

// MARK: - Optionals

extension RealmCollection where Element: _QueryOptional, Element.Wrapped: MinMaxType {
    /// The smallest value that is not nil; nil when there is none.
    ///
    /// ```swift
    /// let worst = person.marks.min()
    /// ```
    public func min() -> Element.Wrapped? { min(ofProperty: "self") }

    /// The largest value that is not nil; nil when there is none.
    ///
    /// ```swift
    /// let best = person.marks.max()
    /// ```
    public func max() -> Element.Wrapped? { max(ofProperty: "self") }
}

extension RealmCollection where Element: _QueryOptional, Element.Wrapped: AddableType {
    /// The sum of the values that are not nil; zero when there are none.
    ///
    /// ```swift
    /// let total = person.marks.sum()
    /// ```
    public func sum() -> Element.Wrapped { sum(ofProperty: "self") }

    /// The average of the values that are not nil; nil when there are none.
    ///
    /// ```swift
    /// let mean: Double? = person.marks.average()
    /// ```
    public func average<T: AddableType>() -> T? { average(ofProperty: "self") }
}

// MARK: - Types with an order of their own

extension RealmCollection where Element: PersistableEnum {
    /// The smallest case; nil when there is none.
    ///
    /// - Complexity: O(n).
    public func min() -> Element? { Array(self).min() }

    /// The largest case; nil when there is none.
    public func max() -> Element? { Array(self).max() }
}

extension RealmCollection where Element: _CustomPersistable & Comparable {
    /// The smallest value in the order of the type; nil when there is none.
    ///
    /// - Complexity: O(n).
    public func min() -> Element? { Array(self).min() }

    /// The largest value in the order of the type; nil when there is none.
    public func max() -> Element? { Array(self).max() }
}
