import Foundation
import Glibc

/// A folder of its own for one test, gone with the last reference to it.
package final class TemporaryFolder {
    package let path: String

    /// - Parameter waitsForDisk: without it the folder is in memory where the system has a place for that, and no
    ///   sync takes time.
    package init(waitsForDisk: Bool = true) throws {
        let place = !waitsForDisk && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(place)/causeway-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(number: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package struct Failure: Error {
        package var number: Int32
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// What is in it now.
    package var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    package func file(_ name: String) -> String { path + "/" + name }

    package func write(_ bytes: [UInt8], to name: String) {
        let descriptor = open(file(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }

    package func read(_ name: String) -> [UInt8] {
        let descriptor = open(file(name), O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
        }
    }
}
