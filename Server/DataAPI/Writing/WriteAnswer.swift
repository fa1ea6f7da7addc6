import CausewayJSON
import CausewayHTTP
import CausewayModel
import CausewayOperations

/// What a request that has changed something is answered. It is encoded before the commit, which keeps it for a repetition
/// of the request; only the version is added behind.
enum WriteAnswer {
    /// | Part | Bytes |
    /// |---|---|
    /// | status | 2, big-endian |
    /// | JSON | the members behind the version, and the closing brace |
    static func encoded(_ results: [ChangePlan.Result], isTransaction: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { body in
            // Stands for the version, and is cut off.
            body.name("version")
            body.null()
            if isTransaction {
                body.name("results")
                body.array { list in
                    for result in results { list.object { $0.writeMembers(result) } }
                }
            } else if let result = results.first {
                body.writeMembers(result)
            }
        }
        let isCreated = !isTransaction && results.first?.isCreated == true
        let status: UInt16 = isCreated ? 201 : 200
        return [UInt8(status >> 8), UInt8(status & 0xFF)] + writer.bytes.dropFirst(placeholder.utf8.count)
    }

    private static let placeholder = #"{"version":null"#

    static func answer(_ encoded: [UInt8], _ version: ServerVersion) -> HTTPAnswer {
        let status = encoded.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        return .json(Array(#"{"version":\#(version.rawValue)"#.utf8) + encoded.dropFirst(2), status: status)
    }
}

extension JSONWriter {
    fileprivate mutating func writeMembers(_ result: ChangePlan.Result) {
        name("class")
        write(result.className)
        name("key")
        write(result.key)
        name("created")
        write(result.isCreated)
    }
}
