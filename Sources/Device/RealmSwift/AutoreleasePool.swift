/// Calls the closure. Without Objective-C there is nothing to release; the function exists so that an app for several
/// platforms finds this name on all of them.
///
/// ```swift
/// DispatchQueue(label: "import").async {
///     autoreleasepool {
///         let realm = try! Realm()
///         try! realm.write { realm.deleteAll() }
///     }
/// }
/// ```
///
/// - Throws: What the closure throws.
@inlinable
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
}
