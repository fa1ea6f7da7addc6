import CausewayIdentity
import Foundation
import Testing

@Suite("Accounts: confirming addresses, setting passwords anew, keys")
struct PasswordFlowTests {
    private let email = "ann@example.org"

    private func rules(
        _ confirmation: AccountRules.Confirmation, reset: AccountRules.PasswordReset = .off
    ) -> AccountRules {
        var rules = AccountsFixture.everything
        rules.confirmation = confirmation
        rules.passwordReset = reset
        return rules
    }

    private func token(_ message: AccountMessage?) throws -> [String: String] {
        let message = try #require(message)
        return ["token": try #require(message.token), "tokenId": try #require(message.tokenId)]
    }

    @Test("an address is confirmed with its message, once, and only then logs in")
    func confirmation() async throws {
        let fixture = try await AccountsFixture(rules(.message))
        defer { fixture.end() }
        #expect(try await fixture.register(email).status == 200)
        #expect(try await fixture.login(email).code == "authError")
        #expect(try await fixture.login(email, "wrong password").code == "invalidPassword")
        let first = try token(fixture.people.messages.last)
        #expect(fixture.people.messages.last?.email == email)
        #expect(fixture.people.messages.last?.kind == .confirm)
        // The newest message counts.
        #expect(try await fixture.call("resend", ["email": email]).status == 200)
        #expect(try await fixture.call("confirm", first).code == "badRequest")
        let second = try token(fixture.people.messages.last)
        var wrong = second
        wrong["token"] = first["token"]
        #expect(try await fixture.call("confirm", wrong).code == "badRequest")
        #expect(try await fixture.call("confirm", second).status == 200)
        #expect(try await fixture.call("confirm", second).code == "badRequest")
        #expect(try await fixture.login(email).status == 200)
    }

    @Test("where messages confirm, no call tells whether an address is known; its owner is told")
    func enumeration() async throws {
        let fixture = try await AccountsFixture(rules(.message, reset: .message))
        defer { fixture.end() }
        let first = try await fixture.register(email)
        _ = try await fixture.call("confirm", try token(fixture.people.messages.last))
        #expect(try await fixture.register(email) == first)
        #expect(fixture.people.messages.last?.kind == .alreadyRegistered)
        #expect(fixture.people.messages.last?.token == nil)
        let count = fixture.people.messages.count
        for call in ["resend", "sendReset"] {
            #expect(try await fixture.call(call, ["email": "ben@example.org"]).status == 200, "\(call)")
        }
        // Confirmed already, so that there is nothing to send either.
        #expect(try await fixture.call("resend", ["email": email]).status == 200)
        #expect(fixture.people.messages.count == count)
    }

    @Test("a message's token ends with its time")
    func expiredMessage() async throws {
        let fixture = try await AccountsFixture(rules(.message))
        defer { fixture.end() }
        _ = try await fixture.register(email)
        fixture.clock.pass(seconds: 1_800)
        #expect(try await fixture.call("confirm", try token(fixture.people.messages.last)).code == "badRequest")
    }

    @Test("the operator's program confirms, asks for patience or refuses")
    func program() async throws {
        let fixture = try await AccountsFixture(rules(.program))
        defer { fixture.end() }
        fixture.people.decide(.later)
        #expect(try await fixture.register(email).status == 200)
        #expect(try await fixture.login(email).code == "authError")
        fixture.people.decide(.no)
        #expect(try await fixture.call("retryConfirmation", ["email": email]).code == "authError")
        fixture.people.decide(.yes)
        #expect(try await fixture.call("retryConfirmation", ["email": email]).status == 200)
        #expect(try await fixture.login(email).status == 200)
        #expect(fixture.people.questions.map(\.email) == [email, email, email])
        #expect(try await fixture.call("confirm", ["token": "x", "tokenId": "y"]).code == "authProviderNotFound")
    }

    @Test("a password is set anew with the message, and every login of the user ends")
    func reset() async throws {
        let fixture = try await AccountsFixture(rules(.automatic, reset: .message))
        defer { fixture.end() }
        let user = try await fixture.user(email)
        #expect(try await fixture.call("sendReset", ["email": email]).status == 200)
        var request = try token(fixture.people.messages.last)
        #expect(fixture.people.messages.last?.kind == .reset)
        request["password"] = "short"
        #expect(try await fixture.call("reset", request).code == "invalidParameter")
        request["password"] = "another password"
        #expect(try await fixture.call("reset", request).status == 200)
        #expect(try await fixture.call("reset", request).code == "badRequest")
        #expect(try await fixture.login(email).code == "invalidPassword")
        #expect(try await fixture.call("refresh", ["refreshToken": user.refresh]).code == "invalidSession")
        #expect(try await fixture.login(email, "another password")["userId"] == user.id)
        // A token for one purpose is none for another.
        _ = try await fixture.call("sendReset", ["email": email])
        #expect(
            try await fixture.call("confirm", try token(fixture.people.messages.last)).code == "authProviderNotFound")
    }

