public import Dispatch
public import Foundation

/// The common interface of `SectionedResults` and `ResultsSection`: live, ordered, confined to their Realm.
///
/// ```swift
/// func keep<Sections: RealmSectionedResult>(_ sections: Sections) -> NotificationToken {
///     sections.observe(keyPaths: nil, on: nil) { change in print(change) }
/// }
/// ```
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined {
    /// Whether it belongs to a frozen Realm.
    var isFrozen: Bool { get }

    /// The content as it is now. It never changes and may be read on any thread.
    func freeze() -> Self

    /// The live form of a frozen one, in the Realm of the caller's thread; nil when its owner has been deleted.
    func thaw() -> Self?

    /// Calls the block once with the current content, and then with every change; see `RealmCollection`.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken
}

/// The elements of a collection in sections, live. Each section has a key and contains the elements with that key.
///
/// ```swift
/// let dogs = realm.objects(Dog.self).sectioned(by: \.firstLetter, ascending: true)
/// for section in dogs {
///     print(section.key, section.map(\.name))
/// }
/// ```
///
/// Sections are computed on demand and follow every later change. Their order is the one in which their keys first
/// appear among the sorted elements.
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

    /// The section at a position. A position out of bounds stops the program.
    public subscript(index: Int) -> ResultsSection<Key, SectionElement> {
        let keys = source.current.keys
        checkBounds(index, keys.count)
        return ResultsSection(source, key: keys[index])
    }

    /// The element at a section and a position in it, given as the index path of a UI list.
    ///
    /// ```swift
    /// sections[IndexPath(item: 0, section: 2)]
    /// ```
    public subscript(indexPath: IndexPath) -> SectionElement {
        self[indexPath.section][indexPath.item]
    }

    /// The Realm that it belongs to; never nil.
    public var realm: Realm? { Realm(instance: source.source.instance) }

    /// Whether it can no longer be used: the object it belongs to was deleted, or its Realm was invalidated.
    public var isInvalidated: Bool { source.source.isInvalidated }

    /// Whether it belongs to a frozen Realm, and never changes.
    public var isFrozen: Bool { source.source.instance.isFrozen }

    /// The sections as they are now. They never change and may be read on any thread.
    ///
    /// ```swift
    /// let frozen = sections.freeze()
    /// ```
    public func freeze() -> SectionedResults {
        source.source.check()
        return isFrozen ? self : SectionedResults(source.moved(to: source.source.instance.frozen()))
    }

    /// The live form of frozen sections, in the Realm of the caller's thread; nil when the object that owns the
    /// elements has been deleted. Live sections return themselves.
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
/// A section is identified by its key, not by its position. It is empty while no element has the key.
public struct ResultsSection<Key: _Persistable & Hashable, Element: RealmCollectionValue>: RealmSectionedResult,
    Identifiable, CustomStringConvertible
{
    let source: SectionSource<Key, Element>

    /// The key that all elements of the section have.
    public let key: Key

    init(_ source: SectionSource<Key, Element>, key: Key) {
        self.source = source
        self.key = key
    }

    /// The key, which identifies the section in UI lists.
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

    /// The element at a position in the section. A position out of bounds stops the program.
    public subscript(index: Int) -> Element {
        let positions = positions
        checkBounds(index, positions.count)
        return source.element(positions[index])
    }

    /// Goes over the elements that the section has when the loop begins.
    public func makeIterator() -> RealmCollectionIterator<Element> {
        RealmCollectionIterator(source.elements(under: key))
    }

    /// The Realm that it belongs to; never nil.
    public var realm: Realm? { Realm(instance: source.source.instance) }

    /// Whether it can no longer be used: the object it belongs to was deleted, or its Realm was invalidated.
    public var isInvalidated: Bool { source.source.isInvalidated }

    /// Whether it belongs to a frozen Realm, and never changes.
    public var isFrozen: Bool { source.source.instance.isFrozen }

    /// The section as it is now. It never changes and may be read on any thread.
    ///
    /// ```swift
    /// let frozen = sections[0].freeze()
    /// ```
    public func freeze() -> ResultsSection { ResultsSection(SectionedResults(source).freeze().source, key: key) }

    /// The live form of a frozen section, in the Realm of the caller's thread; nil when the object that owns the
    /// elements has been deleted. A live section returns itself.
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
    // UIKit and AppKit declare these themselves.
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
