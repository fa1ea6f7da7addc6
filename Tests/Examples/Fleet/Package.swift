// swift-tools-version: 6.2

import PackageDescription

// A fleet and its depot: actors, observation and sync together. In a package of your own the dependency is Causeway's
// address instead of a path.
let package = Package(
    name: "fleet",
    products: [.executable(name: "fleet", targets: ["Fleet"])],
    dependencies: [.package(name: "causeway", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Fleet",
            dependencies: [.product(name: "RealmSwift", package: "causeway")],
            path: "Sources"
        )
    ]
)
