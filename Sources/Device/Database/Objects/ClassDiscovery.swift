// Finds all subclasses of ObjectBase in the process. No class has to be registered.
//
// Every Swift image has a section that lists its types. The record of a class points to the record of its superclass,
// so the chain up to ObjectBase is followed on these records alone. Only subclasses of ObjectBase are realised.
// Layouts are those of the stable Swift ABI without Objective-C interoperation.

@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateAllMetadataSections(
    _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Bool,
    _ context: UnsafeMutableRawPointer?
)

enum ClassDiscovery {
    /// The classes that a configuration without `objectTypes` manages, ordered by name.
    static func allClasses() -> [ObjectBase.Type] {
        let bases: Set<ObjectIdentifier> = [
            ObjectIdentifier(ObjectBase.self), ObjectIdentifier(Object.self), ObjectIdentifier(EmbeddedObject.self),
            ObjectIdentifier(AsymmetricObject.self),
        ]
        let root = ClassDescriptor(of: ObjectBase.self)
        var found: [ObjectBase.Type] = []
        for descriptor in classDescriptors() where descriptor.descends(from: root) {
            guard let type = descriptor.realised() as? ObjectBase.Type, !bases.contains(ObjectIdentifier(type)) else {
                continue
            }
            found.append(type)
        }
        return found.sorted { $0.className() < $1.className() }
    }

    /// See ``RuntimeLayout``.
    static var isAsExpected: Bool {
        let (root, object) = (ClassDescriptor(of: ObjectBase.self), ClassDescriptor(of: Object.self))
        return object.superclass?.address == root.address && object.descends(from: root) && root.superclass == nil
            && object.realised() == Object.self
            && classDescriptors().contains { $0.address == object.address }
    }

    private static func classDescriptors() -> [ClassDescriptor] {
        var descriptors: [ClassDescriptor] = []
        withUnsafeMutablePointer(to: &descriptors) { pointer in
            enumerateAllMetadataSections(
                { sections, context in
                    guard let context else { return false }
                    let list = context.assumingMemoryBound(to: [ClassDescriptor].self)
                    ClassDiscovery.read(sections, into: &list.pointee)
                    return true
                }, pointer)
        }
        return descriptors
    }

    /// `sections` has a header of four words, then (start, length) of protocols, of conformances and of types.
    private static func read(_ sections: UnsafeRawPointer, into descriptors: inout [ClassDescriptor]) {
        let word = MemoryLayout<UInt>.size
        let start = sections.load(fromByteOffset: 8 * word, as: UnsafeRawPointer?.self)
        let length = sections.load(fromByteOffset: 9 * word, as: Int.self)
        guard let start, length > 0 else { return }
        for offset in stride(from: 0, to: length - length % 4, by: 4) {
            let record = start + offset
            let relative = record.loadUnaligned(as: Int32.self)
            // The two low bits tell a direct reference (0) from an indirect one (1).
            let target = record + Int(relative & ~3)
            switch relative & 3 {
            case 0:
                if let descriptor = ClassDescriptor(target) { descriptors.append(descriptor) }
            case 1:
                let indirect = target.loadUnaligned(as: UnsafeRawPointer?.self)
                if let indirect, let descriptor = ClassDescriptor(indirect) { descriptors.append(descriptor) }
            default: break
            }
        }
    }
}

/// The compiler's record of one class.
private struct ClassDescriptor {
    let address: UnsafeRawPointer

    /// Nil for a type that is not a class.
    init?(_ address: UnsafeRawPointer) {
        let flags = address.loadUnaligned(as: UInt32.self)
        guard flags & 0x1F == 16 else { return nil }
        self.address = address
    }

    /// The descriptor that a class's metadata points to.
    init(of type: AnyClass) {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        address = metadata.load(fromByteOffset: 40, as: UnsafeRawPointer.self)
    }

    var isGeneric: Bool { address.loadUnaligned(as: UInt32.self) & 0x80 != 0 }

    /// The superclass; nil when it is not named by a symbolic reference. Swift always names a superclass by one.
    var superclass: ClassDescriptor? {
        let field = address + 20
        let relative = field.loadUnaligned(as: Int32.self)
        guard relative != 0 else { return nil }
        let mangledName = field + Int(relative)
        let reference = mangledName + 1
        let target = reference + Int(reference.loadUnaligned(as: Int32.self))
        switch mangledName.load(as: UInt8.self) {
        case 1: return ClassDescriptor(target)
        case 2: return target.loadUnaligned(as: UnsafeRawPointer?.self).flatMap { ClassDescriptor($0) }
        default: return nil
        }
    }

    func descends(from root: ClassDescriptor) -> Bool {
        var next = superclass
        while let current = next {
            if current.address == root.address { return true }
            next = current.superclass
        }
        return false
    }

    /// The class's metadata. Nil for a generic class, which has no single metadata.
    func realised() -> Any.Type? {
        guard !isGeneric else { return nil }
        let field = address + 12
        let relative = field.loadUnaligned(as: Int32.self)
        guard relative != 0 else { return nil }
        // Request zero asks for complete metadata and blocks. The metadata is in the first of two result registers.
        let accessor = unsafeBitCast(
            field + Int(relative), to: (@convention(c) (Int) -> UnsafeRawPointer).self)
        return unsafeBitCast(accessor(0), to: Any.Type.self)
    }
}
