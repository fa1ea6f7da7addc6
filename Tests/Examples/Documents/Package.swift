// swift-tools-version: 6.2

import PackageDescription

// What an app written for Realm Swift looks like: one import, and the code of its documents. In a package of your own
// the dependency is Causeway's address instead of a path.
let package = Package(
    name: "documents",
    products: [.executable(name: "documents", targets: ["Documents"])],
    dependencies: [.package(name: "causeway", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Documents",
            dependencies: [.product(name: "RealmSwift", package: "causeway")],
            path: "Sources"
        )
    ]
)
