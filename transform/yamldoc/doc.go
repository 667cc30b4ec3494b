// Package yamldoc edits YAML and JSON documents as bytes.
//
// A stream is split into documents, and joining them gives the input back byte for byte. A document that has to be
// looked at is parsed into nodes that know where in the bytes they stand. Changes are logical edits (set, delete,
// rename at a path); those of one document are merged, spliced into the original bytes in the document's own style,
// and proved by decoding the result again. Nothing is ever re-encoded: a byte no edit names stays as it came.
package yamldoc
