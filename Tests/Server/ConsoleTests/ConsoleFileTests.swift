import CausewayAdmin
import CausewayHTTP
import Foundation
import Testing

@testable import CausewayConsole

@Suite("The files of the console, and how they are served")
struct ConsoleFileTests {
    private let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Server/Console/page").standardized

    private static let token = String(repeating: "t", count: AdminAccess.tokenBytesMin)

    private func service(isLocal: Bool = true) -> AdminService {
        AdminService(
            AdminRoutes.console,
            access: AdminAccess(token: Self.token, isPeerVerified: false, isMonitoringOpen: false, isLocal: isLocal))
    }

    private func head(_ target: String, _ more: HTTPHead.Header..., host: String = "localhost:7444") throws -> HTTPHead
    {
        try #require(HTTPHead(method: "GET", target: target, headers: [.init("host", host)] + more))
    }

    private func answer(_ head: HTTPHead) async -> HTTPAnswer {
        await service().answer(HTTPRequest(head))
    }

    private func header(_ name: String, of answer: HTTPAnswer) -> String? {
        answer.headers.first { $0.name == name }?.value
    }

    private func bytes(_ answer: HTTPAnswer) -> [UInt8] {
        if case .whole(let bytes) = answer.body { bytes } else { [] }
    }

    @Test("the program has every file of the folder, and no other")
    func folderIsEmbedded() throws {
        let root = folder.path + "/"
        let enumerator = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        let files = enumerator.compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
        #expect(
            Set(files.map { $0.path.replacing(root, with: "") }.map { $0 == "index.html" ? "" : $0 })
                == Set(ConsoleFile.all.map(\.path)))
        for file in ConsoleFile.all {
            let content = try Data(contentsOf: folder.appending(path: file.path.isEmpty ? "index.html" : file.path))
            // Thousands of bytes are no message.
            let isSame = Array(content) == file.content
            #expect(isSame, "\(file.path) has changed since the build")
        }
    }

    @Test("without a token everybody gets the files, and nothing else")
    func noToken() throws {
        for file in ConsoleFile.all {
            guard case .body(let bytesMax) = service().admit(try head("/console/\(file.path)")) else {
                Issue.record("It was refused: \(file.path)")
                return
            }
            #expect(bytesMax == 0)
        }
        let (post, other) = (HTTPHead(method: "POST", target: "/console/"), try head("/"))
        for head in [try #require(post), other] {
            guard case .refused(let answer) = service(isLocal: false).admit(head) else {
                Issue.record("It was admitted: \(head)")
                return
            }
            #expect(answer.status == 401)
        }
    }

    @Test("a page of another site does not get the console by a name of its own")
    func host() throws {
        guard case .refused(let answer) = service().admit(try head("/console/", host: "evil.example")) else {
            Issue.record("It was admitted.")
            return
        }
        #expect(answer.status == 421)
    }

    @Test("every file comes with its type, and with headers that let it do nothing but its work")
    func headers() async throws {
        for file in ConsoleFile.all {
            let answer = await answer(try head("/console/\(file.path)"))
            #expect(answer.status == 200 && bytes(answer) == file.content)
            let policy = try #require(header("content-security-policy", of: answer))
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"))
            #expect(policy.hasSuffix("base-uri 'none'; form-action 'none'; frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(header("x-content-type-options", of: answer) == "nosniff")
            #expect(header("referrer-policy", of: answer) == "no-referrer")
            #expect(header("cache-control", of: answer) == "no-cache")
        }
        let types = Dictionary(ConsoleFile.all.map { ($0.path.split(separator: ".").last ?? "", $0.type) }) { $1 }
        #expect(
            types == [
                "": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
                "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
            ])
    }

    @Test("a browser that has this version of a file is not sent it again")
    func entityTags() async throws {
        let first = await answer(try head("/console/modules/main.js"))
        let tag = try #require(header("etag", of: first))
        let again = await answer(try head("/console/modules/main.js", .init("if-none-match", tag)))
        #expect(again.status == 304 && bytes(again).isEmpty && header("etag", of: again) == tag)
        let other = await answer(try head("/console/modules/dom.js", .init("if-none-match", tag)))
        #expect(other.status == 200)
        #expect(Set(ConsoleFile.all.map(\.entityTag)).count == ConsoleFile.all.count)
    }

    @Test("what the console does not have is not there")
    func unknown() async throws {
        for path in [
            "/console/none.js", "/console/modules/none.js", "/console/..%2Fmain.js", "/console/modules/..%2F..%2Fx",
        ] {
            #expect(await answer(try head(path)).status == 404, "\(path)")
        }
    }
}
