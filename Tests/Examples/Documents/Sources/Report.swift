import Foundation

/// Prints what was found, and ends the program where it is not what the documents say.
func expect<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) {
    guard found == expected else {
        print("\(what): \(found), and not \(expected)")
        exit(1)
    }
    print("   \(what): \(found)")
}
