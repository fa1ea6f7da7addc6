// swift-tools-version: 6.2

import PackageDescription

// An app that never syncs: without the package's traits nothing is fetched or built that only the network or the server
// needs.

let package = Package(
    name: "Local",
    dependencies: [.package(name: "causeway", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "local",
            dependencies: [.product(name: "Causeway", package: "causeway")],
            path: "Sources/Local",
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ]
)
