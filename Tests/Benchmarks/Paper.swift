import Foundation

/// A paper as it was really typed: every edit by its place.
struct Paper {
    /// Place, how many are deleted there, what is put there.
    struct Patch: Decodable {
        var place: Int
        var deleted: Int
        var text: String

        init(from decoder: any Decoder) throws {
            var fields = try decoder.unkeyedContainer()
            place = try fields.decode(Int.self)
            deleted = try fields.decode(Int.self)
            text = try fields.decode(String.self)
        }
    }

    private struct Trace: Decodable {
        struct Transaction: Decodable {
            var patches: [Patch]
        }

        var endContent: String
        var txns: [Transaction]
    }

    let patches: [Patch]
    /// What the patches lead to; nil when there are only the first of them.
    let end: String?

    /// - Parameter source: A folder with `automerge-paper.json.gz`.
    /// - Returns: Nil where it is not there.
    init?(folder: URL, source: String, smoke: Bool) throws {
        guard FileManager.default.fileExists(atPath: "\(source)/automerge-paper.json.gz") else { return nil }
        let unpacked = folder.appendingPathComponent("trace.json")
        try unpack(gzip: "\(source)/automerge-paper.json.gz", to: unpacked)
        let trace = try JSONDecoder().decode(Trace.self, from: Data(contentsOf: unpacked))
        let all = trace.txns.flatMap(\.patches)
        patches = smoke ? Array(all.prefix(10_000)) : all
        end = smoke ? nil : trace.endContent
    }
}

struct WrongText: Error, CustomStringConvertible {
    let description: String
}
