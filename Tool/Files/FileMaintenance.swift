import CausewayObjectStore
import CausewayStorage

/// What is done with a file as a whole.
package enum FileMaintenance {
    package struct Findings: Sendable {
        package var isSound: Bool
        package var lines: [String]
    }

    package static func verify(_ file: OpenedFile) throws -> Findings {
        let report = try file.whole { store throws(StoreError) in try store.verify() }
        guard !report.isSound else {
            return Findings(
                isSound: true, lines: ["The file is sound: \(report.objects) objects on \(report.pages) pages."])
        }
        var lines = report.problems
        let rest = report.problemCount - report.problems.count
        if rest > 0 { lines.append("and \(rest) more") }
        return Findings(isSound: false, lines: lines + ["The file has \(report.problemCount) problems."])
    }

    /// - Returns: the bytes of the file.
    package static func compact(_ path: String, key: [UInt8]?) throws -> (before: Int, after: Int) {
        let file = try OpenedFile.change(path, key: key)
        defer { file.close() }
        return try file.whole { store throws(StoreError) in
            let before = try store.statistics().sizeBytes
            try store.compact()
            return (before, try store.statistics().sizeBytes)
        }
    }

    package static func copy(_ file: OpenedFile, to path: String, key: [UInt8]?) throws {
        try file.whole { store throws(StoreError) in try store.copy(to: path, key: key) }
    }
}
