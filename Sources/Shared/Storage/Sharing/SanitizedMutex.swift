#if SANITIZE_THREAD
    import Glibc

    /// Replaces the standard library's mutex in this module, ObjectStore and Database under the thread sanitizer.
    ///
    /// The standard mutex passes between waiting threads inside the kernel, where the sanitizer does not see it, so
    /// everything that it guards looks like a race. The sanitizer knows the mutexes of pthreads.
    ///
    ///     deploy/test --sanitize thread
    ///
    /// @unchecked: only the holder of `lock` touches `value`.
    package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let lock: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        package init(_ initialValue: consuming sending Value) {
            lock = .allocate(capacity: 1)
            lock.initialize(to: pthread_mutex_t())
            pthread_mutex_init(lock, nil)
            value = .allocate(capacity: 1)
            value.initialize(to: initialValue)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(lock)
            lock.deallocate()
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#endif
