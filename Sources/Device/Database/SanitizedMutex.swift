#if SANITIZE_THREAD
    import CausewayStorage

    /// The mutex that the thread sanitizer understands, in this module too.
    struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
        private let mutex: CausewayStorage.Mutex<Value>

        init(_ initialValue: consuming sending Value) {
            mutex = CausewayStorage.Mutex(initialValue)
        }

        borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    }
#endif
