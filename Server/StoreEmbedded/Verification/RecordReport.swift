package import CausewayModel

/// What a verification of a record found, and what is in the record.
package struct RecordReport: Sendable, Hashable {
    /// The most problems that get a sentence. The others are only counted.
    package static let problemsMax = 100

    package struct ClassCount: Sendable, Hashable {
        package var name: String
        package var objects: Int

        package init(name: String, objects: Int) {
            self.name = name
            self.objects = objects
        }
    }

    /// Zero in a file that no server has opened.
    package internal(set) var epoch: UInt64 = 0
    package internal(set) var version = ServerVersion.zero
    /// The classes that devices see, by name, with the number of their objects.
    package internal(set) var classes: [ClassCount] = []
    /// One sentence each. They name classes, rows and versions, and no value of a user's data.
    package private(set) var problems: [String] = []
    /// How many there are, those without a sentence included.
    package private(set) var problemCount = 0

    package init() {}

    package var isSound: Bool { problemCount == 0 }

    mutating func note(_ problem: @autoclosure () -> String) {
        problemCount += 1
        if problems.count < Self.problemsMax { problems.append(problem()) }
    }
}
