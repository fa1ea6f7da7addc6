import CausewayModel
import Foundation

/// The claims of an access token about its user, for rules to ask for.
enum AccountClaims {
    static let email = "email"
    static let role = "role"
    static let customData = "customData"

    /// All that the tokens of accounts claim; `email` only where addresses are proven.
    static let names: Set<String> = ["sub", "iss", "aud", "iat", "exp", "jti", "provider", email, role, customData]

    static func of(_ account: AccountRecord) -> [String: ClaimValue] {
        var claims: [String: ClaimValue] = [:]
        if let address = account.email { claims[email] = .string(address.string) }
        switch account.roles ?? [] {
        case let roles where roles.count == 1: claims[role] = .string(roles[0])
        case let roles where !roles.isEmpty: claims[role] = .array(roles.map(ClaimValue.string))
        default: break
        }
        // What was stored before there was a limit may be too large for a token.
        if !account.customData.isEmpty, fits(account.customData) { claims[customData] = .object(account.customData) }
        return claims
    }

    private static func fits(_ data: [String: ClaimValue]) -> Bool {
        guard let json = try? JSONEncoder().encode(data) else { return false }
        return (try? [String: ClaimValue](json: json, within: .customData)) != nil
    }
}

extension PermissionRules {
    /// Rules that permit nobody, because they name a claim that no token of the accounts has: each with its key and a
    /// sentence.
    package func unknownClaims(under rules: AccountRules, providersProveAddresses: Bool) -> [RuleProblem] {
        let hasEmail = rules.provesAddresses || providersProveAddresses
        return expressions.flatMap { key, template in
            template.claims.compactMap { path -> RuleProblem? in
                guard let name = path.first else { return nil }
                if name == AccountClaims.email, !hasEmail {
                    return RuleProblem(
                        key,
                        "No token has an e-mail address, for the accounts have none that is proven. Confirm addresses by "
                            + "message, or ask for something else.")
                }
                guard !AccountClaims.names.contains(name) else { return nil }
                return RuleProblem(
                    key,
                    "No token claims '\(name.prefix(80))', so that this permits nobody. Accounts claim email, role, "
                        + "provider and customData, which has what was noted by: sync-server accounts custom-data")
            }
        }
    }

    /// All expressions, each with the key of its rule.
    private var expressions: [(key: String, template: RuleTemplate)] {
        var all: [(String, Rule?)] = [("schema.extend", extendSchema)]
        all += otherwise.all(under: "default")
        for (name, ofClass) in byClass.sorted(by: { $0.key < $1.key }) { all += ofClass.all(under: "classes.\(name)") }
        return all.compactMap { key, rule in
            if case .when(let template)? = rule { (key, template) } else { nil }
        }
    }
}

extension PermissionRules.OfClass {
    fileprivate func all(under key: String) -> [(String, PermissionRules.Rule?)] {
        let own: [(String, PermissionRules.Rule?)] = [
            ("\(key).read", read), ("\(key).write", write), ("\(key).create", create), ("\(key).delete", delete),
        ]
        return own
            + properties.sorted { $0.key < $1.key }.flatMap { name, rules in
                [("\(key).properties.\(name).read", rules.read), ("\(key).properties.\(name).write", rules.write)]
            }
    }
}

extension RuleTemplate {
    /// The paths of the claims that it mentions.
    fileprivate var claims: [[String]] {
        mentions.compactMap { mention in
            if case .claim(let path) = mention { path } else { nil }
        }
    }
}
