import CausewayJSON
import CausewayModel

/// An object of an export, before its file's schema is looked at.
struct ImportEntry {
    var className: String
    var number: Int64?
    var members: [JSON.Member]
}

/// An export that is read, as often as it is asked to.
protocol ImportSource: AnyObject {
    var path: String { get }
    /// Where the header or the object that was read last began, from 1.
    var lineNumber: Int { get }
    var lineBytes: Int { get }
    /// The header or the object that was read last, for messages.
    var place: String { get }
    /// The class that a table makes, known with its header; nil where the file has it.
    var newClass: ClassSchema? { get }

    /// The classes that the file needs. Called once, before the objects are read.
    func header(in schema: Schema) throws -> ExportHeader
    /// Goes to the first object.
    func rewind() throws
    func next() throws -> ImportEntry?
}

extension ImportSource {
    var place: String { "Line \(max(1, lineNumber)) of '\(path)'" }
    var newClass: ClassSchema? { nil }
}

/// A header and objects as lines of JSON.
final class JSONLinesSource: ImportSource {
    static let bounds: JSONReader.Bounds = {
        var bounds = JSONReader.Bounds()
        // `$map` makes two levels of one.
        bounds.depth = 2 * ObjectLine.depthMax + 16
        // The bytes of a line bound them.
        bounds.values = ObjectExport.lineBytesMax
        return bounds
    }()

    private let lines: LineReader
    private(set) var lineBytes = 0

    init(_ lines: LineReader) {
        self.lines = lines
    }

    var path: String { lines.path }
    var lineNumber: Int { lines.number }

    func header(in schema: Schema) throws -> ExportHeader {
        try lines.rewind()
        guard let bytes = try lines.next() else { throw FileFailure("The file is empty, and has no header.") }
        return try ExportHeader(try Self.json(bytes))
    }

    func rewind() throws {
        try lines.rewind()
        _ = try lines.next()
    }

    func next() throws -> ImportEntry? {
        while let bytes = try lines.next() {
            lineBytes = bytes.count
            if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
            return try Self.entry(bytes)
        }
        return nil
    }

    static func json(_ bytes: [UInt8]) throws -> JSON {
        do throws(JSONReader.Failure) {
            return try JSONReader.read(bytes, bounds: bounds)
        } catch {
            throw FileFailure("It is not JSON at byte \(error.offset + 1): \(error.reason).")
        }
    }

    private static func entry(_ bytes: [UInt8]) throws -> ImportEntry {
        let json = try json(bytes)
        guard let name = json["class"]?.string, let members = json["object"]?.members else {
            throw FileFailure("It is no object. Expected: {\"class\": \"…\", \"object\": {…}}.")
        }
        guard let given = json["number"] else { return ImportEntry(className: name, members: members) }
        guard let number = given.int, number >= 0, number < .max else {
            throw FileFailure("Its number is not one. Expected: a whole number from 0 on.")
        }
        return ImportEntry(className: name, number: number, members: members)
    }
}
