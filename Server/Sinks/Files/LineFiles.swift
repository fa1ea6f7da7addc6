import CausewayJSON
import CausewayFeed

/// The files of a sink. Its calls block.
struct LineFiles {
    private let rules: LineSink.Rules
    private let now: @Sendable () -> UInt64
    private var position = LinePosition()
    private var current: LineFile?
    /// When the file that grows was begun, or found.
    private var began: UInt64 = 0

    private static let suffix = ".ndjson"

    init(_ rules: LineSink.Rules, now: @escaping @Sendable () -> UInt64) {
        self.rules = rules
        self.now = now
    }

    // MARK: - Opening

    mutating func open() throws(SinkFailure) -> UInt64 {
        close()
        try LineFolder.make(rules.folder)
        position = try LinePosition.load(rules.folder)
        for name in try LineFolder.names(rules.folder) where name != position.file {
            try tidy(name)
        }
        if let name = position.file { try resume(name) }
        return position.sequence
    }

    /// What a killed server left behind.
    private func tidy(_ name: String) throws(SinkFailure) {
        guard name.hasSuffix(Self.suffix) || name.hasSuffix(".new") else { return }
        if let first = Self.firstSequence(of: name), name.hasSuffix(Self.suffix), first <= position.sequence {
            return try compress(name)
        }
        // Begun, and nothing of it counts yet.
        if name.hasSuffix(".new") || Self.firstSequence(of: name) != nil { try LineFolder.remove(path(name)) }
    }

    private mutating func resume(_ name: String) throws(SinkFailure) {
        let file = try LineFile(path(name))
        guard file.lengthBytes >= position.bytes else {
            throw SinkFailure(
                "\(path(name)) has \(file.lengthBytes) bytes, and \(position.bytes) were made durable: somebody else has "
                    + "changed it, or the disk has lost it. Restore the file from a copy. Or move the folder away, and every object "
                    + "that the database still has is written anew.")
        }
        try file.truncate(toBytes: position.bytes)
        (current, began) = (file, now())
    }

    mutating func close() { current = nil }

    // MARK: - Taking

    mutating func take(_ batch: SinkBatch) throws(SinkFailure) {
        try rollIfDue()
        guard let first = batch.rows.first else { return }
        let file: LineFile
        if let current { file = current } else { file = try begin(at: first.sequence) }
        current = file
        var bytes: [UInt8] = []
        for row in batch.rows {
            var json = JSONWriter()
            row.append(to: &json)
            bytes += json.bytes
            bytes.append(UInt8(ascii: "\n"))
        }
        try file.append(bytes)
        try file.synchronize()
        position = LinePosition(
            sequence: batch.through, file: String(file.path.dropFirst(rules.folder.count + 1)), bytes: file.lengthBytes)
        try position.save(rules.folder)
    }

    private mutating func begin(at sequence: UInt64) throws(SinkFailure) -> LineFile {
        began = now()
        let time = DateText.text(milliseconds: began / 1_000 * 1_000).filter { $0 != "-" && $0 != ":" }
        let number = String(sequence)
        let padded = String(repeating: "0", count: max(0, Self.digits - number.count)) + number
        let file = try LineFile(path("\(time)-\(padded)\(Self.suffix)"))
        try LineFolder.synchronize(rules.folder)
        return file
    }

    private static let digits = 20

    /// Nil for a name that is none of the sink's.
    private static func firstSequence(of name: String) -> UInt64? {
        guard name.hasSuffix(suffix), let dash = name.lastIndex(of: "-") else { return nil }
        return UInt64(name[name.index(after: dash)...].dropLast(suffix.count))
    }

    // MARK: - Rolling

    mutating func rollIfDue() throws(SinkFailure) {
        guard let file = current else { return }
        let time = now()
        // A clock that went back begins to count anew.
        if time < began { began = time }
        guard file.lengthBytes >= rules.rollBytes || time - began >= rules.rollMilliseconds else { return }
        let name = position.file
        position.file = nil
        position.bytes = 0
        try position.save(rules.folder)
        current = nil
        if let name { try compress(name) }
    }

    /// The compressed file appears whole. Then the other one goes.
    private func compress(_ name: String) throws(SinkFailure) {
        let beside = path(name + ".zst.new")
        try Zstandard.compress(try LineFile(path(name)), into: try LineFile(beside))
        try LineFolder.rename(beside, to: path(name + ".zst"))
        try LineFolder.synchronize(rules.folder)
        try LineFolder.remove(path(name))
    }

    private func path(_ name: String) -> String { rules.folder + "/" + name }
}
