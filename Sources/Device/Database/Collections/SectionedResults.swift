public import Dispatch
public import Foundation

/// What `SectionedResults` and `ResultsSection` have in common: live, ordered, confined to their Realm.
///
/// ```swift
/// func keep<Sections: RealmSectionedResult>(_ sections: Sections) -> NotificationToken {
///     sections.observe(keyPaths: nil, on: nil) { change in print(change) }
/// }
/// ```
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined {
    /// Whether it belongs to a frozen Realm.
    var isFrozen: Bool { get }

    /// What it is now, unchanging and readable on every thread.
    func freeze() -> Self

    /// The live form of a frozen one, in a Realm of the calling thread; nil when it is no longer there.
    func thaw() -> Self?

    /// Calls the block once with what there is, and then with every change; see `RealmCollection`.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken
}

/// The elements of a collection in sections, live: each section has a key, and the elements whose key it is.
///
/// ```swift
/// let dogs = realm.objects(Dog.self).sectioned(by: \.firstLetter, ascending: true)
/// for section in dogs {
///     print(section.key, section.map(\.name))
/// }
/// ```
///
/// Sections are found when they are asked for, and follow every later change. They stand in the order in which their keys
/// first appear among the sorted elements.
///
/// - Complexity: O(n) for n elements after a change; then O(1) an access.
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    RealmSectionedResult, CustomStringConvertible
{
    /// A section.
    public typealias Element = ResultsSection<Key, SectionElement>

    let source: SectionSource<Key, SectionElement>

    init(_ source: SectionSource<Key, SectionElement>) {
        self.source = source
    }

    /// The keys of all sections, in their order.
    ///
    /// ```swift
    /// dogs.sectioned(by: \.firstLetter).allKeys    // ["F", "R", "S", "W"]
    /// ```
    public var allKeys: [Key] { source.current.keys }

    /// The first position, zero.
    public var startIndex: Int { 0 }

    /// The position after the last one.
    public var endIndex: Int { count }

    /// How many sections there are.
    public var count: Int { source.current.keys.count }

    /// A section by its position.
    public subscript(index: Int) -> ResultsSection<Key, SectionElement> {
        let keys = source.current.keys
        checkBounds(index, keys.count)
        return ResultsSection(source, key: keys[index])
    }

    /// An element by its section's position and its position there, as tables on screen ask for it.
    ///
    /// ```swift
    /// sections[IndexPath(item: 0, section: 2)]
    /// ```
    public subscript(indexPath: IndexPath) -> SectionElement {
        self[indexPath.section][indexPath.item]
    }

    /// The Realm that manages it; nil for an unmanaged one.
    public var realm: Realm? { Realm(instance: source.source.instance) }

    /// Whether it can no longer be used: what it belongs to was deleted, or its Realm invalidated.
    public var isInvalidated: Bool { source.source.isInvalidated }

    /// Whether it belongs to a frozen Realm, and never changes.
    public var isFrozen: Bool { source.source.instance.isFrozen }

    /// The sections as they are now, never to change; they may be read on any thread.
    ///
    /// ```swift
    /// let frozen = sections.freeze()
    /// ```
    public func freeze() -> SectionedResults {
        source.source.check()
        return isFrozen ? self : SectionedResults(source.moved(to: source.source.instance.frozen()))
    }

    /// The live sections of frozen ones, in the Realm of where the caller runs; nil when the object whose elements they are
    /// has been deleted. Live sections are themselves.
    ///
    /// ```swift
    /// let live = sections.freeze().thaw()
    /// ```
    public func thaw() -> SectionedResults? {
        guard isFrozen else { return self }
        let moved = source.moved(to: source.source.instance.thawed())
        return moved.source.hasOrigin ? SectionedResults(moved) : nil
    }

    /// The sections with their keys, as text.
    public var description: String {
        var text = "SectionedResults<\(Key.self), \(SectionElement.self)> (\n"
        for (index, section) in enumerated() {
            text += "\t[\(index)] \(section.description.indentedAfterFirstLine),\n"
        }
        return text + ")"
    }

    /// They are equal when one is a copy of the other.
    public static func == (left: SectionedResults, right: SectionedResults) -> Bool { left.source === right.source }
}

