import Foundation

/// The content of results in a frozen Realm: found once, by the first thread that asks, then read by all without waiting.
///
/// Unchecked: the pointer is set once, and the content behind it never changes.
final class FrozenContent: @unchecked Sendable {
    private final class Known {
        let content: _ResultsSource.Content

        init(_ content: _ResultsSource.Content) {
            self.content = content
        }
    }

    private let known = PublishedPointers(1)
    /// Held by the thread that looks for the content.
    private let search = NSRecursiveLock()

    deinit {
        if let pointer = known[0] { Unmanaged<Known>.fromOpaque(pointer).release() }
        known.deallocate()
    }

    var content: _ResultsSource.Content? {
        known[0].map { Unmanaged<Known>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.content } }
    }

    /// Runs a search for the content, or for a part of it, on one thread at a time.
    func searching<Result>(_ body: () -> Result) -> Result {
        search.lock()
        defer { search.unlock() }
        return body()
    }

    func publish(_ content: _ResultsSource.Content) {
        guard known[0] == nil else { return }
        let found = Unmanaged.passRetained(Known(content))
        if !known.exchange(at: 0, nil, for: UnsafeRawPointer(found.toOpaque())) { found.release() }
    }
}
