import CausewayHTTP
import CoreFoundation
import Foundation
import NIOCore

// Whether the listeners can have their ports now. Only asked before the server starts: once it runs, it has them itself.

extension Inspection {
    /// A warning for each listener whose address cannot be listened on now.
    static func portsInUse(_ configuration: Configuration) -> [ConfigurationProblem] {
        var listeners = [("listen", configuration.listen.host, configuration.listen.port)]
        if let api = configuration.api { listeners.append(("api", api.host, api.port)) }
        if let admin = configuration.admin { listeners.append(("admin", admin.host, admin.port)) }
        return listeners.compactMap { section, host, port in
            guard port != 0, let number = listeningError(host, port) else { return nil }
            let trouble = TransportTrouble(IOError(errnoCode: number, reason: "bind"))
            let remedy =
                trouble == .addressTaken
                ? "Unless that is the server with this configuration, choose another port, or stop the program."
                : "Choose another address."
            return ConfigurationProblem(
                "\(section).port", "\(host):\(port) cannot be listened on: \(trouble.words). \(remedy)")
        }
    }

    /// Nil when the address can be listened on, or is none.
    private static func listeningError(_ host: String, _ port: Int) -> CInt? {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        defer { if let found { freeaddrinfo(found) } }
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found?.pointee else { return nil }
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var reuses: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<CInt>.size))
        return bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 ? nil : errno
    }
}
