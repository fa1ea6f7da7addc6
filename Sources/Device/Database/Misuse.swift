import Glibc

/// Stops the program because it used the library in a way that RealmSwift answers with an exception.
///
/// There is no way to go on: the caller holds an object that does not exist or writes where nobody may. The sentence
/// goes to standard error first, so that a crash report and an exit test can read it.
@usableFromInline
package func misuse(_ sentence: String) -> Never {
    let line = "Causeway: " + sentence + "\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    fatalError(sentence)
}
