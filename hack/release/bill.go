package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// spdx is a document of SPDX 2.3 as JSON (https://spdx.github.io/spdx-spec/v2.3/), with the fields that are needed.
type spdx struct {
	Version       string         `json:"spdxVersion"`
	License       string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []spdxPackage  `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID            string        `json:"SPDXID"`
	Name          string        `json:"name"`
	Version       string        `json:"versionInfo"`
	Purpose       string        `json:"primaryPackagePurpose"`
	Download      string        `json:"downloadLocation"`
	FilesAnalyzed bool          `json:"filesAnalyzed"`
	Concluded     string        `json:"licenseConcluded"`
	Declared      string        `json:"licenseDeclared"`
	Copyright     string        `json:"copyrightText"`
	Checksums     []checksum    `json:"checksums,omitempty"`
	References    []externalRef `json:"externalRefs"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type externalRef struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const (
	spdxDocument = "SPDXRef-DOCUMENT"
	noAssertion  = "NOASSERTION"

	// stdlib is what scanners call Go's standard library, as if it were a module.
	stdlib = "stdlib"
)

// bill returns the list of what the programs of a platform consist of (SBOM): the modules that the go command has
// stamped into them, and Go itself.
func (r *release) bill(p platform, programs []file) ([]byte, error) {
	document := spdx{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: spdxDocument, Name: r.base(p),
		Namespace: fmt.Sprintf("%s/releases/download/%s/%s.spdx.json", home, r.version, r.base(p)),
		Creation:  creation{r.date.Format("2006-01-02T15:04:05Z"), []string{"Tool: " + program + "-release"}},
	}
	linked, err := modules(programs)
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	var libraries []spdxPackage
	for _, path := range slices.Sorted(maps.Keys(linked)) {
		ids[path] = fmt.Sprintf("SPDXRef-Module-%d", len(ids)+1)
		library := newPackage(ids[path], path, linked[path], "LIBRARY", path)
		library.Declared = noAssertion
		libraries = append(libraries, library)
	}
	for _, one := range programs {
		info, err := buildinfo.Read(bytes.NewReader(one.data))
		if err != nil {
			return nil, err
		}
		id := "SPDXRef-Program-" + one.name
		main := newPackage(id, one.name, r.version, "APPLICATION", modulePath)
		main.References[0].Locator += "#" + strings.TrimPrefix(info.Path, modulePath+"/")
		main.Declared = "Apache-2.0"
		main.Checksums = []checksum{{"SHA256", fmt.Sprintf("%x", sha256.Sum256(one.data))}}
		document.Packages = append(document.Packages, main)
		document.Relationships = append(document.Relationships, relationship{spdxDocument, "DESCRIBES", id})
		for _, path := range slices.Sorted(maps.Keys(modulesOf(info))) {
			document.Relationships = append(document.Relationships, relationship{id, "DEPENDS_ON", ids[path]})
		}
	}
	document.Packages = append(document.Packages, libraries...)
	text, err := json.MarshalIndent(document, "", "  ")
	return append(text, '\n'), err
}

// newPackage returns a package whose package URL (https://github.com/package-url/purl-spec) is that of a Go module.
func newPackage(id, name, version, purpose, module string) spdxPackage {
	locator := "pkg:golang/" + module + "@" + strings.ReplaceAll(version, "+", "%2B")
	return spdxPackage{
		ID: id, Name: name, Version: version, Purpose: purpose, Download: noAssertion, Concluded: noAssertion,
		Copyright: noAssertion, References: []externalRef{{"PACKAGE-MANAGER", "purl", locator}},
	}
}

// modules returns the versions of the modules in the programs, and of the standard library, by their paths.
func modules(programs []file) (map[string]string, error) {
	all := map[string]string{}
	for _, one := range programs {
		info, err := buildinfo.Read(bytes.NewReader(one.data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.name, err)
		}
		maps.Copy(all, modulesOf(info))
	}
	return all, nil
}

func modulesOf(info *buildinfo.BuildInfo) map[string]string {
	all := map[string]string{stdlib: strings.TrimPrefix(info.GoVersion, "go")}
	for _, m := range info.Deps {
		all[m.Path] = m.Version
	}
	return all
}
