package chart

import "io/fs"

// Input is a chart and what it is rendered with.
type Input struct {
	// Files is the folder of the chart. It follows links, and opens nothing outside the root.
	Files fs.FS

	Release   string
	Namespace string

	// KubeVersion and APIVersions are what templates see of the cluster. An empty version stands for that of Helm's own
	// libraries. The API versions are added to those that Helm knows.
	KubeVersion string
	APIVersions []string

	// Values are YAML documents in ascending order of precedence. Parameters come above them.
	Values     []Values
	Parameters []Parameter

	SkipCRDs             bool
	SkipHooks            bool // also leaves out tests, which are hooks
	SkipTests            bool
	SkipSchemaValidation bool

	// MaxExpanded is the maximum number of bytes that the archives in charts/ may make; 0 means no limit.
	MaxExpanded int64
}

// Values is a YAML document with values.
type Values struct {
	Name string // as messages show it
	Data []byte
}

// Parameter sets a single value. Name is a path such as image.tag or hosts[0], as helm template --set reads it.
type Parameter struct {
	Name, Value string
	Form        Form
}

// Form says how Helm reads the value of a parameter. Of parameters with the same name, the one whose form
// comes last here wins, as in helm template.
type Form int

const (
	Typed    Form = iota // --set: 8080 is a number, true a boolean, {a,b} a list
	Text                 // --set-string
	Contents             // --set-file; Value is the content of the file
)

// Result is what a chart renders to.
type Result struct {
	Manifests []Manifest // in the order of helm template: CRDs, objects by kind, hooks
	Warnings  []string   // one line each; files are named relative to the chart's folder
}

// Manifest is a part of the output of helm template. It starts with a separator and the comment with the source.
type Manifest struct {
	File string // the template or CRD, relative to the chart's folder; an archive is like a folder
	Data []byte

	// FindSource returns where a line of Data, counted from 1, comes from. The first call takes as long as the render.
	FindSource func(line int) Source
}

// Source is a line of a template.
type Source struct {
	File  string // like that of a manifest
	Line  int    // counted from 1; 0 if it is not known
	Value string // the name of the chart's value that the line prints, such as image.tag; empty for none
}
