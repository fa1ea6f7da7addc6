// swift-tools-version: 6.2

import PackageDescription

// Builds what the documentation shows, in one go: the sample packages, the samples of the guides and of README (each
// page is a program, taken out of it by `deploy/examples`), and a client whose compile time is measured.

// `deploy/examples` says so when this list is not that of the pages.
let guides = [
    "BackEnds", "ConflictsAndMerging", "DefiningModels", "DeployingToAFleet", "DifferentOnLinux", "ErrorsAndDebugging",
    "GettingStarted", "Installing", "LimitsAndPlatforms", "MigratingFromRealm", "MovingFromAtlas", "Observing",
    "Queries", "QuestionsAndAnswers", "Readme", "ReadmeStart", "RunningAServer", "Syncing", "TestingYourApp",
    "ThreadsAndActors", "UndoAndRedo",
]

let package = Package(
    name: "causeway-examples",
    dependencies: [
        .package(name: "causeway", path: "../.."),
        .package(path: "Documents"),
        .package(path: "Fleet"),
        .package(path: "Gateway"),
        .package(path: "ToDo"),
    ],
    targets: guides.map {
        .executableTarget(
            name: $0,
            dependencies: [
                .product(name: "Causeway", package: "causeway"), .product(name: "RealmSwift", package: "causeway"),
            ],
            path: "Guides/\($0)",
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    } + [
        .executableTarget(
            name: "ManyQueries",
            dependencies: [
                .product(name: "RealmSwift", package: "causeway"),
                // Programs of other packages are built only for whoever needs them.
                .product(name: "documents", package: "Documents"), .product(name: "fleet", package: "Fleet"),
                .product(name: "gateway", package: "Gateway"), .product(name: "todo", package: "ToDo"),
            ],
            path: "ManyQueries",
            swiftSettings: [.unsafeFlags(["-Xfrontend", "-warn-long-expression-type-checking=300"])]
        )
    ]
)
