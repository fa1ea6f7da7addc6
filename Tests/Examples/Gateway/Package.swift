// swift-tools-version: 6.2

import PackageDescription

// A gateway that is offline for days: one-way readings, a configuration that changes meanwhile, a bounded file. In a
// package of your own the dependency is Causeway's address instead of a path.
let package = Package(
    name: "gateway",
    products: [.executable(name: "gateway", targets: ["Gateway"])],
    dependencies: [.package(name: "causeway", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Gateway",
            dependencies: [.product(name: "RealmSwift", package: "causeway")],
            path: "Sources",
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ]
)
