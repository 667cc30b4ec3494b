// Package yamldoc makes small changes to YAML and JSON documents without reformatting them.
//
// A program that decodes a document and encodes it again loses comments, quotes, the order of keys and the indentation.
// This package changes only the bytes that an edit is about. It is written for Kubernetes manifests: where readers of
// YAML differ, it follows Kubernetes' decoder.
//
// # Use
//
// [Split] cuts a stream into documents, and [Join] puts the documents of one or more files back together. [Parse] reads
// one document into a [Tree]. [Node.Get] finds a value by its path, and [Tree.Position] returns the line and column of
// an offset. [Tree.Apply] makes the edits that [Set], [Delete] and [Rename] describe, and returns a new tree.
//
// All edits of one call name paths in the tree as it is before the call, in any order. Equal edits count once. Apply
// makes all of them or none, and does not modify the old tree.
//
// # Guarantees
//
//   - Splitting and joining one stream gives its bytes back, except for what Join has to change for Kubernetes to read
//     the result.
//   - Bytes that no edit is about stay as they are. A new value takes the indentation, quotes, line ends and style of
//     its surroundings. White space and comments next to a change are adjusted only where they would otherwise become
//     part of a value.
//   - A deleted entry takes its lines and the comments on them along, but no comment line above or below it. A replaced
//     block keeps its comment lines, a replaced flow collection none. [Tree.Lost] tells which comments are gone.
//   - Every edit is verified. Apply parses the new document and compares it with the old tree plus the edits. If they
//     differ, it returns an error and no document.
//   - A string that Set writes is a string to readers of YAML 1.1 and of YAML 1.2: no, 0o7 and 1:30 are quoted.
//   - Line ends stay LF, CRLF or CR. JSON stays JSON.
//
// # What it refuses
//
// Split refuses a stream of which Kubernetes' decoder would lose or misread a part, for example content after "...".
// Parse refuses duplicate keys, because decoders disagree on which one counts. It limits nesting and the expansion of
// aliases. Where an alias shares what an edit changes, Apply writes a copy of the value in its place, unless the edits
// below both are the same. It refuses an edit that could change more than its path: of a value that a merge key (<<)
// takes over, of a mapping with a merge key or a complex key, and a few others. The error says what to change by hand.
// [Tree.Check] tests edits without making them.
//
// # Errors
//
//   - [*Error]: Split or Parse found a fault at a position.
//   - [*JoinError]: Join found a fault in one of the files. It wraps an *Error.
//   - [*UnsafeError]: Check or Apply can't make an edit without the risk of changing something else.
//   - [*ConflictError]: two edits of one Apply contradict each other.
//   - [*InternalError]: the result failed the verification.
//
// Apply returns other errors for a value of a type that it can't write.
package yamldoc
