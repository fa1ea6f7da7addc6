import ArgumentParser
import CausewayIdentity
import Foundation

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tells everything that is wrong with the configuration, without starting."
    )

    @OptionGroup var option: ConfigurationOption

    func run() async throws {
        let configuration: Configuration
        do {
            configuration = try option.read()
        } catch let error as ConfigurationError {
            print("\(option.file) has problems:\n\(error)")
            throw ExitCode.failure
        }
        let inspection = await Inspection(configuration, now: Date())
        for warning in inspection.warnings + Inspection.portsInUse(configuration) { print("warning: \(warning)") }
        guard inspection.allProblems.isEmpty else {
            print("\(option.file) has problems:\n\(ConfigurationError(problems: inspection.allProblems))")
            throw ExitCode.failure
        }
        print(
            """
            \(option.file) is good.
              listens on   \(configuration.listen.host):\(configuration.listen.port), \
            as \(inspection.hosts.joined(separator: ", "))
              databases    \(configuration.databases.map(\.name).joined(separator: ", "))
              token keys   \(inspection.allKeys.map(\.algorithm.rawValue).joined(separator: ", "))
              accounts     \(configuration.accounts?.summary ?? "none")
              backups      \(configuration.backups?.summary ?? "none")
              admin        \(configuration.admin.map { "\($0.host):\($0.port)" } ?? "none")
            """)
    }
}

extension Configuration.Accounts {
    /// The ways to log in, in a line.
    var summary: String {
        var ways: [String] = []
        if rules.anonymous { ways.append("anonymous") }
        if rules.emailPassword {
            ways.append("e-mail and password (confirmation: \(rules.confirmation), reset: \(rules.passwordReset))")
        }
        if rules.userAPIKeys { ways.append("users' API keys") }
        ways += providers.map(\.name.rawValue) + ["server API keys"]
        return ways.joined(separator: ", ")
    }
}
