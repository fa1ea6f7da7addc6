import Glibc

/// Identifies this process in statistics. Nothing depends on it, because a process ID is valid in its own container
/// only.
struct ProcessIdentity: Sendable {
    var processID: Int32
    /// In clock ticks since the system started.
    var start: UInt64
    var name: [UInt8]

    static let own = ProcessIdentity()

    private init() {
        processID = getpid()
        start = 0
        name = []
        // "7 (name) S 1 ...": the name may hold any character, also parentheses. The start is field 22.
        let text = Self.read("/proc/self/stat")
        guard let open = text.firstIndex(of: UInt8(ascii: "(")), let close = text.lastIndex(of: UInt8(ascii: ")")),
            open < close
        else { return }
        name = Array(text[(open + 1)..<close])
        let fields = text[(close + 1)...].split(separator: UInt8(ascii: " "))
        if fields.count > 19 { start = UInt64(String(decoding: fields[19], as: UTF8.self)) ?? 0 }
    }

    private static func read(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, 1024))
        }
    }
}
