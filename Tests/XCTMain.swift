import Testing

/// Runs the tests of Swift Testing. SwiftPM looks for a file of this name; without it, it makes one by itself, from an index that a
/// build does not have that compiles whole modules (deploy/prepare).
@main
struct EntryPoint {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
