import Foundation
import Synchronization

final class Counter: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    func add(_ more: Int) {
        number.add(more, ordering: .sequentiallyConsistent)
    }
}

/// Keeps what threads make until the test is over.
///
/// @unchecked: `lock` guards `elements`. The thread sanitizer knows this kind of lock.
final class Kept<Element: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var elements: [Element] = []

    func keep(_ element: Element) {
        lock.withLock { elements.append(element) }
    }

    var all: [Element] { lock.withLock { elements } }

    func letGo() {
        let last = lock.withLock {
            defer { elements = [] }
            return elements
        }
        withExtendedLifetime(last) {}
    }
}
