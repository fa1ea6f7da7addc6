import CausewayModel
public import CausewayObjectStore

// Reading an element of a managed list by its position, inlined into the app's module, for numbers and Bools.
//
// As with properties, a read compares the thread, the epoch, the version of the lists and the range, and then loads.
// An element outside of the last window is found in the list's directory, once the list has one.
// All other reads go through `List.element`, which checks everything and moves the window to the position.

/// What an inlined read of an element needs from its list, in memory of its own.
@frozen
public struct _ListCursor {
    /// The window of elements around the last checked read.
    public var window: ListWindow
    /// The spans of the list's directory, in the window's version; empty until there is one. The cursor's owner keeps
    /// the directory alive.
    public var spans: ListSpans
    /// The table's count of changes to lists.
    public var listVersion: UnsafeMutablePointer<UInt>
    /// The owner's class. The list holds the instance that owns it.
    public var header: UnsafeMutablePointer<_AccessHeader>
    /// The epoch of the owner's class in which the owner was last known to exist.
    public var epoch: UInt

    static func make(_ access: _ClassAccess, _ epoch: UInt) -> UnsafeMutablePointer<_ListCursor> {
        let cursor = UnsafeMutablePointer<_ListCursor>.allocate(capacity: 1)
        cursor.initialize(
            to: _ListCursor(
                window: .empty, spans: .empty, listVersion: access.table.listVersion, header: access.header,
                epoch: epoch))
        return cursor
    }

    /// The address of an element, or nil when the read needs further checks.
    @inlinable
    @inline(__always)
    public func element(_ position: Int, size: Int) -> UnsafeRawPointer? {
        guard header.pointee.mayRead(at: epoch), listVersion.pointee == window.version
        else { return nil }
        return window.element(position, size: size) ?? spans.element(position, size: size)
    }
}

extension RealmCollectionValue {
    /// Reads an element of a managed list in place; nil when the inlined path cannot read it.
    @inlinable
    public static func _inlinedElement(_ cursor: UnsafeMutablePointer<_ListCursor>, _ position: Int) -> Self? { nil }

    /// Whether the elements are objects, for which a loop returns accessors.
    @inlinable
    public static func _isObject() -> Bool { false }
}

extension Int {
    /// Reads an element of a managed list in place; nil when the inlined path cannot read it.
    @inlinable
    public static func _inlinedElement(_ cursor: UnsafeMutablePointer<_ListCursor>, _ position: Int) -> Int? {
        guard let element = cursor.pointee.element(position, size: 8) else { return nil }
        return Int(truncatingIfNeeded: element.loadUnaligned(as: Int64.self))
    }
}

extension Double {
    /// Reads an element of a managed list in place; nil when the inlined path cannot read it.
    @inlinable
    public static func _inlinedElement(_ cursor: UnsafeMutablePointer<_ListCursor>, _ position: Int) -> Double? {
        guard let element = cursor.pointee.element(position, size: 8) else { return nil }
        return element.loadUnaligned(as: Double.self)
    }
}

extension Float {
    /// Reads an element of a managed list in place; nil when the inlined path cannot read it.
    @inlinable
    public static func _inlinedElement(_ cursor: UnsafeMutablePointer<_ListCursor>, _ position: Int) -> Float? {
        guard let element = cursor.pointee.element(position, size: 4) else { return nil }
        return element.loadUnaligned(as: Float.self)
    }
}

extension Bool {
    /// Reads an element of a managed list in place; nil when the inlined path cannot read it.
    @inlinable
    public static func _inlinedElement(_ cursor: UnsafeMutablePointer<_ListCursor>, _ position: Int) -> Bool? {
        guard let element = cursor.pointee.element(position, size: 1) else { return nil }
        return element.load(as: UInt8.self) != 0
    }
}
