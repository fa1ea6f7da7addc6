import Synchronization

/// The current encryption session, for processes that open the file while it is open. Salts are not secret.
extension SharedState {
    var session: Session? {
        get {
            let salt = SessionSalt(low: sessionWord(1), high: sessionWord(2))
            return salt == SessionSalt(low: 0, high: 0) ? nil : Session(firstBirth: sessionWord(0), salt: salt)
        }
        set {
            setSessionWord(0, newValue?.firstBirth ?? 0)
            setSessionWord(1, newValue?.salt.low ?? 0)
            setSessionWord(2, newValue?.salt.high ?? 0)
        }
    }

    /// Whether nobody else has the file open, in this process or another.
    var isAlone: Bool {
        var count = 0
        memory.forEach(in: SharedLayout.takenOffset) { _ in count += 1 }
        return count <= 1
    }

    /// The birth that the next commit gets.
    var nextBirth: UInt64 {
        memory.word(SharedLayout.nextBirthOffset).pointee.load(ordering: .sequentiallyConsistent)
    }

    private func sessionWord(_ index: Int) -> UInt64 {
        memory.word(SharedLayout.sessionOffset + index * 8).pointee.load(ordering: .sequentiallyConsistent)
    }

    private func setSessionWord(_ index: Int, _ value: UInt64) {
        memory.word(SharedLayout.sessionOffset + index * 8).pointee.store(value, ordering: .sequentiallyConsistent)
    }
}
