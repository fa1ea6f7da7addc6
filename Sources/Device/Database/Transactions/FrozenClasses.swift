/// The class accesses of a frozen Realm. Any thread may add one, and reads never wait.
///
/// Unchecked: a published dictionary never changes; an addition publishes a new one.
final class FrozenClasses: @unchecked Sendable {
    private final class Known {
        let accesses: [String: _ClassAccess]
        /// Kept, because another thread may be reading it. There are at most as many as classes.
        let before: UnsafeRawPointer?

        init(_ accesses: [String: _ClassAccess], before: UnsafeRawPointer?) {
            self.accesses = accesses
            self.before = before
        }
    }

    private let known = PublishedPointers(1)

    deinit {
        var next = known[0]
        while let pointer = next { next = Unmanaged<Known>.fromOpaque(pointer).takeRetainedValue().before }
        known.deallocate()
    }

    subscript(name: String) -> _ClassAccess? {
        guard let pointer = known[0] else { return nil }
        return Unmanaged<Known>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.accesses[name] }
    }

    /// Adds an access and returns it, or the one that another thread added first.
    func add(_ access: _ClassAccess, named name: String) -> _ClassAccess {
        while true {
            if let known = self[name] { return known }
            let before = known[0]
            var accesses = before.map { Unmanaged<Known>.fromOpaque($0).takeUnretainedValue().accesses } ?? [:]
            if accesses[name] != nil { continue }
            accesses[name] = access
            let after = Unmanaged.passRetained(Known(accesses, before: before))
            if known.exchange(at: 0, before, for: UnsafeRawPointer(after.toOpaque())) { return access }
            after.release()
        }
    }
}
