// For apps that were written for RealmSwift: `import RealmSwift` gives them Causeway.
@_exported public import Causeway
@_exported public import Foundation

// Foundation has a type of this name too: `RealmSwift.SortDescriptor` is this one.
public typealias SortDescriptor = Causeway.SortDescriptor
