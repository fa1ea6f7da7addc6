// swift-tools-version: 6.2

import PackageDescription

// A shared to-do list: permissions, offline edits that merge, and a change that the server refuses. In a package of
// your own the dependency is Causeway's address instead of a path.
let package = Package(
    name: "todo",
    products: [.executable(name: "todo", targets: ["ToDo"])],
    dependencies: [.package(name: "causeway", path: "../../..")],
    targets: [
        .executableTarget(
            name: "ToDo",
            dependencies: [.product(name: "RealmSwift", package: "causeway")],
            path: "Sources",
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ]
)
