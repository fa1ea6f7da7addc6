import Crypto

/// A file of the console, as it lies in the program.
package struct ConsoleFile: Sendable {
    /// Below `/console/`, as the page names it. The first page has no name.
    package let path: String
    package let content: [UInt8]
    /// A digest of the content, as HTTP's header `etag` has it.
    package let entityTag: String

    init(_ path: String, _ content: [UInt8]) {
        self.path = path
        self.content = content
        let digits = SHA256.hash(data: content).prefix(Self.tagBytes).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        entityTag = "\"" + digits.joined() + "\""
    }

    /// Enough that two versions of a file never share a tag.
    private static let tagBytes = 16

    /// By the end of its name. Browsers take nothing else for a style or a module, because sniffing is off.
    package var type: String {
        switch path.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "text/html; charset=utf-8"
        }
    }
}
