/// A dictionary with string keys, which are equal if and only if their bytes are the same.
///
/// It is used like `[String: Value]`, which takes canonically equivalent keys for one.
@usableFromInline
package struct ExactDictionary<Value> {
    @usableFromInline package var entries: [ExactString: Value]

    @inlinable
    package init(_ entries: [ExactString: Value] = [:]) {
        self.entries = entries
    }

    /// - Precondition: no key occurs twice.
    @inlinable
    package init(uniqueKeysWithValues entries: some Sequence<(String, Value)>) {
        self.entries = Dictionary(uniqueKeysWithValues: entries.lazy.map { (ExactString($0.0), $0.1) })
    }

    @inlinable
    package subscript(key: String) -> Value? {
        get { entries[ExactString(key)] }
        _modify { yield &entries[ExactString(key)] }
    }

    @inlinable
    package subscript(key: String, default value: @autoclosure () -> Value) -> Value {
        get { entries[ExactString(key), default: value()] }
        _modify { yield &entries[ExactString(key), default: value()] }
    }

    @inlinable package var count: Int { entries.count }
    @inlinable package var isEmpty: Bool { entries.isEmpty }
    /// In no order.
    @inlinable package var values: Dictionary<ExactString, Value>.Values { entries.values }
    /// In no order.
    @inlinable package var keys: [String] { entries.keys.map(\.string) }
}

extension ExactDictionary: ExpressibleByDictionaryLiteral {
    @usableFromInline
    package init(dictionaryLiteral elements: (String, Value)...) {
        self.init(uniqueKeysWithValues: elements)
    }
}

extension ExactDictionary: Sequence {
    @inlinable
    package func makeIterator() -> AnyIterator<(key: String, value: Value)> {
        var entries = entries.makeIterator()
        return AnyIterator { entries.next().map { (key: $0.key.string, value: $0.value) } }
    }
}

extension ExactDictionary: Equatable where Value: Equatable {}
extension ExactDictionary: Hashable where Value: Hashable {}
extension ExactDictionary: Sendable where Value: Sendable {}