    @Test("the operator's program decides on a new password, with the arguments of the app")
    func programReset() async throws {
        let fixture = try await AccountsFixture(rules(.automatic, reset: .program))
        defer { fixture.end() }
        _ = try await fixture.register(email)
        let body = Data(#"{"email":"ann@example.org","password":"another password","arguments":["rex",{"a":1}]}"#.utf8)
        func ask() async -> Int {
            await fixture.accounts.answer("callReset", body: [UInt8](body), token: nil, peer: "p").status
        }
        #expect(await ask() == 401)
        #expect(try await fixture.login(email).status == 200)
        fixture.people.decide(.yes)
        #expect(await ask() == 200)
        #expect(fixture.people.questions.last?.arguments == [.string("rex"), .object(["a": .int(1)])])
        #expect(try await fixture.login(email, "another password").status == 200)
        #expect(try await fixture.call("sendReset", ["email": email]).code == "authProviderNotFound")
    }

    @Test("a key logs in as its user until it is disabled or deleted, which ends its logins")
    func keys() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        let (ann, ben) = (try await fixture.user(email), try await fixture.user("ben@example.org"))
        let made = try await fixture.call("createKey", ["name": "laptop"], token: ann.access)
        let (key, id) = (try #require(made["key"]), try #require(made["id"]))
        #expect(made.content["disabled"] == .bool(false))
        let twice = try await fixture.call("createKey", ["name": "laptop"], token: ann.access)
        #expect(twice.code == "apiKeyAlreadyExists")
        func login(_ key: String) async throws -> AccountsFixture.Reply {
            try await fixture.call("login", ["provider": "api-key", "key": key])
        }
        let session = try await login(key)
        #expect(session["userId"] == ann.id)
        let refresh = ["refreshToken": try #require(session["refreshToken"])]
        #expect(try await login(String(key.dropLast()) + "?").code == "authError")
        #expect(try await login("x").code == "authError")

        // The key itself is shown once, and to nobody else at all.
        let listed = try await fixture.call("keys", token: ann.access)
        #expect(
            listed.content["keys"]
                == .array([
                    .object(["id": .string(id), "name": .string("laptop"), "disabled": .bool(false)])
                ]))
        #expect(try await fixture.call("keys", token: ben.access).content["keys"] == .array([]))
        for call in ["key", "enableKey", "disableKey", "deleteKey"] {
            #expect(try await fixture.call(call, ["id": id], token: ben.access).code == "valueNotFound", "\(call)")
        }

        #expect(try await fixture.call("disableKey", ["id": id], token: ann.access).status == 200)
        #expect(try await login(key).code == "authError")
        #expect(try await fixture.call("refresh", refresh).code == "invalidSession")
        #expect(try await fixture.call("key", ["id": id], token: ann.access).content["disabled"] == .bool(true))
        #expect(try await fixture.call("enableKey", ["id": id], token: ann.access).status == 200)
        #expect(try await login(key).status == 200)
        #expect(try await fixture.call("deleteKey", ["id": id], token: ann.access).status == 200)
        #expect(try await login(key).code == "authError")
        #expect(try await fixture.call("key", ["id": id], token: ann.access).code == "valueNotFound")
        // The user's other logins go on.
        #expect(try await fixture.call("refresh", ["refreshToken": ann.refresh]).status == 200)
    }

    @Test("an operator makes a key for a program, shuts users out and in, and notes data for them")
    func office() async throws {
        let fixture = try await AccountsFixture()
        defer { fixture.end() }
        let user = try await fixture.user(email)
        // While the accounts are served.
        let office = try AccountOffice(folder: fixture.folder.path)
        let made = try office.makeServerKey(named: "ingest")
        let login = try await fixture.call("login", ["provider": "api-key", "key": made.key])
        #expect(login["userId"] == made.user)
        try office.setCustomData(#"{"team":"north"}"#, user: user.id)
        #expect(
            try await fixture.call("profile", token: user.access).content["customData"]
                == .object(["team": .string("north")]))
        try office.setDisabled(true, user: user.id)
        #expect(try await fixture.login(email).code == "userDisabled")
        #expect(try await fixture.call("profile", token: user.access).code == "userDisabled")
        #expect(try await fixture.call("refresh", ["refreshToken": user.refresh]).code == "invalidSession")
        try office.setDisabled(false, user: user.id)
        #expect(try await fixture.login(email)["userId"] == user.id)
        #expect(try office.list().count == 2)
        #expect(try office.list().allSatisfy { !$0.contains(AccountsFixture.password) })
        #expect(throws: IdentityError.self) { try office.setDisabled(true, user: "nobody") }
        #expect(throws: IdentityError.self) { try office.setCustomData("[]", user: user.id) }
        #expect(throws: IdentityError.self) { try office.makeServerKey(named: "") }
        #expect(throws: IdentityError.self) { try AccountOffice(folder: fixture.folder.path + "/nothing") }
    }
}
