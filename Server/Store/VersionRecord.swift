package import CausewayModel

/// What one version did, as the history keeps it.
///
/// The values are elsewhere: those before the version in its images, those after it in the images of later versions and in
/// the rows.
package struct VersionRecord: Sendable {
    package var version: ServerVersion
    /// `nobody` for a version that the server made itself.
    package var author: ClientID
    /// When the server received it, in milliseconds since 1970; zero where that was not noted.
    package var time: UInt64
    /// Rows that the version created and of which there was nothing before.
    package var births: [Birth]
    /// All other objects that it touched. The places in this list are the numbers of the images.
    package var touches: [Touch]

    package init(version: ServerVersion, author: ClientID, time: UInt64, births: [Birth], touches: [Touch]) {
        self.version = version
        self.author = author
        self.time = time
        self.births = births
        self.touches = touches
    }

    package struct Birth: Hashable, Sendable {
        package var classNumber: Int
        package var keys: ClosedRange<ObjectKey>

        package init(classNumber: Int, keys: ClosedRange<ObjectKey>) {
            self.classNumber = classNumber
            self.keys = keys
        }
    }

    package struct Touch: Hashable, Sendable {
        package var name: ObjectName
        /// The row that it was in when the version found it, or that this version had made before; nil when there was none.
        package var row: ObjectKey?
        package var before: Before
        /// The properties that operations named, whether they had an effect or not.
        package var columns: PropertyNumbers
        /// For an embedded object: the object that it is part of.
        package var root: ObjectName?

        package init(
            name: ObjectName, row: ObjectKey?, before: Before, columns: PropertyNumbers, root: ObjectName?
        ) {
            self.name = name
            self.row = row
            self.before = before
            self.columns = columns
            self.root = root
        }
    }

    /// The state in which a version found an object.
    package enum Before: Hashable, Sendable {
        case absent
        /// Alive, and nothing of it was touched but objects embedded in it.
        case unchanged
        /// Alive; an image holds what the version touched of it.
        case image
    }
}
