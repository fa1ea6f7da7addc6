import CausewayIdentity
import Yams

extension Configuration {
    /// The section `accounts`; nil when there is none, or when it switches itself off.
    static func readAccounts(_ root: inout Section) -> Accounts? {
        guard let node = root.node("accounts") else { return nil }
        var section = Section(node, path: "accounts")
        var accounts = Accounts()
        let isEnabled = section.flag("enabled", default: true)
        accounts.rules = readRules(&section)
        accounts.program = section.texts("program")
        for (index, node) in section.list("providers").enumerated() {
            var provider = Section(node, path: "accounts.providers[\(index)]")
            let name: Accounts.Provider.Name? = provider.choice("name", default: nil)
            let keySet = provider.requiredText("keySet", "Download the provider's JWKS document and name its file.")
            let (issuers, audiences) = (provider.texts("issuers"), provider.texts("audiences"))
            if audiences.isEmpty {
                provider.note(
                    "audiences", node,
                    "No audience is named, so that tokens for any other app would be taken. Name your app's client id.")
            }
            if accounts.providers.contains(where: { $0.name == name }) {
                provider.note("name", node, "Two providers have this name. Put their keys into one set.")
            }
            section.take(provider.finish())
            if let name {
                accounts.providers.append(.init(name: name, keySet: keySet, issuers: issuers, audiences: audiences))
            }
        }
        accounts.functions = readFunctions(&section)
        if let login = accounts.rules.loginFunction, !accounts.functions.contains(where: { $0.name == login }) {
            section.note("loginFunction", nil, "There is no function '\(login.prefix(40))'. List it in `functions`.")
        }
        checkProgram(accounts, &section)
        root.take(section.finish())
        return isEnabled ? accounts : nil
    }

    private static func readRules(_ section: inout Section) -> AccountRules {
        var rules = AccountRules()
        rules.anonymous = section.flag("anonymous", default: rules.anonymous)
        rules.emailPassword = section.flag("emailPassword", default: rules.emailPassword)
        rules.confirmation = section.choice("confirmation", default: rules.confirmation) ?? rules.confirmation
        rules.passwordReset = section.choice("passwordReset", default: rules.passwordReset) ?? rules.passwordReset
        rules.passwordLengthMin = section.number("passwordLengthMin", 6...128, default: rules.passwordLengthMin)
        rules.userAPIKeys = section.flag("userAPIKeys", default: rules.userAPIKeys)
        rules.accessTokenMilliseconds =
            UInt64(section.number("accessTokenSeconds", 1...86_400, default: 1_800)) * 1_000
        rules.refreshTokenMilliseconds =
            UInt64(section.number("refreshTokenDays", 1...3_650, default: 60)) * 86_400_000
        rules.messageTokenMilliseconds =
            UInt64(section.number("messageTokenMinutes", 1...10_080, default: 30)) * 60_000
        rules.failuresMax = section.number("failuresMax", 1...1_000, default: rules.failuresMax)
        rules.failureWindowMilliseconds =
            UInt64(section.number("failureWindowMinutes", 1...1_440, default: 15)) * 60_000
        rules.anonymousMax = section.number("anonymousMax", 1...1_000_000, default: rules.anonymousMax)
        rules.loginFunction = section.text("loginFunction")
        return rules
    }

    private static func readFunctions(_ accounts: inout Section) -> [Accounts.Function] {
        var functions: [Accounts.Function] = []
        for (index, node) in accounts.list("functions").enumerated() {
            var section = Section(node, path: "accounts.functions[\(index)]")
            let name = section.requiredText("name", "Name it as apps shall call it.")
            let program = section.texts("program")
            if functions.contains(where: { $0.name == name }) {
                section.note("name", node, "Two functions have this name. Name each once.")
            }
            if program.first?.hasPrefix("/") != true {
                section.note("program", node, "The program has no absolute path. Write the whole path.")
            }
            accounts.take(section.finish())
            if !program.isEmpty { functions.append(.init(name: name, program: program)) }
        }
        return functions
    }

    private static func checkProgram(_ accounts: Accounts, _ section: inout Section) {
        if let program = accounts.program.first, !program.hasPrefix("/") {
            section.note("program", nil, "'\(program.prefix(40))' is not an absolute path. Write the whole path.")
        }
        let decides = accounts.rules.confirmation == .program || accounts.rules.passwordReset == .program
        if decides, accounts.program.isEmpty {
            section.note(
                "program", nil, "A program shall decide, and none is named. Name it, or choose another way.")
        }
    }
}
