package import CausewayAdmin
import CausewayHTTP

extension AdminRoutes {
    /// The console: the page below `/console/`, which asks the admin API for everything that it shows.
    ///
    /// Its files are part of the program and hold nothing of the server, so they need no token: the page asks for it.
    package static let console = AdminRoutes([
        AdminRoute("GET", "/console", access: .everybody) { request throws(AdminError) in
            try ConsoleFile.answer(to: request, path: "")
        },
        AdminRoute("GET", "/console/{file}", access: .everybody) { request throws(AdminError) in
            try ConsoleFile.answer(to: request, path: request["file"])
        },
        AdminRoute("GET", "/console/{folder}/{file}", access: .everybody) { request throws(AdminError) in
            try ConsoleFile.answer(to: request, path: request["folder"] + "/" + request["file"])
        },
    ])
}

extension ConsoleFile {
    private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })

    fileprivate static func answer(to request: AdminRequest, path: String) throws(AdminError) -> HTTPAnswer {
        guard let file = byPath[path] else {
            throw AdminError(.pathUnknown, "The console has no file of this name. It begins at /console/.")
        }
        return file.answer(to: request.request.head)
    }

    /// Nothing for a browser that has this version already.
    func answer(to head: HTTPHead) -> HTTPAnswer {
        let isKnown = head.header("if-none-match") == entityTag
        return HTTPAnswer(
            status: isKnown ? 304 : 200, headers: headers, body: .whole(isKnown ? [] : content))
    }

    private var headers: [HTTPHead.Header] {
        [
            .init("content-type", type),
            .init("etag", entityTag),
            // Kept, and asked about at each use: after an upgrade of the server no file is of the version before.
            .init("cache-control", "no-cache"),
            .init("content-security-policy", Self.contentSecurityPolicy),
            .init("referrer-policy", "no-referrer"),
            .init("cross-origin-opener-policy", "same-origin"),
            .init("cross-origin-resource-policy", "same-origin"),
        ]
    }

    /// The page runs its own files alone, talks to its own listener alone, and stands in no other page. Should a value
    /// ever be taken for markup, it could neither run nor send anything.
    static let contentSecurityPolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
}
