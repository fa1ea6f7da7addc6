import CausewayJSON
import CausewayModel
import CausewayRealmFile
import Foundation

/// A sample file, and what its JSON tells.
struct Sample: CustomStringConvertible {
    static let opened = [
        "01-scalars", "02-links", "03-collections", "04-embedded", "05-mixed", "06-many-rows", "07-long",
        "08-encrypted",
        "09-schema-only", "10-tombstones", "11-names-and-indexes", "12-schema-version-7",
    ]

    let name: String

    var description: String { name }

    static var folder: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Vectors/realm-files")
    }

    var path: String { Self.folder.appendingPathComponent(name + ".realm").path }

    func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    func expected() throws -> JSON {
        var bounds = JSONReader.Bounds()
        bounds.values = 1_000_000
        let path = Self.folder.appendingPathComponent(name + ".json")
        return try JSONReader.read([UInt8](try Data(contentsOf: path)), bounds: bounds)
    }

    /// The key of an encrypted one, which its JSON tells.
    func key() throws -> [UInt8]? {
        guard let digits = try expected()["encryptionKey"]?.string.map({ Array($0) }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }

    func open() throws -> RealmFile { try RealmFile(path: path, key: key()) }

    /// The classes that the JSON tells, in the form in which they are compared; nil where it tells the hash of that form instead.
    func expectedClasses() throws -> [JSON]? {
        try expected()["classes"]?.elements.map { $0.map { Self.compared($0) } }
    }

    /// The hash of classes in the form in which they are compared.
    static func hash(_ classes: [JSON]) -> String {
        SHA224.digest(Array(text(.array(classes)).utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
    }

    /// A class in a form that is the same however it was told: sets are sorted by their text, members by their names, and numbers
    /// with a point are their bits.
    static func compared(_ json: JSON) -> JSON {
        let properties = json["properties"]?.elements ?? []
        let sets = properties.filter { $0["collection"]?.string == "set" }.compactMap { $0["name"]?.string }
        let decimals = properties.filter { $0["type"]?.string == "decimal128" }.compactMap { $0["name"]?.string }
        return plain(json, sets: Set(sets), decimals: Set(decimals))
    }

    private static func plain(_ json: JSON, sets: Set<String>, decimals: Set<String>) -> JSON {
        switch json {
        case .array(let elements): return .array(elements.map { plain($0, sets: sets, decimals: decimals) })
        case .object(let members):
            if members.count == 2, let bits = json["bits"], json["text"] != nil {
                return SampleValue.object("bits", bits)
            }
            if members.count == 1, let text = json["decimal128"], text.string != nil {
                return SampleValue.object("decimal128", decimal(text))
            }
            let changed = members.filter { $0.name.string != "backlinks" }.map { member in
                var value = plain(member.value, sets: sets, decimals: decimals)
                if decimals.contains(member.name.string) { value = decimal(value) }
                if sets.contains(member.name.string), case .array(let elements) = value {
                    value = .array(elements.sorted { text($0) < text($1) })
                }
                return JSON.Member(member.name.string, value)
            }
            return .object(changed.sorted { $0.name.string.precedes($1.name.string) })
        default: return json
        }
    }

    /// Decimals are told as texts, and compared as numbers.
    private static func decimal(_ json: JSON) -> JSON {
        switch json {
        case .string(let text):
            SampleValue.object("decimal", .string(DecimalNumber(text)?.description ?? "not a decimal: \(text)"))
        case .array(let elements): .array(elements.map(decimal))
        case .object(let members) where json["decimal"] == nil && json["name"] == nil:
            .object(members.map { JSON.Member($0.name.string, decimal($0.value)) })
        default: json
        }
    }

    static func text(_ json: JSON) -> String {
        var writer = JSONWriter()
        writer.write(json)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Where two values differ first, and how; nil if they are the same.
    static func difference(_ found: JSON, _ expected: JSON, at path: String = "") -> String? {
        if found == expected { return nil }
        if let left = found.members, let right = expected.members, left.map(\.name) == right.map(\.name) {
            return zip(left, right).lazy.compactMap {
                difference($0.value, $1.value, at: "\(path).\($0.name.string)")
            }.first
        }
        if let left = found.elements, let right = expected.elements, left.count == right.count {
            return zip(left, right).enumerated().lazy.compactMap {
                difference($1.0, $1.1, at: "\(path)[\($0)]")
            }.first
        }
        return "\(path): \(text(found).prefix(300)) and not \(text(expected).prefix(300))"
    }
}
