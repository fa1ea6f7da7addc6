/// An integer that several devices can increment and decrement at the same time.
///
/// ```swift
/// class Page: Object {
///     @Persisted(primaryKey: true) var url = ""
///     @Persisted var likes: Counter
/// }
/// try realm.write {
///     page.likes.increment()
///     page.likes += 5
/// }
/// if page.likes > 100 { print("\(page.likes) people like \(page.url)") }
/// ```
///
/// When two devices increment an `Int` offline, one of the two numbers wins. Increments of a counter add up, each
/// exactly once. Assigning a number sets the counter: that discards the increments before it, and also those that
/// others made without having seen it. A counter that two devices create with the same primary key is one counter.
///
/// A counter cannot be optional, and cannot be in a collection. Queries, sorting, indexes and aggregates treat it as an
/// integer, at the same speed. Beyond 64 bits it wraps around, on every device alike.
@frozen
public struct Counter: Sendable {
    /// The count.
    ///
    /// ```swift
    /// print(page.likes.value)
    /// ```
    public let value: Int
    /// What was added since the counter was read from a property; nil for a number that comes from elsewhere.
    @usableFromInline let added: Int?

    @inlinable
    init(value: Int, added: Int?) {
        self.value = value
        self.added = added
    }

    /// Creates a counter with a value.
    ///
    /// ```swift
    /// page.likes = Counter(100)    // sets it; what others add from now on is added to 100
    /// ```
    @inlinable
    public init(_ value: Int = 0) {
        self.init(value: value, added: nil)
    }
}

// MARK: - Counting

extension Counter {
    /// Adds to the counter.
    ///
    /// ```swift
    /// try realm.write { page.likes.increment(by: 5) }
    /// ```
    ///
    /// - Parameter amount: May be negative. The sum wraps around at 64 bits.
    public mutating func increment(by amount: Int = 1) {
        self = Counter(value: value &+ amount, added: added.map { $0 &+ amount })
    }

    /// Subtracts from the counter.
    ///
    /// ```swift
    /// try realm.write {
    ///     page.likes.decrement()
    ///     page.likes -= 5
    /// }
    /// ```
    ///
    /// - Parameter amount: May be negative. The difference wraps around at 64 bits.
    public mutating func decrement(by amount: Int = 1) {
        self = Counter(value: value &- amount, added: added.map { $0 &- amount })
    }

    /// Increments the counter.
    ///
    /// ```swift
    /// try realm.write { page.likes += 5 }
    /// ```
    public static func += (counter: inout Counter, amount: Int) { counter.increment(by: amount) }

    /// Decrements the counter.
    ///
    /// ```swift
    /// try realm.write { page.likes -= 1 }
    /// ```
    public static func -= (counter: inout Counter, amount: Int) { counter.decrement(by: amount) }
}

// MARK: - Reading it as a number

extension Counter: Hashable, Comparable {
    /// Whether both have the same count.
    ///
    /// ```swift
    /// let isTie = page.likes == other.likes
    /// ```
    @inlinable
    public static func == (left: Counter, right: Counter) -> Bool { left.value == right.value }

    /// Whether the first count is lower.
    ///
    /// ```swift
    /// let ranking = [page, other].sorted { $0.likes < $1.likes }
    /// ```
    @inlinable
    public static func < (left: Counter, right: Counter) -> Bool { left.value < right.value }

    /// Hashes the count.
    ///
    /// ```swift
    /// let counts = Set([page.likes, other.likes])    // calls hash(into:)
    /// ```
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

// Disfavoured, so that type inference in code without counters stays as it was.
extension Counter {
    /// The count equals a number.
    ///
    /// ```swift
    /// let isUntouched = page.likes == 0
    /// ```
    @_disfavoredOverload
    public static func == (left: Counter, right: Int) -> Bool { left.value == right }
    /// The count differs from a number.
    ///
    /// ```swift
    /// let isTouched = page.likes != 0
    /// ```
    @_disfavoredOverload
    public static func != (left: Counter, right: Int) -> Bool { left.value != right }
    /// The count is below a number.
    ///
    /// ```swift
    /// let isNew = page.likes < 10
    /// ```
    @_disfavoredOverload
    public static func < (left: Counter, right: Int) -> Bool { left.value < right }
    /// The count is at most a number.
    ///
    /// ```swift
    /// if page.likes <= 100 { print("not yet known") }
    /// ```
    @_disfavoredOverload
    public static func <= (left: Counter, right: Int) -> Bool { left.value <= right }
    /// The count is above a number.
    ///
    /// ```swift
    /// let isLiked = page.likes > 100
    /// ```
    @_disfavoredOverload
    public static func > (left: Counter, right: Int) -> Bool { left.value > right }
    /// The count is at least a number.
    ///
    /// ```swift
    /// let isFamous = page.likes >= 1_000_000
    /// ```
    @_disfavoredOverload
    public static func >= (left: Counter, right: Int) -> Bool { left.value >= right }
}

extension Counter: ExpressibleByIntegerLiteral {
    /// Creates a counter with the literal's value.
    ///
    /// ```swift
    /// let start: Counter = 100
    /// ```
    @inlinable
    public init(integerLiteral value: Int) { self.init(value) }
}

extension Counter: CustomStringConvertible {
    /// The number.
    ///
    /// ```swift
    /// print(page.likes.description)    // "100"
    /// ```
    public var description: String { value.description }
}

/// Encoded as a plain number.
extension Counter: Codable {
    /// Reads a number.
    ///
    /// ```swift
    /// let likes = try JSONDecoder().decode(Counter.self, from: Data("100".utf8))
    /// ```
    public init(from decoder: any Decoder) throws { self.init(try Int(from: decoder)) }

    /// Writes the number.
    ///
    /// ```swift
    /// let json = try JSONEncoder().encode(page.likes)    // calls encode(to:)
    /// ```
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Int {
    /// The count of a counter.
    ///
    /// ```swift
    /// let likes = Int(page.likes)
    /// ```
    public init(_ counter: Counter) { self = counter.value }
}
