import Foundation
import Testing

/// What the compiler refuses is shown by asking it: these tests type-check a few lines against the built library.
@Suite("The page about filtering: what is checked while compiling")
struct CompilerVerdictTests {
    /// What the compiler says of a program that imports the library: nothing when it accepts it.
    private func verdict(on body: String) throws -> String {
        try withTemporaryFolder { folder in
            let source = folder.appendingPathComponent("client.swift")
            try """
            import Causeway
            class Dog: Object { @Persisted var name = "" }
            func found(_ dogs: Results<Dog>) -> Results<Dog> { \(body) }
            """.write(to: source, atomically: true, encoding: .utf8)
            let compiler = Process()
            compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            compiler.arguments =
                ["swiftc", "-typecheck", "-I", build.appendingPathComponent("Modules").path]
                + (try moduleMaps()).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + [source.path]
            let log = folder.appendingPathComponent("verdict")
            try Data().write(to: log)
            let output = try FileHandle(forWritingTo: log)
            compiler.standardError = output
            compiler.standardOutput = output
            try compiler.run()
            compiler.waitUntilExit()
            let text = String(decoding: try Data(contentsOf: log), as: UTF8.self)
            #expect((compiler.terminationStatus == 0) == !text.contains("error:"), "\(text)")
            return text
        }
    }

    /// Where this test's program lies, and with it every module it is made of.
    private var build: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// The C modules that the library's modules mention: generated ones beside the build, others beside their sources.
    private func moduleMaps() throws -> [String] {
        let files = FileManager.default
        let generated = try files.contentsOfDirectory(atPath: build.path).filter { $0.hasSuffix(".build") }
            .map { build.appendingPathComponent($0).appendingPathComponent("module.modulemap").path }
            .filter { files.fileExists(atPath: $0) }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let checkouts = build.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("checkouts")
        let written = [package.appendingPathComponent("Sources"), checkouts].flatMap { folder in
            (files.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? [])
                .filter { $0.hasSuffix("/module.modulemap") && (folder != checkouts || $0.contains("/Sources/")) }
                .map { folder.appendingPathComponent($0).path }
        }
        return generated + written
    }

    @Test("S142 a property that the class does not have is refused while compiling")
    func unknownProperty() throws {
        #expect(try verdict(on: #"dogs.where { $0.name == "Rex" }"#) == "")
        #expect(try verdict(on: #"dogs.where { $0.colour == "tan" }"#).contains("has no dynamic member 'colour'"))
        #expect(try verdict(on: "dogs.where { $0.name == 5 }").contains("error:"))
    }

    @Test("an app of Swift 5 hands over closures that change what it captured")
    func closuresOfSwift5() throws {
        let body = #"""
            final class Page { var label = "" }
            let page = Page()
            var calls = 0
            func ask(_ app: App, _ user: User) {
                app.login(credentials: .anonymous) { result in page.label = "\(result)"; calls += 1 }
                user.apiKeysAuth.createAPIKey(named: "a") { key, _ in page.label = key?.name ?? ""; calls += 1 }
                user.apiKeysAuth.createAPIKey(named: "a") { result in page.label = "\(result)"; calls += 1 }
                user.logOut { _ in calls += 1 }
                app.syncManager.errorHandler = { error, _ in page.label = "\(error)"; calls += 1 }
                _ = Logger(level: .info) { _, message in page.label = message; calls += 1 }
                _ = Realm.Configuration(
                    migrationBlock: { _, _ in calls += 1 }, shouldCompactOnLaunch: { _, _ in calls += 1; return true })
                dogs.realm?.subscriptions.update({}, onComplete: { _ in calls += 1 })
                _ = user.flexibleSyncConfiguration(initialSubscriptions: { _ in calls += 1 })
            }
            return dogs
            """#
        #expect(try verdict(on: body) == "")
    }

    @Test("values of a predicate are passed as CVarArg, too")
    func variableArguments() throws {
        let body = #"""
            let values: [CVarArg] = [ObjectId.generate(), Decimal128(1), dogs[0], "a", 3]
            return dogs.filter("name IN %@ OR name == %@", values, ObjectId.generate() as CVarArg)
            """#
        #expect(try verdict(on: body) == "")
    }
}
