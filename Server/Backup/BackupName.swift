import Foundation

/// The name of a backup: `flights-20261127T183000Z-v1234.backup`. Names of one database sort by time.
package struct BackupName: Hashable, Sendable {
    package var database: String
    /// As it stands in the name, UTC.
    package var stamp: String
    package var version: UInt64

    package static let suffix = ".backup"

    package init(database: String, stamp: String, version: UInt64) {
        self.database = database
        self.stamp = stamp
        self.version = version
    }

    /// Nil for a name that is not one of a backup.
    package init?(_ text: String) {
        guard text.hasSuffix(Self.suffix) else { return nil }
        // The name of a database may have hyphens itself.
        let parts = text.dropLast(Self.suffix.count).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 3, let last = parts.last, last.first == "v", let version = UInt64(last.dropFirst()) else {
            return nil
        }
        let stamp = String(parts[parts.count - 2])
        guard Self.time(of: stamp) != nil else { return nil }
        self.init(database: parts.dropLast(2).joined(separator: "-"), stamp: stamp, version: version)
    }

    package var text: String { "\(database)-\(stamp)-v\(version)\(Self.suffix)" }

    /// When the backup began, in milliseconds since 1970.
    package var time: UInt64 { Self.time(of: stamp) ?? 0 }

    // MARK: - Stamps

    package static func stamp(of milliseconds: UInt64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let day = "\(parts.tm_year + 1_900)" + two(parts.tm_mon + 1) + two(parts.tm_mday)
        return day + "T" + two(parts.tm_hour) + two(parts.tm_min) + two(parts.tm_sec) + "Z"
    }

    static func time(of stamp: String) -> UInt64? {
        let bytes = Array(stamp.utf8)
        guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            guard bytes[range].allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
            return Int(String(decoding: bytes[range], as: UTF8.self))
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8), let hour = number(9..<11),
            let minute = number(11..<13), let second = number(13..<15)
        else { return nil }
        var parts = tm()
        parts.tm_year = Int32(year - 1_900)
        parts.tm_mon = Int32(month - 1)
        parts.tm_mday = Int32(day)
        parts.tm_hour = Int32(hour)
        parts.tm_min = Int32(minute)
        parts.tm_sec = Int32(second)
        let seconds = timegm(&parts)
        return seconds >= 0 ? UInt64(seconds) * 1_000 : nil
    }
}
