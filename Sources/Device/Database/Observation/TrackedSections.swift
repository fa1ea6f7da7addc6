public import Observation

/// Sections, or one section, for the Observation framework. Reads are tracked, and a commit that changes them notifies
/// the readers.
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
/// `tracked()` of `SectionedResults` and of `ResultsSection` makes one. It reads like an array and always has their
/// current content. `onChange` is called where the Realm is confined to, after the Realm has moved to the commit.
public final class TrackedSections<Base: RandomAccessCollection>: Observable, RandomAccessCollection
where Base.Index == Int {
    private let tracking: Tracking<Base>

    fileprivate init(_ tracking: Tracking<Base>) {
        self.tracking = tracking
    }

    /// The sections, or the section, themselves; tracked.
    ///
    /// ```swift
    /// let sections = dogs.sectioned(by: \.firstLetter, ascending: true).tracked()
    /// print(sections.base.allKeys)
    /// ```
    public var base: Base { tracking.shown }

    /// The first position: zero.
    public var startIndex: Int { 0 }

    /// The number of elements; tracked.
    public var endIndex: Int { base.endIndex }

    /// The element at a position; tracked.
    public subscript(position: Int) -> Base.Element { base[position] }
}

@available(*, unavailable)
extension TrackedSections: Sendable {}

extension SectionedResults {
    /// Makes ``TrackedSections`` of the sections, for the Observation framework.
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

    /// The same for properties as key paths that the compiler checks.
    ///
    /// ```swift
    /// let sections = dogs.sectioned(by: \.firstLetter, ascending: true).tracked(keyPaths: [\Dog.name])
    /// ```
    public func tracked<Root: ObjectBase>(keyPaths: [PartialKeyPath<Root>]) -> TrackedSections<SectionedResults> {
        tracked(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

extension ResultsSection {
    /// Makes ``TrackedSections`` of this section, for the Observation framework. Changes in other sections are ignored.
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

    /// The same for properties as key paths that the compiler checks.
    ///
    /// ```swift
    /// let first = sections[0].tracked(keyPaths: [\Dog.name])
    /// ```
    public func tracked<Root: ObjectBase>(keyPaths: [PartialKeyPath<Root>]) -> TrackedSections<ResultsSection> {
        tracked(keyPaths: keyPaths.map { _name(for: $0) })
    }
}
