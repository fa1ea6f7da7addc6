import Synchronization

final class Flag: Sendable {
    private let word = Atomic(false)

    var isSet: Bool { word.load(ordering: .acquiring) }

    func set() {
        word.store(true, ordering: .releasing)
    }
}
