package import NIOCore

/// The machine at the other end, as limits count it.
package struct PeerAddress: Hashable, Sendable {
    /// What is counted together: an IPv4 address, or the network of an IPv6 address, its first 64 bits. Whoever has one
    /// IPv6 address has all of its network, so limits on single addresses would bound nobody.
    package let group: String

    package init(_ address: SocketAddress?) {
        let text = address?.ipAddress ?? "unknown"
        group = text.contains(":") ? Self.group(ofIPv6: text) : text
    }

    /// - Parameter text: as the system writes addresses.
    private static func group(ofIPv6 text: String) -> String {
        // An IPv4 address on a socket of both families.
        let mapped = "::ffff:"
        if text.hasPrefix(mapped), text.contains(".") { return String(text.dropFirst(mapped.utf8.count)) }
        let words = text.prefix { $0 != "%" }.split(separator: ":", omittingEmptySubsequences: false)
        let head = words.prefix { !$0.isEmpty }
        let tail = words.dropFirst(head.count).filter { !$0.isEmpty }
        // An IPv4 address at the end is two words. Two colons stand for the zeros that are missing.
        let written = head.count + tail.count + (text.contains(".") ? 1 : 0)
        let zeros = Array(repeating: Substring("0"), count: max(0, 8 - written))
        return (head + zeros + tail).prefix(4).joined(separator: ":") + "::/64"
    }
}
