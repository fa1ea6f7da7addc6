package import CausewayModel

// The schema types of files and of the wire. The names without `Stored` are the public types in Schema.swift.

package typealias StoredSchema = CausewayModel.Schema
package typealias StoredProperty = CausewayModel.Property
package typealias StoredType = CausewayModel.PropertyType
