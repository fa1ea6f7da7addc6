import CZstd
import CausewayFolders
import Foundation
import Testing

/// What a sink of files has written.
enum LinesOnDisk {
    /// The ids that count: of the file that grows only as much as the position covers, and no file twice.
    static func ids(_ folder: TemporaryFolder) throws -> [Int] {
        let path = folder.file("lines")
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
        guard names.contains("position.json") else { return [] }
        let position =
            try JSONSerialization.jsonObject(with: Data(folder.read("lines/position.json"))) as? [String: Any]
        let sequence = (position?["sequence"] as? Int) ?? 0
        var ids: [Int] = []
        for name in names where name.hasSuffix(".ndjson") || name.hasSuffix(".zst") {
            // One that is being compressed stays until its successor is whole.
            if name.hasSuffix(".ndjson"), names.contains(name + ".zst") { continue }
            var bytes = folder.read("lines/" + name)
            if name.hasSuffix(".zst") { bytes = try decompressed(bytes) }
            if name == position?["file"] as? String { bytes = Array(bytes.prefix((position?["bytes"] as? Int) ?? 0)) }
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
                let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                guard let number = object?["sequence"] as? Int, number <= sequence else { continue }
                ids.append(((object?["object"] as? [String: Any])?["_id"] as? Int) ?? -1)
            }
        }
        return ids
    }

    static func decompressed(_ bytes: [UInt8]) throws -> [UInt8] {
        let size = ZSTD_getFrameContentSize(bytes, bytes.count)
        try #require(size < 1 << 30, "a compressed file is not whole")
        return [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
            let result = ZSTD_decompress(buffer.baseAddress, Int(size), bytes, bytes.count)
            count = ZSTD_isError(result) == 0 ? result : 0
        }
    }
}
