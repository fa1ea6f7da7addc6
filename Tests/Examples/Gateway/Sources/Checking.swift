/// Something is not as this program says.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

/// Prints the sentence if it is true, and throws it if it is not.
func check(_ isTrue: Bool, _ sentence: String) throws {
    guard isTrue else { throw Unexpected(description: "it is not so that \(sentence)") }
    print("   \(sentence)")
}
