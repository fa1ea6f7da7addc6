/// What a verification of a file found.
package struct VerificationReport: Sendable, Hashable {
    /// The most problems that get a sentence. The others are only counted.
    package static let problemsMax = 100

    /// One sentence each: where, and what contradicts what. Empty when the file is sound.
    package private(set) var problems: [String] = []
    /// How many there are, those without a sentence included.
    package private(set) var problemCount = 0
    package internal(set) var pages = 0
    package internal(set) var objects = 0

    package var isSound: Bool { problemCount == 0 }

    mutating func note(_ problem: @autoclosure () -> String) {
        problemCount += 1
        if problems.count < Self.problemsMax { problems.append(problem()) }
    }
}
