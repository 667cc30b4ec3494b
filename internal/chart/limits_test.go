package chart_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/chart"
)

const metadata = "apiVersion: v2\nname: %s\nversion: 1.0.0\n"

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n"

// pack returns a gzipped tar archive of names and contents.
func pack(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	packed := tar.NewWriter(zipped)
	for i := 0; i < len(files); i += 2 {
		header := &tar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o644}
		if err := packed.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := packed.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestArchives renders charts with an archive in charts/. An application may have at most 1 MiB in archives here.
func TestArchives(t *testing.T) {
	sub := func(name string) []string {
		return []string{name + "/Chart.yaml", fmt.Sprintf(metadata, name), name + "/templates/cm.yaml", fmt.Sprintf(configMap, name)}
	}
	large := strings.Repeat("large ", 100_000)
	nested := pack(t, sub("inner")...)
	deep := nested
	for range 20 {
		deep = pack(t, append(sub("deep"), "deep/charts/deep.tgz", deep)...)
	}
	for name, tc := range map[string]struct{ archive, want string }{
		"archive": {pack(t, sub("sub")...),
			"file: chart/charts/sub.tgz/templates/cm.yaml\n---\n# Source: parent/charts/sub/templates/cm.yaml\n" + fmt.Sprintf(configMap, "sub")},
		"archive in archive": {pack(t, append(sub("sub"), "sub/charts/inner.tgz", nested)...),
			"file: chart/charts/sub.tgz/charts/inner.tgz/templates/cm.yaml\n---\n# Source: parent/charts/sub/charts/inner/templates/cm.yaml\n" +
				fmt.Sprintf(configMap, "inner") + "\nfile: chart/charts/sub.tgz/templates/cm.yaml\n---\n" +
				"# Source: parent/charts/sub/templates/cm.yaml\n" + fmt.Sprintf(configMap, "sub")},
		"too deep": {deep, "charts contain each other more than 16 levels deep"},
		"too large": {pack(t, append(sub("sub"), "sub/a", large, "sub/b", large)...),
			"the archives in charts/ expand to more than 1048576 bytes, the smaller of max-input and a quarter of max-memory"},
		"too large together": {pack(t, append(sub("sub"), "sub/a", large, "sub/charts/inner.tgz",
			pack(t, append(sub("inner"), "inner/b", large)...))...),
			"the archives in charts/ expand to more than 1048576 bytes, the smaller of max-input and a quarter of max-memory"},
		"parent":   {pack(t, append(sub("sub"), "sub/../../evil", "x")...), "chart illegally references parent directory"},
		"absolute": {pack(t, append(sub("sub"), "sub//etc/passwd", "x")...), "chart illegally contains absolute paths"},
		"no gzip":  {"text", "unexpected EOF"},
		"empty":    {pack(t), "no files in chart archive"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			write(t, filepath.Join(o.Dir, "chart/Chart.yaml"), fmt.Appendf(nil, metadata, "parent"))
			write(t, filepath.Join(o.Dir, "chart/charts/sub.tgz"), []byte(tc.archive))
			got := output(t, o)
			if strings.HasPrefix(tc.want, "file: ") && got != tc.want || !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// TestArchiveLines asks for the line of a template in an archive.
func TestArchiveLines(t *testing.T) {
	files := fstest.MapFS{
		"Chart.yaml": {Data: fmt.Appendf(nil, metadata, "parent")},
		"charts/sub.tgz": {Data: []byte(pack(t, "sub/Chart.yaml", fmt.Sprintf(metadata, "sub"),
			"sub/templates/cm.yaml", "{{/* one line more */}}\n"+fmt.Sprintf(configMap, "a")))},
	}
	result, err := chart.Render(chart.Input{Files: files, Release: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	want := chart.Source{File: "charts/sub.tgz/templates/cm.yaml", Line: 4}
	if got := result.Manifests[0].FindSource(5); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestLargeError renders a chart whose error comes when it has many files. To compare it with all of them would take
// more memory than the chart.
func TestLargeError(t *testing.T) {
	o := options(t)
	write(t, filepath.Join(o.Dir, "chart/Chart.yaml"), fmt.Appendf(nil, metadata, "parent"))
	write(t, filepath.Join(o.Dir, "chart/templates/cm.yaml"), []byte(`{{ fail "the value hunter2 is wrong" }}`))
	for i := range 9 {
		write(t, filepath.Join(o.Dir, fmt.Sprintf("chart/files/%d", i)), bytes.Repeat([]byte("large "), 200_000))
	}
	write(t, filepath.Join(o.Dir, "chart/values.yaml"), []byte("password: hunter3\n"))
	want := "error: chart: helm: execution error at (templates/cm.yaml:1:3): the value hunter2 is wrong\n"
	if got := output(t, o); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSchemaPanics checks values against a schema with a number that the library cannot represent.
func TestSchemaPanics(t *testing.T) {
	o := options(t)
	write(t, filepath.Join(o.Dir, "chart/Chart.yaml"), fmt.Appendf(nil, metadata, "parent"))
	write(t, filepath.Join(o.Dir, "chart/values.yaml"), []byte("a: 1e1000000000\n"))
	write(t, filepath.Join(o.Dir, "chart/values.schema.json"), []byte(`{"properties": {"a": {"multipleOf": 1e-1000000000}}}`))
	want := "error: chart: helm: parent: values.schema.json: the values can't be checked: "
	if got := output(t, o); !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
