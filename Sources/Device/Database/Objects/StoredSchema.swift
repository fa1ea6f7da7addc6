package import CausewayModel

// What files and the wire know of classes. The plain names belong to what apps see of them, in Schema.swift.

package typealias StoredSchema = CausewayModel.Schema
package typealias StoredProperty = CausewayModel.Property
package typealias StoredType = CausewayModel.PropertyType
