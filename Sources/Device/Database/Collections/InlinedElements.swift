import CausewayModel
public import CausewayObjectStore
public import Glibc

// Reading an element of a managed list by its position, inlined into the app's module, for numbers and Bools.
//
// As with properties: one compare each for the thread, the epoch, the version of the lists and the range, then the load.
// Elements outside the window that was read last are found in the list's directory, once it has one.
// What is unusual leaves through `List.element`, which checks everything and finds the elements around the position.

/// What an inlined read of an element needs to know of its list, in memory of its own.
@frozen
public struct _ListCursor {
    /// The elements that were read last.
    public var window: ListWindow
    /// Of the same version as the window; empty until the list has a directory. Who has the cursor holds that.
    public var spans: ListSpans
    /// The table's count of changes to lists.
    public var listVersion: UnsafeMutablePointer<UInt>
    /// The owner's class. The list holds the instance that owns it.
    public var header: UnsafeMutablePointer<_AccessHeader>
    /// The epoch of the owner's class in which the owner was seen last.
    public var epoch: UInt

    static func make(_ access: _ClassAccess, _ epoch: UInt) -> UnsafeMutablePointer<_ListCursor> {
        let cursor = UnsafeMutablePointer<_ListCursor>.allocate(capacity: 1)
        cursor.initialize(
            to: _ListCursor(
                window: .empty, spans: .empty, listVersion: access.table.listVersion, header: access.header,
                epoch: epoch))
        return cursor
    }

    /// Where an element lies, if it may be read without further checks.
    @inlinable
    @inline(__always)
    public func element(_ position: Int, size: Int) -> UnsafeRawPointer? {
        guard header.pointee.thread == UInt(pthread_self()) || header.pointee.thread == 0,
            header.pointee.epoch == epoch, listVersion.pointee == window.version
        else { return nil }
        return window.element(position, size: size) ?? spans.element(position, size: size)
    }
}

extension RealmCollectionValue {
    /// An element of a managed list, read where it lies; nil where that takes more than a look.
    @inlinable
    public static func _inlinedElement(_ cursor: UnsafeMutablePointer<_ListCursor>, _ position: Int) -> Self? { nil }

    /// Whether this is a class of objects.
    @inlinable
    public static func _isObject() -> Bool { false }
}

extension Int {
    /// An element of a managed list, read where it lies; nil where that takes more than a look.
    @inlinable
    public static func _inlinedElement(_ cursor: UnsafeMutablePointer<_ListCursor>, _ position: Int) -> Int? {
        guard let element = cursor.pointee.element(position, size: 8) else { return nil }
        return Int(truncatingIfNeeded: element.loadUnaligned(as: Int64.self))
    }
}

extension Double {
    /// An element of a managed list, read where it lies; nil where that takes more than a look.
    @inlinable
    public static func _inlinedElement(_ cursor: UnsafeMutablePointer<_ListCursor>, _ position: Int) -> Double? {
        guard let element = cursor.pointee.element(position, size: 8) else { return nil }
        return element.loadUnaligned(as: Double.self)
    }
}

extension Float {
    /// An element of a managed list, read where it lies; nil where that takes more than a look.
    @inlinable
    public static func _inlinedElement(_ cursor: UnsafeMutablePointer<_ListCursor>, _ position: Int) -> Float? {
        guard let element = cursor.pointee.element(position, size: 4) else { return nil }
        return element.loadUnaligned(as: Float.self)
    }
}

extension Bool {
    /// An element of a managed list, read where it lies; nil where that takes more than a look.
    @inlinable
    public static func _inlinedElement(_ cursor: UnsafeMutablePointer<_ListCursor>, _ position: Int) -> Bool? {
        guard let element = cursor.pointee.element(position, size: 1) else { return nil }
        return element.load(as: UInt8.self) != 0
    }
}
