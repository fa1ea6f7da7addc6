import CausewaySimulatedDisk

extension SimulatedFile {
    func write(bytes: [UInt8], at offset: Int) -> Int {
        bytes.withUnsafeBytes { write([$0], at: offset) }
    }

    /// The first bytes; nil when they cannot be read.
    func contents(count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { self.read(into: $0, at: 0) }
        return read < 0 ? nil : Array(bytes.prefix(read))
    }

    var contents: [UInt8] { contents(count: size()) ?? [] }
}
