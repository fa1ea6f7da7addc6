import CausewayObjectStore
import CausewayMerge
import CausewayModel

/// A text inside an object whose edits by several devices merge by character.
///
/// ```swift
/// class Note: Object {
///     @Persisted(primaryKey: true) var id: ObjectId
///     @Persisted var body: Text
/// }
/// try realm.write {
///     note.body.append("Milk")
///     note.body.insert("Oat ", at: 0)
/// }
/// ```
///
/// A `String` property holds the last assignment. A `Text` keeps what everybody typed: runs that two devices type at
/// the same place stand one after the other and never interleave. What one device deletes is gone, and what another
/// adds beside it stays. Without sync it is a string that is edited in place.
///
/// Places count Unicode scalars, so 👍🏽 has two. All devices count the same, whatever version of Unicode they know, and
/// no edit can cut a scalar. ``offset(of:)`` and ``index(at:)`` convert from and to indices of a Swift string,
/// `utf16Offset(of:)` and `offset(ofUTF16:)` to and from offsets of text views.
///
/// The text of an unmanaged object holds its own string. It becomes managed and live together with its object. The text
/// of a managed object can be changed only in a write transaction. Places out of bounds stop the program. Queries
/// compare it as a string.
public final class Text {
    enum State {
        case unmanaged(String)
        case managed(ManagedText)
        /// Part of a key path that is being recorded.
        case tracing
    }

    // Exclusivity is not checked: a text is confined to one thread, and its state is never passed inout.
    @exclusivity(unchecked) private(set) var state: State

    /// Creates an empty unmanaged text.
    public convenience init() {
        self.init("")
    }

    /// Creates an unmanaged text.
    public init(_ string: String) {
        state = .unmanaged(string)
    }

    init(state: State) {
        self.state = state
    }

    func become(_ text: ManagedText) {
        state = .managed(text)
    }

    var managed: ManagedText? {
        if case .managed(let text) = state { text } else { nil }
    }

    // MARK: - Reading

    /// The content. Assigning makes only the edits that lead to the new content, as ``replace(with:)`` does.
    ///
    /// ```swift
    /// print(note.body.string)
    /// try realm.write { note.body.string = "Oat milk" }
    /// ```
    ///
    /// - Complexity: O(n)
    public var string: String {
        get {
            switch state {
            case .unmanaged(let string): string
            case .managed(let text): text.string
            case .tracing: ""
            }
        }
        set { replace(with: newValue) }
    }

    /// The number of Unicode scalars.
    ///
    /// ```swift
    /// if note.body.count > 280 { print("too long") }
    /// ```
    ///
    /// - Complexity: O(n); for a managed text that is long and was edited, O(n / 4,000)
    public var count: Int { managed?.count ?? string.scalarCount }

    /// Whether there are no characters.
    ///
    /// ```swift
    /// if note.body.isEmpty { print("nothing yet") }
    /// ```
    public var isEmpty: Bool { count == 0 }

    /// The Realm that the text's object belongs to; nil for an unmanaged one.
    public var realm: Realm? { managed.map { Realm(instance: $0.instance) } }

    /// Whether the text can no longer be used: its object was deleted, or its Realm was invalidated.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }

    /// Whether the text belongs to a frozen Realm, and never changes.
    public var isFrozen: Bool { managed?.instance.isFrozen ?? false }

    /// The scalars of a range, as a string.
    ///
    /// ```swift
    /// let beginning = note.body.substring(0..<4)
    /// ```
    ///
    /// - Complexity: O(n); for a managed text that is long and was edited, O(k + n / 4,000), with k scalars in the range
    public func substring(_ range: Range<Int>) -> String {
        if let managed {
            checkPlaces(range, in: managed.count)
            return managed.string(in: range)
        }
        let scalars = string.unicodeScalars
        checkPlaces(range, in: scalars.count)
        let start = scalars.index(scalars.startIndex, offsetBy: range.lowerBound)
        return String(scalars[start..<scalars.index(start, offsetBy: range.count)])
    }

    // MARK: - Places

    /// The place of an index of ``string``, rounded down to a scalar.
    ///
    /// ```swift
    /// let string = note.body.string
    /// if let found = string.range(of: "Milk") {
    ///     let place = note.body.offset(of: found.lowerBound)
    ///     try realm.write { note.body.insert("Oat ", at: place) }
    /// }
    /// ```
    public func offset(of index: String.Index) -> Int {
        let scalars = string.unicodeScalars
        return scalars.distance(from: scalars.startIndex, to: scalars.index(before: scalars.index(after: index)))
    }

    /// The index of ``string`` at a place.
    ///
    /// ```swift
    /// let beginning = note.body.string[..<note.body.index(at: 4)]
    /// ```
    public func index(at offset: Int) -> String.Index {
        let scalars = string.unicodeScalars
        checkPlaces(offset..<offset, in: scalars.count)
        return scalars.index(scalars.startIndex, offsetBy: offset)
    }

