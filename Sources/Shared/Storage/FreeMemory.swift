import CStorage

package enum FreeMemory {
    /// Returns freed memory to the system. malloc keeps it otherwise.
    ///
    /// Other threads that allocate wait meanwhile.
    ///
    /// - Complexity: O(freed memory of the process).
    package static func release() {
        causeway_release_free_memory()
    }
}
