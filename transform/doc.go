// Package transform finds known problems in Kubernetes manifests and repairs them by small changes to their bytes.
//
// Its shape is that of golang.org/x/tools/go/analysis. A [Rule] is a value: it looks at one object at a time and
// reports findings. A [Finding] may carry the edits that repair the problem. [Run] applies a list of rules to files,
// and its caller decides what to do with the [Result]: print the findings, write the repaired stream, or show a diff.
// [Merge] makes one result of several runs, for example one for each application.
// There is one difference: here an edit is logical, for example "set this path to that value". So two rules may both
// add an annotation to an object without annotations, and the engine makes one insertion of it.
//
// The package knows nothing about the software that the rules are about. Other modules can bring rules of their own;
// examples/outside-rule in the repository is such a module. Package transformtest runs golden tests of rules.
//
// # What a run does
//
//  1. It splits the files into documents.
//  2. It screens the documents by their bytes. Only those that may concern a rule go on.
//  3. It parses these and finds the objects in them, items of a List included.
//  4. It calls Config.Index for the whole input.
//  5. It calls each rule for each object of the rule's kinds. All rules see the same objects, without any edit.
//  6. It sets the findings aside that people have accepted in the manifests, unless Config.ForbidSuppressions is set.
//  7. It takes the edits off a finding if one of them could change more than its path, for example a value that other
//     objects share through an anchor. Unrepaired then says why.
//  8. It merges the edits of each document. Equal ones count once.
//  9. It splices the merged edits into the bytes of the document, decodes the result, and compares it with the objects
//     as they should be.
//  10. It calls the rules again, for the repaired objects. No finding may still have edits, and none may be new. One
//     that had no edits and does not come up again is solved by the edits of another one.
//  11. A document for which one of steps 5 to 10 fails is left as it came, with a finding of the rule [NotRepaired]. So
//     are the edits in other documents that belong to the same findings. The other documents are repaired.
//
// If a finding is fatal, the run ends after step 7.
//
// # Deleted objects
//
// Config.Previous is the input before a change. Rule.Removed is called for each object that is only there, and reports
// what goes wrong because it is deleted. Such findings can be accepted like others, in either input, and are not
// repaired.
//
// # Guarantees
//
//   - Bytes that no edit is about stay as they are: comments, quotes, indentation, line ends, the order of keys. A
//     document without an edit keeps all its bytes. Only where files are joined may [Result.Stream] change something:
//     separators and line ends between documents, and a byte order mark inside the stream.
//   - A comment inside of what an edit replaces or removes stays if package yamldoc can keep it. If not, Finding.Lost
//     names it, and so does Finding.Text.
//   - A finding with edits is gone after the repair, and repairing the output once more changes nothing.
//   - The same files and configuration give the same result. The package reads no files, environment or clock.
//   - A document that concerns no rule goes through as it is, even if it cannot be parsed, unless the bytes show that
//     Kubernetes could not read it.
//   - A document that looks like an object and is none, for example because of a misspelt key, is an error. Left out,
//     the object that it is meant to be would be deleted.
//   - If the input is wrong, there is an error and no output.
//
// # Kinds
//
// Rule.Kinds decides for which objects a rule runs. A kind is named with its API group and holds in every version of
// it; [AnyKind] stands for all kinds of the group, or of all groups. The kinds of all rules also decide what is parsed. A
// rule that needs to see objects of other kinds lists them in Kinds and returns early for them, or lists in
// Rule.Mentions a word that they contain. [Render.Search] searches everything, but parses as it goes.
//
// # Releases
//
// Rule.Windows are the releases on which the problem occurs, and Config.Releases those that the cluster may run: one if
// the version is known, several if only the minor is, none if nothing is known. A rule runs if the problem can occur on
// one of them. But its edits have to be right on all of them. A rule for which that may differ asks
// [Window.ContainsAll] about Pass.Releases. If the answer is no, it reports the finding without edits and names in
// Finding.Needs the setting that would decide.
//
// # State
//
// A rule must not keep state between calls, nodes included: in a large input, [Object.Node] may parse the document of
// the object again. What depends on several objects, such as which autoscaler scales which Deployment, is worked out
// once by Config.Index and found in Pass.Index. The index is built again for the repaired objects.
//
// # Accepted findings
//
// People accept a finding in the manifest, with a reason: by the annotation [IgnoreAnnotation], or by a comment at the
// end of the line of the finding, or alone above the document, list item or key that holds it.
//
//	# argocd-kserve-plugin/ignore: KS101: the script exits with 1 for a reason
//
// Result.Accepted has these findings, and Result.Unused one for each comment or annotation that accepts nothing.
//
// # Errors
//
// [Run] tells apart what is wrong with the catalogue ([Validate]), with the input ([*InputError], with a position) and
// with a rule or the engine ("internal error"). Findings are not errors.
package transform
