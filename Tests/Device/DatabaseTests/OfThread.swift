import Foundation

/// A value for each thread and class: what objects of the class report to the test that makes them, while other suites, on other
/// threads, may make objects of the same class.
enum OfThread {
    static func value<Value>(of type: AnyClass) -> Value? {
        (Thread.current.threadDictionary[String(describing: type)] as? Box<Value>)?.value
    }

    static func set<Value>(_ value: Value?, of type: AnyClass) {
        Thread.current.threadDictionary[String(describing: type)] = value.map(Box.init)
    }

    private final class Box<Value> {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }
}
