/// A part of the world, for closures of the product that might leave its one thread. It does not keep the part.
///
/// Unchecked: nothing in the simulation starts a thread, so that what is called was called from the world. Unowned: what
/// the closures belong to does not outlive the world.
struct OneThread<Part: AnyObject>: @unchecked Sendable {
    unowned let part: Part

    init(_ part: Part) { self.part = part }
}

/// Something that such a closure keeps until it was called.
///
/// Unchecked: as above.
struct Once<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
