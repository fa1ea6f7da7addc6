import Foundation

/// How far a sink of files is: one small file beside them, replaced whole.
///
/// 1. What it says is durable: the lines are fsynced before it is written.
/// 2. What is behind it is cut off when the sink opens: those lines come again.
struct LinePosition: Hashable, Codable {
    /// The last arrival that is in the files.
    var sequence: UInt64 = 0
    /// The file that grows, and how much of it counts; nil between two files.
    var file: String?
    var bytes = 0

    static let name = "position.json"

    static func load(_ folder: String) throws(SinkFailure) -> LinePosition {
        let path = folder + "/" + name
        guard let data = FileManager.default.contents(atPath: path) else {
            if FileManager.default.fileExists(atPath: path) { throw SinkFailure(reading: path) }
            return LinePosition()
        }
        do {
            return try JSONDecoder().decode(LinePosition.self, from: data)
        } catch {
            throw SinkFailure(
                "\(path) is damaged, so nobody knows which objects are in the files. Restore it from a copy. Or move the folder "
                    + "away, and every object that the database still has is written anew.")
        }
    }

    func save(_ folder: String) throws(SinkFailure) {
        let (path, beside) = (folder + "/" + Self.name, folder + "/" + Self.name + ".new")
        let bytes: [UInt8]
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            bytes = Array(try encoder.encode(self))
        } catch {
            preconditionFailure("Two numbers and a name cannot be written as JSON: \(error)")
        }
        let file = try LineFile(beside)
        try file.truncate(toBytes: 0)
        try file.append(bytes)
        try file.synchronize()
        try LineFolder.rename(beside, to: path)
        try LineFolder.synchronize(folder)
    }
}
