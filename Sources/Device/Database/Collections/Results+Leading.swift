// The first elements of results, found without the rest where that is possible.

extension Results {
    /// The first element, or nil.
    ///
    /// ```swift
    /// let oldest = realm.objects(Dog.self).sorted(by: \.age, ascending: false).first
    /// ```
    ///
    /// - Complexity: The cost of finding the first match. For sorted results, the cost of finding all matches, without
    ///   sorting the rest.
    public var first: Element? { isEmpty ? nil : self[0] }

    /// Whether there is no element.
    ///
    /// ```swift
    /// if dogs.where({ $0.age < 2 }).isEmpty { print("no puppies") }
    /// ```
    ///
    /// - Complexity: The cost of finding the first match; for sorted results, that of ``first``.
    public var isEmpty: Bool { source.leading(1).count == 0 }

    /// The first elements, live.
    ///
    /// ```swift
    /// let threeOldest = dogs.sorted(by: \.age, ascending: false).prefix(3)
    /// ```
    ///
    /// - Complexity: The cost of finding that many matches. For sorted results, the cost of finding all matches; up to
    ///   a thousand elements come without sorting the rest.
    public func prefix(_ maxLength: Int) -> Slice<Results> {
        precondition(maxLength >= 0, "Can't take a prefix of negative length from a collection")
        return Slice(base: self, bounds: 0..<Swift.min(maxLength, source.leading(maxLength).count))
    }
}
