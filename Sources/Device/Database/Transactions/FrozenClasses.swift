/// The class accesses of a frozen Realm, which any thread may add to and any reads without waiting.
///
/// Unchecked: the dictionary that is pointed to never changes; another one takes its place.
final class FrozenClasses: @unchecked Sendable {
    private final class Known {
        let accesses: [String: _ClassAccess]
        /// Kept, because somebody may be reading it: there are no more of these than classes.
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

    /// The access of a name: the one given, unless another thread was faster.
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
