// Package transform finds known problems in Kubernetes manifests and repairs them by small changes to their bytes.
//
// Its shape is that of golang.org/x/tools/go/analysis. A [Rule] is a value: it looks at one object at a time and makes
// reports. A [Report] may carry the edits that repair the problem. [Run] applies a list of rules to files, and returns
// a [Finding] for each report: what was reported, where, and what became of it. The caller decides what to do with the
// [Result]: print the findings, write the repaired stream, or show a diff. [Merge] makes one result of several runs,
// for example one for each application. There is one difference: here an edit is logical, for example "set this path to
// that value". So two rules may both add an annotation to an object without annotations, and the engine makes one
// insertion of it.
//
// The package knows nothing about the software that the rules are about. Other modules can bring rules of their own;
// examples/outside-rule in the repository is such a module. Package transformtest runs golden tests of rules.
//
// # What a run does
//
//  1. Load: it splits the files into documents and screens them by their bytes. It parses only those that may concern a
//     rule, and finds the objects in them, items of a List included. Together they are a [Snapshot]. Config.Index is
//     called for it.
//  2. Analyze: it calls each rule for each object of the rule's kinds. All rules see the same objects, without any
//     edit. It sets the findings aside that people have accepted in the manifests, and takes the edits off a finding if
//     they cannot be made safely. Unrepaired then says why.
//  3. Plan: the findings that still have edits are a [Plan].
//  4. Apply: it merges the edits of each document, splices them into its bytes, decodes the result, and compares it
//     with the objects as they should be. Equal edits count once. The result is another snapshot.
//  5. Analyze: it calls the rules for that snapshot.
//  6. Compare: what the plan repairs must be gone, and there must be no new error that cannot be repaired. If that is
//     not so, the edits at fault are withdrawn: those of the rule whose finding is still there, or those without which
//     the new error is not there. Then it goes on from step 3.
//
// What becomes possible by a repair is repaired too: steps 3 to 6 are repeated until nothing is left to repair. Rules
// that undo each other's repairs are stopped after a few rounds, and repair nothing there. A finding without edits that
// is gone in the end is solved by the edits of another one. What a rule or the engine did wrong is a finding of
// Config.NotRepaired.
//
// If a finding is fatal, the run ends after step 2.
//
// # Changes
//
// Config.Previous is the input before a change. Rule.Removed is called for each object that is only there, and reports
// what goes wrong because it is deleted. Rule.Changed is called for each one that stays, and reports what goes wrong on
// the way. Such findings can be accepted like others, in either input, and are not repaired.
//
// # Guarantees
//
//   - Bytes that no edit is about stay as they are: comments, quotes, indentation, line ends, the order of keys. A
//     document without an edit keeps all its bytes. Only where files are joined may [Result.Stream] change something:
//     separators and line ends between documents, and a byte order mark inside the stream.
//   - A comment inside of what an edit replaces or removes stays if package yamldoc can keep it. If not, Finding.Lost
//     names it, and so does Finding.Text.
//   - A finding with edits is gone after the repair, and repairing the output once more changes nothing.
//   - Where an alias shares a value that an edit changes, a copy of the value takes the place of the alias, unless the
//     edits are the same at both.
//   - The same files and configuration give the same result. The package reads no files, environment or clock.
//   - A document that concerns no rule goes through as it is, even if it cannot be parsed, unless the bytes show that
//     Kubernetes could not read it.
//   - A document that looks like an object and is none, for example because of a misspelt key, is an error: if it were
//     left out, Argo CD would delete the object.
//   - If the input is wrong, there is an error and no output.
//
// # Kinds
//
// Rule.Kinds decides for which objects a rule runs. A kind is named with its API group and holds in every version of
// it; [AnyKind] stands for all kinds of the group, or of all groups. The kinds of all rules and Config.Kinds also
// decide what is parsed. A rule that needs to see objects of other kinds lists in Rule.Mentions a word that they
// contain. [Snapshot.Search] searches everything, but parses as it goes.
//
// # Releases
//
// Rule.Windows are the releases on which the problem occurs, and Config.Releases those that the cluster may run: one if
// the version is known, several if only the minor is, none if nothing is known. A rule runs if the problem can occur on
// one of them. But its edits have to be right on all of them. A rule for which that may differ asks
// [Window.ContainsAll] about Pass.Releases. If the answer is no, it reports the finding without edits and names in
// Report.Needs the setting that would decide.
//
// # State
//
// A rule must not keep state between calls. What depends on several objects, such as which autoscaler scales which
// Deployment, is worked out once by Config.Index and found in Pass.Index. Each snapshot has its own index, which
// [Result.Index] returns for the input.
//
// # Accepted findings
//
// People accept a finding in the manifest, with a reason: by the annotation that Config.Ignore names, or by a comment
// at the end of the line of the finding, or alone above the document, list item or key that holds it.
//
//	# example.com/ignore: EX101: the script exits with 1 for a reason
//
// Result.Accepted has these findings, and Result.Unused one for each comment or annotation that accepts nothing.
//
// # Errors
//
// [Run] tells apart what is wrong with the catalogue ([Validate]), with the input ([*InputError], with a position) and
// with a rule or the engine ([*InternalError]). Findings are not errors.
package transform
