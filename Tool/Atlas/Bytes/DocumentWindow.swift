import CausewayFiles

/// A stretch of a source's bytes in memory. It grows to the size of the largest document, and not to that of the source.
final class DocumentWindow {
    private static let usualBytes = 4 << 20

    private let source: ByteSource
    private let bytesMax: Int
    private var memory: UnsafeMutableRawBufferPointer
    /// The bytes in memory that are not taken yet.
    private(set) var rest = 0..<0
    private(set) var isAtEnd = false
    /// Where in the source the memory begins.
    private var origin = 0

    /// - Parameter bytesMax: of a document.
    init(_ source: ByteSource, bytesMax: Int) {
        self.source = source
        self.bytesMax = bytesMax
        memory = .allocate(byteCount: Self.usualBytes, alignment: 16)
    }

    deinit { memory.deallocate() }

    var path: String { source.path }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }

    /// Where in the source a place in memory is.
    func sourceOffset(of place: Int) -> Int { origin + place }

    func take(to place: Int) { rest = place..<rest.upperBound }

    /// Reads more bytes behind those that are not taken, which move to the beginning.
    func fill() throws {
        guard !isAtEnd else { return }
        let start = rest.lowerBound
        if rest.count == memory.count { try grow() }
        if start > 0, let base = memory.baseAddress {
            base.copyMemory(from: base + start, byteCount: rest.count)
            origin += start
            rest = 0..<rest.count
        }
        while rest.upperBound < memory.count {
            let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[rest.upperBound...]))
            if count == 0 {
                isAtEnd = true
                break
            }
            rest = rest.lowerBound..<rest.upperBound + count
        }
    }

    private func grow() throws {
        guard memory.count <= bytesMax else {
            throw FileFailure("A document of '\(path)' has more than \(bytesMax) bytes, and none may.")
        }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * memory.count, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(memory))
        memory.deallocate()
        memory = larger
    }
}
