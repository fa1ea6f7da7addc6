import Foundation

struct UnpackFailure: Error, CustomStringConvertible {
    let description: String
}

/// Unpacks `*.csv.gz` files of a folder; `tables` are the names to give to the files of some names.
func unpack(_ tables: [String: String], from folder: String, to target: URL) throws {
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    for (table, file) in tables {
        try unpack(gzip: "\(folder)/\(file).csv.gz", to: target.appendingPathComponent("\(table).csv"))
    }
}

/// Unpacks one file.
func unpack(gzip file: String, to target: URL) throws {
    let gzip = Process()
    gzip.executableURL = URL(fileURLWithPath: "/bin/sh")
    gzip.arguments = ["-c", "gzip -dc \"$0\" > \"$1\"", file, target.path]
    try gzip.run()
    gzip.waitUntilExit()
    guard gzip.terminationStatus == 0 else {
        throw UnpackFailure(description: "cannot unpack \(file): see gzip's message above")
    }
}
