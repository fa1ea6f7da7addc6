public import Observation

/// Sections, or one section, for the Observation framework: reading them is tracked, and a commit that changes them is told.
///
/// ```swift
/// let sections = realm.objects(Dog.self).sectioned(by: \.firstLetter, ascending: true).tracked()
/// withObservationTracking {
///     for section in sections { show(section.key, section.map(\.name)) }
/// } onChange: {
///     redrawSoon()    // once, when sections or their elements came, went or were modified
/// }
/// ```
///
/// `SectionedResults` and `ResultsSection` make one with `tracked()`. It is read as an array is, and always shows what they
/// show. `onChange` is called where the Realm lives, when the Realm has moved to the commit.
public final class TrackedSections<Base: RandomAccessCollection>: Observable, RandomAccessCollection
where Base.Index == Int {
    private let tracking: Tracking<Base>

    fileprivate init(_ tracking: Tracking<Base>) {
        self.tracking = tracking
    }

    /// The sections, or the section, themselves; reading them is tracked.
    ///
    /// ```swift
    /// let sections = dogs.sectioned(by: \.firstLetter, ascending: true).tracked()
    /// print(sections.base.allKeys)
    /// ```
    public var base: Base { tracking.shown }

    /// Zero.
    public var startIndex: Int { 0 }

    /// How many elements there are, tracked.
    public var endIndex: Int { base.endIndex }

    /// The element at a position, tracked.
    public subscript(position: Int) -> Base.Element { base[position] }
}

@available(*, unavailable)
extension TrackedSections: Sendable {}

extension SectionedResults {
    /// The sections for the Observation framework. See ``TrackedSections``.
    ///
    /// ```swift
    /// let sections = dogs.sectioned(by: \.firstLetter, ascending: true).tracked()
    /// ```
    ///
    /// - Parameter keyPaths: Only modifications of these properties of the elements count.
    public func tracked(keyPaths: [String]? = nil) -> TrackedSections<SectionedResults> {
        TrackedSections(
            Tracking(self, in: source.source.instance) { [source] instance, state, tell in
                source.observer(in: instance, keyPaths, state, of: nil) { _, _ in tell() }
            })
    }
}

extension ResultsSection {
    /// The section for the Observation framework: what changes in others is not told. See ``TrackedSections``.
    ///
    /// ```swift
    /// let first = sections[0].tracked()
    /// ```
    ///
    /// - Parameter keyPaths: Only modifications of these properties of the elements count.
    public func tracked(keyPaths: [String]? = nil) -> TrackedSections<ResultsSection> {
        TrackedSections(
            Tracking(self, in: source.source.instance) { [source, key] instance, state, tell in
                source.observer(in: instance, keyPaths, state, of: key) { _, _ in tell() }
            })
    }
}
