#if SANITIZE_THREAD
    import CausewayStorage

    /// The mutex that the thread sanitizer understands, in this module too.
    typealias Mutex<Value: ~Copyable> = CausewayStorage.Mutex<Value>
#endif
