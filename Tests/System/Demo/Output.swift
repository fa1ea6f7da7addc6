import Foundation

/// Writes a line at once, whoever reads it: a person, a pipe or a file. `print` keeps lines back in a buffer.
func say(_ line: String, terminator: String = "\n") {
    FileHandle.standardOutput.write(Data((line + terminator).utf8))
}
