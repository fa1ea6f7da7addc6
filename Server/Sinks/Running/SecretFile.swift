import Foundation

/// Files with secrets: read when they are needed, and never repeated.
package enum SecretFile {
    private static let bytesMax = 1 << 16

    /// The content without white space around it.
    package static func text(of path: String) throws(SinkFailure) -> String {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw SinkFailure("\(path) is not there, or may not be read. Check its owner and permissions.")
        }
        defer { try? handle.close() }
        let data = try? handle.read(upToCount: bytesMax + 1)
        guard let data, data.count <= bytesMax, let text = String(data: data, encoding: .utf8) else {
            throw SinkFailure("\(path) cannot be read as a text of at most \(bytesMax) bytes. Name the right file.")
        }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else { throw SinkFailure("\(path) is empty. Write the secret into it.") }
        return trimmed
    }
}
