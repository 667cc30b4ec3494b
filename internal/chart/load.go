package chart

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
)

// metadataFile describes a chart.
const metadataFile = "Chart.yaml"

// maxDepth is how deep charts may contain each other.
const maxDepth = 16

// loaded is a chart with its subcharts.
type loaded struct {
	*chart.Chart
	sources map[*common.File]string // where a file is, relative to the chart's folder; an archive is like a folder
	files   []file                  // all files, for errors

	maxExpanded, expanded int64 // bytes: the limit of archives, and what they have given so far
}

// load makes a chart of files. Unlike Helm's LoadFiles it loads the subcharts in the order of their names, so that the
// output is always the same, and bounds what archives in archives can expand to.
func (l *loaded) load(files []*archive.BufferedFile) (err error) {
	l.Chart, err = l.chart(files, "", 0)
	return err
}

// chart makes a chart of the files of a folder or an archive.
func (l *loaded) chart(files []*archive.BufferedFile, at string, depth int) (*chart.Chart, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%s: charts contain each other more than %d levels deep", at, maxDepth)
	}
	own, subcharts := split(files)
	for _, f := range own {
		l.files = append(l.files, file{f.Name, f.Data})
	}
	c, err := loader.LoadFiles(own)
	if err != nil {
		return nil, inChart(at, err)
	}
	for _, file := range slices.Concat(c.Templates, c.Files) {
		l.sources[file] = path.Join(at, file.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(subcharts)) {
		inner := path.Join(at, "charts", name)
		files, err := l.open(name, subcharts[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", inner, err)
		}
		sub, err := l.chart(files, inner, depth+1)
		if err != nil {
			return nil, err
		}
		c.AddDependency(sub)
	}
	return c, nil
}

func inChart(at string, err error) error {
	if at == "" {
		return err
	}
	return fmt.Errorf("%s: %w", at, err)
}

// split separates the files of subcharts, by the name below charts/, from the chart's own. It leaves out what Helm
// does: names that start with a dot or an underscore.
func split(files []*archive.BufferedFile) (own []*archive.BufferedFile, subcharts map[string][]*archive.BufferedFile) {
	subcharts = map[string][]*archive.BufferedFile{}
	for _, file := range files {
		rest, isSub := strings.CutPrefix(file.Name, "charts/")
		if !isSub || path.Ext(file.Name) == ".prov" {
			own = append(own, file)
			continue
		}
		name, _, _ := strings.Cut(rest, "/")
		if strings.IndexAny(name, "_.") != 0 {
			subcharts[name] = append(subcharts[name], &archive.BufferedFile{Name: rest, Data: file.Data})
		}
	}
	return own, subcharts
}

// open returns the files of a subchart, which is a folder or an archive.
func (l *loaded) open(name string, files []*archive.BufferedFile) (inside []*archive.BufferedFile, err error) {
	if path.Ext(name) == ".tgz" && len(files) == 1 && files[0].Name == name {
		return l.unpack(files[0].Data)
	}
	for _, file := range files {
		if _, rest, below := strings.Cut(file.Name, "/"); below {
			inside = append(inside, &archive.BufferedFile{Name: rest, Data: file.Data})
		}
	}
	return inside, nil
}

// unpack returns the files of an archive. Helm's reader refuses names that lead out of the chart, and files and
// archives that are too large; unpack bounds all archives of a chart together, before it keeps anything of this one.
func (l *loaded) unpack(data []byte) ([]*archive.BufferedFile, error) {
	if l.maxExpanded > 0 {
		l.expanded += expandedSize(data, l.maxExpanded)
	}
	if l.expanded > l.maxExpanded {
		return nil, fmt.Errorf("the archives in charts/ expand to more than %d bytes, "+
			"the smaller of max-input and a quarter of max-memory", l.maxExpanded)
	}
	return archive.LoadArchiveFiles(bytes.NewReader(data))
}

// expandedSize returns how many bytes a gzip file expands to, at most one more than limit. What is wrong with the file
// is left to Helm's reader.
func expandedSize(data []byte, limit int64) int64 {
	zipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return 0
	}
	n, _ := io.CopyN(io.Discard, zipped, limit+1)
	return n
}

// checkInstallable refuses what helm template refuses: other API versions, libraries, and charts whose dependencies are
// missing (pkg/cmd/install.go@v4.3.1).
func checkInstallable(c *chart.Chart) error {
	if version := c.Metadata.APIVersion; version != chart.APIVersionV1 && version != chart.APIVersionV2 {
		return inChart(metadataFile,
			fmt.Errorf("apiVersion %s is none that helm template accepts; it accepts v1 and v2", version))
	}
	if kind := c.Metadata.Type; kind != "" && kind != "application" {
		return inChart(metadataFile, fmt.Errorf("%s charts are not installable", kind))
	}
	var missing []string
	for _, dependency := range c.Metadata.Dependencies {
		isPresent := slices.ContainsFunc(c.Dependencies(), func(sub *chart.Chart) bool {
			return sub.Name() == dependency.Name
		})
		if !isPresent && !slices.Contains(missing, dependency.Name) {
			missing = append(missing, dependency.Name)
		}
	}
	if len(missing) > 0 {
		return inChart(metadataFile, fmt.Errorf("charts/ lacks the dependencies %s; nothing is fetched, "+
			"so run helm dependency build and commit charts/", strings.Join(missing, ", ")))
	}
	return nil
}
