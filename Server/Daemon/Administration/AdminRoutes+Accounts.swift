import CausewayAdmin
import CausewayHTTP
import CausewayIdentity
import CausewayJSON
import CausewayTelemetry

// Accounts: the users that the server itself keeps, and ending their logins.

extension AdminRoutes {
    mutating func addAccounts(_ desk: AdminDesk) {
        let accounts = "/admin/v1/databases/{database}/accounts"
        let disabled = accounts + "/{user}/disabled"
        let errors: [AdminError.Code] = [.databaseUnknown, .notConfigured]
        add(
            [
                AdminRoute(
                    "GET", accounts,
                    AdminDescription(
                        "listAccounts", "The accounts that the server keeps, in the order of their ids.",
                        parameters: AdminPage.parameters, answer: "Accounts", errors: errors)
                ) { request throws(AdminError) in
                    let page = AdminPage(request)
                    let found = try await desk.accounts(request) { accounts throws(AccountError) in
                        try await accounts.summaries(after: page.after, countMax: page.limit)
                    }
                    return page.answer("accounts", (found.accounts, found.next)) { $0.append(to: &$1) }
                },
                AdminRoute(
                    "PUT", disabled,
                    AdminDescription(
                        "disableAccount", "Disables an account, and ends its logins.", answer: "AccountDisabled",
                        errors: errors + [.accountUnknown])
                ) { request throws(AdminError) in try await Self.disable(true, desk, request) },
                AdminRoute(
                    "DELETE", disabled,
                    AdminDescription(
                        "enableAccount", "Enables an account again.", answer: "AccountDisabled",
                        errors: errors + [.accountUnknown])
                ) { request throws(AdminError) in try await Self.disable(false, desk, request) },
            ], schemas: Self.schemas)
    }

    private static func disable(
        _ isDisabled: Bool, _ desk: AdminDesk, _ request: AdminRequest
    ) async throws(AdminError) -> HTTPAnswer {
        let user = request["user"]
        let before = try await desk.accounts(request) { accounts throws(AccountError) in
            try await accounts.setDisabled(isDisabled, user: user)
        }
        guard let before else {
            throw AdminError(
                .accountUnknown,
                "The database has no account “\(user.prefix(64))”. GET …/accounts lists them; users of other issuers are shut "
                    + "out with PUT …/shut-out/users/{user}.")
        }
        if before != isDisabled {
            desk.telemetry.audit(
                AuditEvent(
                    .accountChanged, database: request["database"], user: "admin", address: request.address,
                    subject: (isDisabled ? "disable " : "enable ") + user))
        }
        return .json { $0.object { $0.field("wasDisabled", before) } }
    }

    private static let schemas = """
            Accounts:
              type: object
              required: [accounts]
              additionalProperties: false
              properties:
                accounts:
                  type: array
                  items:
                    type: object
                    required: [user, providers, isDisabled, created]
                    additionalProperties: false
                    properties:
                      user: {type: string}
                      name: {type: string}
                      email: {type: string}
                      logins: {type: array, items: {type: string}}
                      providers: {type: array, items: {type: string}}
                      roles: {type: array, items: {type: string}}
                      isDisabled: {type: boolean}
                      created: {type: string, format: date-time}
                next: {type: string}
            AccountDisabled:
              type: object
              required: [wasDisabled]
              additionalProperties: false
              properties:
                wasDisabled: {type: boolean}

        """
}

extension AdminDesk {
    /// Works with the accounts of the database that a request names.
    fileprivate func accounts<Value: Sendable>(
        _ request: AdminRequest, _ body: (Accounts) async throws(AccountError) -> Value
    ) async throws(AdminError) -> Value {
        try await use(request) { tenant throws(AdminError) in
            guard let accounts = tenant.accounts else {
                throw AdminError(
                    .notConfigured,
                    "The server keeps no accounts: the configuration has no section accounts. Add it and restart the server."
                )
            }
            do throws(AccountError) {
                return try await body(accounts)
            } catch {
                throw AdminError(.serverFault, error.message)
            }
        }
    }
}

extension AccountSummary {
    fileprivate func append(to json: inout JSONWriter) {
        json.object { json in
            json.field("user", user)
            json.field("name", ifAny: name)
            json.field("email", ifAny: email)
            if !logins.isEmpty {
                json.name("logins")
                json.array(logins) { $1.write($0) }
            }
            json.name("providers")
            json.array(providers) { $1.write($0) }
            if !roles.isEmpty {
                json.name("roles")
                json.array(roles) { $1.write($0) }
            }
            json.field("isDisabled", isDisabled)
            json.field("created", time: created)
        }
    }
}
