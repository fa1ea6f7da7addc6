import CausewayAdmin
import CausewayHTTP
import Foundation

// The admin listener: its token and its certificates.

extension Inspection {
    /// Reads the token and the authorities of the admin listener.
    mutating func inspectAdminKeys(_ admin: Configuration.Admin) {
        if let file = admin.tokenFile {
            let make = "Make one with: head -c 32 /dev/urandom | base64 > \(file)"
            if let text = text(of: file, key: "admin.tokenFile", make) {
                let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
                let lengths = AdminAccess.tokenBytesMin...AdminAccess.tokenBytesMax
                if !lengths.contains(token.utf8.count) || !token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
                    problems.append(
                        ConfigurationProblem(
                            "admin.tokenFile",
                            "The token in \(file) is not \(lengths.lowerBound) to \(lengths.upperBound) letters, digits and "
                                + "signs without spaces. \(make)"))
                }
                if Self.isReadableByOthers(file) {
                    warnings.append(
                        ConfigurationProblem(
                            "admin.tokenFile",
                            "Others can read this token, and so change the server. Take it from them: chmod 600 \(file)"
                        ))
                }
                adminToken = token
            }
        }
        if let file = admin.clientAuthorities {
            adminAuthorities = text(
                of: file, key: "admin.clientAuthorities",
                "Name the PEM file of those who sign your clients' certificates.")
        }
        guard admin.usesTLS, !certificateChain.isEmpty, problems.isEmpty else { return }
        do throws(ServerTLS.Failure) {
            _ = try ServerTLS.context(
                chain: certificateChain, key: certificateKey, protocols: ["http/1.1"],
                clientAuthorities: adminAuthorities)
        } catch {
            problems.append(
                ConfigurationProblem(
                    admin.clientAuthorities == nil ? "admin" : "admin.clientAuthorities",
                    "\(error.message)\(admin.clientAuthorities.map { " The authorities are those in \($0)." } ?? "")"))
        }
    }

    /// The address of the admin listener.
    mutating func inspectAdminListening(_ admin: Configuration.Admin, _ listen: Configuration.Listen) {
        if !Self.isAddress(admin.host) {
            problems.append(
                ConfigurationProblem(
                    "admin.host", "'\(admin.host.prefix(80))' is no address and no name that this machine knows."))
        }
        if admin.port == listen.port, admin.port != 0 {
            problems.append(
                ConfigurationProblem(
                    "admin.port", "Devices are served on port \(listen.port) already. Choose another one."))
        }
    }

    /// Who may ask the admin listener for what.
    func adminAccess(_ admin: Configuration.Admin) -> AdminAccess {
        AdminAccess(
            token: adminToken, isPeerVerified: admin.clientAuthorities != nil,
            isMonitoringOpen: admin.metricsWithoutToken, isLocal: admin.isLocal)
    }
}