    /// The place at an offset in UTF-16 units, as `NSRange` counts. Inside a surrogate pair it is that of the scalar.
    ///
    /// ```swift
    /// let selection = NSRange(location: 2, length: 0)    // of a text view
    /// let place = note.body.offset(ofUTF16: selection.location)
    /// ```
    public func offset(ofUTF16 units: Int) -> Int {
        var (left, offset) = (units, 0)
        for scalar in string.unicodeScalars {
            left -= UTF16.width(scalar)
            if left < 0 { break }
            offset += 1
        }
        return offset
    }

    /// The number of UTF-16 units before a place.
    ///
    /// ```swift
    /// let cursor = NSRange(location: note.body.utf16Offset(of: 4), length: 0)
    /// ```
    public func utf16Offset(of offset: Int) -> Int {
        string.unicodeScalars.prefix(offset).reduce(0) { $0 + UTF16.width($1) }
    }

    // MARK: - Changing

    /// Inserts text before the scalar at a place; at `count` it appends.
    ///
    /// ```swift
    /// try realm.write { note.body.insert("Oat ", at: 0) }
    /// ```
    ///
    /// - Complexity: O(k + n / 4,000), with k characters inserted, for a managed text of more than 4 KiB; otherwise O(n)
    public func insert(_ text: String, at offset: Int) {
        checkPlaces(offset..<offset, in: count)
        if !text.isEmpty { edit(.insert(text, at: offset)) }
    }

    /// Appends text.
    ///
    /// ```swift
    /// try realm.write { note.body.append("!") }
    /// ```
    public func append(_ text: String) {
        if !text.isEmpty { edit(.insert(text, at: count)) }
    }

    /// Removes the scalars of a range.
    ///
    /// ```swift
    /// try realm.write { note.body.remove(0..<4) }
    /// ```
    public func remove(_ range: Range<Int>) {
        checkPlaces(range, in: count)
        if !range.isEmpty { edit(.remove(range)) }
    }

    /// Removes everything; in a write transaction when the text is managed.
    ///
    /// ```swift
    /// try realm.write { note.body.removeAll() }
    /// ```
    public func removeAll() {
        remove(0..<count)
    }

    /// Replaces the scalars of a range by text.
    ///
    /// ```swift
    /// try realm.write { note.body.replaceSubrange(0..<4, with: "Oats") }
    /// ```
    public func replaceSubrange(_ range: Range<Int>, with text: String) {
        checkPlaces(range, in: count)
        // The insertion comes first: the new text stands where the old one began, whatever others add behind it.
        if !text.isEmpty { edit(.insert(text, at: range.lowerBound)) }
        let start = range.lowerBound + text.unicodeScalars.count
        if !range.isEmpty { edit(.remove(start..<start + range.count)) }
    }

    /// Replaces the content with as small edits as possible, so that edits of others elsewhere in the text merge.
    ///
    /// ```swift
    /// try realm.write { note.body.replace(with: "Oat milk, bread") }
    /// ```
    ///
    /// - Complexity: O(n), plus the square of a stretch that differs, for stretches up to 512 scalars
    public func replace(with string: String) {
        if case .managed(let text) = state { text.checkWritable() }
        for edit in TextDifference.edits(from: self.string, to: string) { self.edit(edit) }
    }

    private func edit(_ edit: TextEdit) {
        switch state {
        case .unmanaged(let string): state = .unmanaged(string.applying(edit))
        case .managed(let text): text.edit(edit)
        case .tracing: break
        }
    }

    private func checkPlaces(_ range: Range<Int>, in count: Int) {
        guard range.lowerBound >= 0 else { misuse("Cannot pass a negative value") }
        guard range.upperBound <= count else {
            misuse("Index \(range.upperBound) is out of bounds (must be at most \(count)).")
        }
    }
}

// MARK: - Freezing

extension Text {
    /// The text as it is now. It never changes and may be read on any thread. An unmanaged text stops the program.
    ///
    /// ```swift
    /// let frozen = note.body.freeze()
    /// ```
    public func freeze() -> Text {
        guard let managed else { misuse("Unmanaged objects cannot be frozen.") }
        return Text(state: .managed(managed.frozen))
    }

    /// The live form of a frozen text, in the Realm of the caller's thread; nil when its object has been deleted. A
    /// live text returns itself.
    ///
    /// ```swift
    /// let live = note.body.freeze().thaw()
    /// ```
    public func thaw() -> Text? {
        guard let managed else { misuse("Unmanaged objects cannot be thawed.") }
        guard managed.instance.isFrozen else { return self }
        return managed.thawed.map { Text(state: .managed($0)) }
    }
}

// MARK: - As a value

extension Text: ExpressibleByStringLiteral {
    public convenience init(stringLiteral value: String) {
        self.init(value)
    }
}

extension Text: CustomStringConvertible {
    public var description: String { string }
}

extension Text: Equatable {
    /// Whether two texts hold the same characters now.
    public static func == (left: Text, right: Text) -> Bool { left === right || left.string == right.string }
}

extension Text: Codable {
    public convenience init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(string)
    }
}