/// One section of a `SectionedResults`, live: the elements that have its key now.
///
/// ```swift
/// let section: ResultsSection<String, Dog> = realm.objects(Dog.self).sectioned(by: \.firstLetter)[0]
/// print(section.key, section.count, section.first?.name ?? "")
/// ```
///
/// A section is known by its key, not by its position. It is empty while no element has the key.
public struct ResultsSection<Key: _Persistable & Hashable, Element: RealmCollectionValue>: RealmSectionedResult,
    Identifiable, CustomStringConvertible
{
    let source: SectionSource<Key, Element>

    /// What the elements of the section have in common.
    public let key: Key

    init(_ source: SectionSource<Key, Element>, key: Key) {
        self.source = source
        self.key = key
    }

    /// The key, by which lists on screen tell sections apart.
    ///
    /// ```swift
    /// let letters = sections.map(\.id)
    /// ```
    public var id: Key { key }

    private var positions: [Int] {
        let sections = source.current
        return sections.index(of: key).map { sections.positions[$0] } ?? []
    }

    /// The first position, zero.
    public var startIndex: Int { 0 }

    /// The position after the last one.
    public var endIndex: Int { count }

    /// How many elements the section has.
    public var count: Int { positions.count }

    /// An element by its position in the section.
    public subscript(index: Int) -> Element {
        let positions = positions
        checkBounds(index, positions.count)
        return source.element(positions[index])
    }

    /// Goes over the elements that the section has when the loop begins.
    public func makeIterator() -> RealmCollectionIterator<Element> {
        RealmCollectionIterator(source.elements(under: key))
    }

    /// The Realm that manages it; nil for an unmanaged one.
    public var realm: Realm? { Realm(instance: source.source.instance) }

    /// Whether it can no longer be used: what it belongs to was deleted, or its Realm invalidated.
    public var isInvalidated: Bool { source.source.isInvalidated }

    /// Whether it belongs to a frozen Realm, and never changes.
    public var isFrozen: Bool { source.source.instance.isFrozen }

    /// The section as it is now, never to change; it may be read on any thread.
    ///
    /// ```swift
    /// let frozen = sections[0].freeze()
    /// ```
    public func freeze() -> ResultsSection { ResultsSection(SectionedResults(source).freeze().source, key: key) }

    /// The live section of a frozen one, in the Realm of where the caller runs; nil when the object whose elements it has was
    /// deleted. A live section is itself.
    ///
    /// ```swift
    /// let live = sections[0].freeze().thaw()
    /// ```
    public func thaw() -> ResultsSection? {
        SectionedResults(source).thaw().map { ResultsSection($0.source, key: key) }
    }

    /// The sections with their keys, as text.
    public var description: String {
        var text = "ResultsSection<\(Element.self)> \(key) (\n"
        for (position, element) in enumerated() {
            let line = describeElement(element, depth: 4)
            text += "\t[\(position)] \(line),\n"
        }
        return text + ")"
    }

    /// They are equal when one is a copy of the other.
    public static func == (left: ResultsSection, right: ResultsSection) -> Bool {
        left.source === right.source && left.key == right.key
    }
}

#if !canImport(UIKit) && !canImport(AppKit)
    // Where tables on screen are at home, these come with them.
    extension IndexPath {
        /// The place of an element in a section.
        ///
        /// ```swift
        /// IndexPath(item: 0, section: 2)
        /// ```
        public init(item: Int, section: Int) {
            self.init(indexes: [section, item])
        }

        /// The place of a row in a section: `item` by another name.
        public init(row: Int, section: Int) {
            self.init(indexes: [section, row])
        }

        /// The position of the section.
        public var section: Int {
            get { self[0] }
            set { self[0] = newValue }
        }

        /// The position in the section.
        public var item: Int {
            get { self[1] }
            set { self[1] = newValue }
        }

        /// The position in the section.
        ///
        /// ```swift
        /// print(IndexPath(row: 0, section: 2).row)    // 0
        /// ```
        public var row: Int {
            get { self[1] }
            set { self[1] = newValue }
        }
    }
#endif
