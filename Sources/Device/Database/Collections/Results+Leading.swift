// The beginning of results, found without the rest where that is possible.

extension Results {
    /// The first element, or nil.
    ///
    /// ```swift
    /// let oldest = realm.objects(Dog.self).sorted(by: \.age, ascending: false).first
    /// ```
    ///
    /// - Complexity: What finding the first match costs. Of sorted results, what finding all matches costs, and the rest
    ///   is not put in order.
    public var first: Element? { isEmpty ? nil : self[0] }

    /// Whether there is no element.
    ///
    /// ```swift
    /// if dogs.where({ $0.age < 2 }).isEmpty { print("no puppies") }
    /// ```
    ///
    /// - Complexity: What finding the first match costs; as ``first`` where results are sorted.
    public var isEmpty: Bool { source.leading(1).count == 0 }

    /// The first elements, live.
    ///
    /// ```swift
    /// let threeOldest = dogs.sorted(by: \.age, ascending: false).prefix(3)
    /// ```
    ///
    /// - Complexity: What finding that many matches costs. Of sorted results, what finding all matches costs; up to a
    ///   thousand of them come without putting the rest in order.
    public func prefix(_ maxLength: Int) -> Slice<Results> {
        precondition(maxLength >= 0, "Can't take a prefix of negative length from a collection")
        return Slice(base: self, bounds: 0..<Swift.min(maxLength, source.leading(maxLength).count))
    }
}
