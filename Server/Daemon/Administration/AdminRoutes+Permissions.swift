import CausewayAdmin
import CausewayHTTP
import CausewayIdentity
import CausewayJSON
import CausewayStore

// Permissions: what somebody may do, and which rule says so.

extension AdminRoutes {
    mutating func addPermissions(_ desk: AdminDesk) {
        add(
            [
                // It changes nothing. It is a POST because claims and tokens do not belong into a URL.
                AdminRoute(
                    "POST", "/admin/v1/databases/{database}/permissions/explain",
                    bodyBytesMax: AdminRoute.bodyBytesMaxStandard,
                    description: AdminDescription(
                        "explainPermissions", "What a caller may do with an object, and which rule says so.",
                        body: "ExplainRequest", answer: "Explanation", errors: [.databaseUnknown])
                ) { request throws(AdminError) in
                    try await desk.use(request) { tenant throws(AdminError) in
                        let body = try request.members("class", "key", "values", "user", "claims", "token", "account")
                        return try await desk.explain(
                            PermissionInquiry(body),
                            to: CallerInquiry(
                                user: body.text("user"), claims: body["claims"], token: body.text("token"),
                                account: body.text("account")), in: tenant)
                    }
                }
            ], schemas: PermissionExplanation.schemas)
    }
}

extension PermissionInquiry {
    fileprivate init(_ body: AdminMembers) throws(AdminError) {
        className = try body.requiredText("class")
        switch (body["key"], body["values"]) {
        case (let key?, nil): subject = .stored(key)
        case (nil, let values): subject = .described(values ?? .object([]))
        case (_?, _?):
            throw AdminError(.requestInvalid, "Send either the key of a stored object, or values that describe one.")
        }
    }
}

extension AdminDesk {
    fileprivate func explain(
        _ inquiry: PermissionInquiry, to caller: CallerInquiry, in tenant: Tenant
    ) async throws(AdminError) -> HTTPAnswer {
        let found = try await callers(of: tenant).find(caller)
        let rules = tenant.office.rules
        let (result, version) = try await read(tenant) { snapshot throws(StoreFailure) in
            (try inquiry.explanation(by: rules, for: found.caller, in: snapshot), snapshot.version)
        }
        let explanation = try result.get()
        return .json { explanation.append(to: &$0, found, version) }
    }
}
