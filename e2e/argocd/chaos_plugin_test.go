package argocd_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/manifests"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// pipeSize is what a pipe of Linux takes without a reader.
const pipeSize = 64 << 10

// direct runs the plugin without Argo CD, as the sidecar's user.
type direct struct {
	stack  *stack.Stack
	plugin string
	tmp    string // TMPDIR and HOME
	apps   []directApp
	took   time.Duration // of the last app, the largest
}

// directApp is a folder and what the plugin makes of it when nothing disturbs it.
type directApp struct {
	dir  string
	want []byte
}

func newDirect(t *testing.T, s *stack.Stack) *direct {
	t.Helper()
	d := &direct{
		stack: s, tmp: s.Tmpfs("tmp", argocd.User, 8<<20),
		plugin: s.Bind(image(t).Plugin, filepath.Join(s.Dir, "argocd-kserve-plugin")),
	}
	for name, files := range map[string]map[string]string{
		"overlay": {
			"kustomization.yaml":      "resources: [base, many.yaml]\nnamePrefix: prod-\n",
			"many.yaml":               many(200),
			"base/kustomization.yaml": "resources: [iris.yaml]\n",
			"base/iris.yaml":          iris,
		},
		"large": {"a.yaml": many(1000), "b.json": irisJSON},
	} {
		dir := s.Mkdir("apps/"+name, argocd.User)
		for path, content := range files {
			s.Mkdir(filepath.Join("apps", name, filepath.Dir(path)), argocd.User)
			write(t, filepath.Join(dir, path), content)
		}
		var stdout, stderr bytes.Buffer
		cmd := d.command(t, dir)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		start := time.Now()
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, &stderr)
		}
		d.took = max(d.took, time.Since(start))
		d.apps = append(d.apps, directApp{dir, stdout.Bytes()})
	}
	slices.SortFunc(d.apps, func(a, b directApp) int { return strings.Compare(a.dir, b.dir) })
	return d
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// command returns generate in the folder.
func (d *direct) command(t *testing.T, dir string, flags ...string) *exec.Cmd {
	return d.stack.Command(t.Context(), stack.Process{
		Path: d.plugin, Args: append([]string{"generate"}, flags...), Dir: dir, UID: argocd.User,
		Env: append([]string{"TMPDIR=" + d.tmp, "HOME=" + d.tmp}, facts...),
	})
}

// nothingLeft fails the test when a file is in TMPDIR.
func (d *direct) nothingLeft(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(d.tmp)
	if err != nil || len(entries) > 0 {
		t.Errorf("left in TMPDIR: %v, %v", entries, err)
	}
}

// judge counts the end of a run. valid reports whether the output is complete. sent is the signal that the run got, if
// any. An output that is not complete must come with an error, and an error must leave no output or say what is there.
func (c *chaos) judge(cmd *exec.Cmd, stdout []byte, stderr string, valid func([]byte) error, sent syscall.Signal) {
	c.t.Helper()
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case status.Signaled() && status.Signal() == sent:
		if sent != syscall.SIGKILL && len(stdout) > 0 {
			c.t.Errorf("%v, with %d bytes of output", status.Signal(), len(stdout))
		}
		c.count("signal: " + status.Signal().String())
	case status.Signaled():
		c.t.Errorf("ended by the signal %v: %s", status.Signal(), stderr)
	case strings.Contains(stderr, "goroutine "):
		c.t.Errorf("a stack on standard error: %s", stderr)
	case status.ExitStatus() == 0:
		if err := valid(stdout); err != nil {
			c.t.Errorf("exit code 0: %v; standard error: %s", err, stderr)
		}
		c.count(complete)
	case status.ExitStatus() != 2 || strings.TrimSpace(stderr) == "":
		c.t.Errorf("exit code %d, standard error %q", status.ExitStatus(), stderr)
	case len(stdout) > 0 && valid(stdout) == nil && !strings.Contains(stderr, "after the output was written"),
		len(stdout) > 0 && valid(stdout) != nil && !strings.Contains(stderr, "standard output is incomplete"):
		c.t.Errorf("exit code 2 after %d bytes of output, and standard error does not say so: %s", len(stdout), stderr)
	default:
		c.fault(stderr)
	}
}

// exactly is the condition that the output is the wanted one.
func exactly(want []byte) func([]byte) error {
	return func(got []byte) error {
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%d bytes, not the %d of the app", len(got), len(want))
		}
		return nil
	}
}

// directKilled ends the plugin at a random moment.
func (c *chaos) directKilled(d *direct) {
	for c.more(complete, "signal: killed", "terminated signal received") {
		app := d.apps[c.n(len(d.apps))]
		sent := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM}[c.n(2)]
		var stdout, stderr bytes.Buffer
		cmd := d.command(c.t, app.dir)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		c.start(cmd)
		ended := c.waited(cmd)
		select {
		case <-ended:
		case <-c.moment(d.took):
			syscall.Kill(cmd.Process.Pid, sent) // ESRCH: it ended by itself in this moment
		}
		<-ended
		c.judge(cmd, stdout.Bytes(), stderr.String(), exactly(app.want), sent)
		if !bytes.HasPrefix(app.want, stdout.Bytes()) {
			c.t.Errorf("%d bytes of output that are no part of the app's", stdout.Len())
		}
	}
}

func (c *chaos) start(cmd *exec.Cmd) {
	c.t.Helper()
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
}

// waited returns a channel that is closed when the command has ended. How it ended is in its ProcessState. One that
// does not end fails the test.
func (c *chaos) waited(cmd *exec.Cmd) <-chan struct{} {
	hangs := time.AfterFunc(wait.Bound, func() {
		c.t.Errorf("%v still runs after %v", cmd.Args, wait.Bound)
		cmd.Process.Kill()
	})
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		hangs.Stop()
		close(ended)
	}()
	return ended
}

// reader reads a random part of the output and then closes the pipe, or reads no further while the plugin gets SIGTERM
// or its time is over. When it closes the pipe, more is left than the pipe holds, so the output cannot be complete.
func (c *chaos) reader(d *direct) {
	app := d.apps[slices.IndexFunc(d.apps, func(a directApp) bool { return filepath.Base(a.dir) == "large" })]
	for c.more("broken pipe", "terminated signal received", "gave up after") {
		how := c.n(3)
		var flags []string
		if how == 2 {
			flags = []string{fmt.Sprintf("--timeout=%dms", 1+c.n(2*int(d.took.Milliseconds())))}
		}
		reader, writer, err := os.Pipe()
		if err != nil {
			c.t.Fatal(err)
		}
		var stderr bytes.Buffer
		cmd := d.command(c.t, app.dir, flags...)
		cmd.Stdout, cmd.Stderr = writer, &stderr
		c.start(cmd)
		writer.Close()
		ended := c.waited(cmd)
		part := make([]byte, c.n(len(app.want)-pipeSize))
		read, err := io.ReadFull(reader, part)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			c.t.Fatal(err)
		}
		sent := syscall.Signal(0)
		switch how {
		case 0:
			reader.Close()
		case 1:
			sent = syscall.SIGTERM
			syscall.Kill(cmd.Process.Pid, sent) // ESRCH: it ended by itself in this moment
		}
		<-ended
		got := part[:read]
		if how != 0 {
			inPipe, err := io.ReadAll(reader)
			if err != nil {
				c.t.Fatal(err)
			}
			got = append(got, inPipe...)
			reader.Close()
		}
		if !bytes.HasPrefix(app.want, got) {
			c.t.Errorf("%d bytes of output that are no part of the app's", len(got))
		}
		c.judge(cmd, got, stderr.String(), exactly(app.want), sent)
	}
}

// directDiskFull writes the output to a file on a disk with a random amount of space. TMPDIR is on the same disk.
func (c *chaos) directDiskFull(d *direct) {
	for c.more(complete, "no space left on device") {
		app := d.apps[c.n(len(d.apps))]
		free := fill(c.t, d.tmp, c.n(2*len(app.want)))
		output, err := os.Create(filepath.Join(d.tmp, "output"))
		if err != nil {
			c.t.Fatal(err)
		}
		var stderr bytes.Buffer
		cmd := d.command(c.t, app.dir)
		cmd.Stdout, cmd.Stderr = output, &stderr
		c.start(cmd)
		<-c.waited(cmd)
		got, err := os.ReadFile(output.Name())
		if err != nil {
			c.t.Fatal(err)
		}
		c.judge(cmd, got, stderr.String(), exactly(app.want), 0)
		output.Close()
		os.Remove(output.Name())
		free()
	}
}

// treeChanges changes files at random while the plugin reads them. The output must hold each of them at most once, in
// order, as one of the contents that the test wrote. A part of a file is never valid.
func (c *chaos) treeChanges(d *direct) {
	const files = 24
	dir := d.stack.Mkdir("apps/changing", argocd.User)
	pool := d.stack.Mkdir("apps/changing/pool", argocd.User)
	var states [files][]string
	for i := range files {
		for _, version := range []string{"a", "b"} {
			content := document(fmt.Sprintf("model-%d-%s", i, version), 50<<(i%3*2))
			states[i] = append(states[i], content)
			write(c.t, filepath.Join(pool, fmt.Sprintf("%02d-%s.yaml", i, version)), content)
		}
	}
	numbers := map[string]int{} // of the files, by what the plugin makes of their contents
	output, err := d.command(c.t, pool).Output()
	if err != nil {
		c.t.Fatal(err)
	}
	repaired, err := manifests.Decode(output)
	if err != nil || len(repaired) != 2*files {
		c.t.Fatalf("%d documents of %d files: %v", len(repaired), 2*files, err)
	}
	for i, document := range repaired {
		numbers[document] = i / 2
	}
	name := func(i int) string { return filepath.Join(dir, fmt.Sprintf("f%02d.yaml", i)) }
	valid := func(stdout []byte) error { return inOrder(stdout, numbers) }
	for c.more(complete, "unexpected end of JSON") {
		for i := range files {
			os.RemoveAll(name(i))
			write(c.t, name(i), states[i][c.n(2)])
		}
		var stdout, stderr bytes.Buffer
		cmd := d.command(c.t, dir, fmt.Sprintf("--timeout=%v", 2*wait.Bound)) // so that one that hangs is seen
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		c.start(cmd)
		ended := c.waited(cmd)
		var changes sync.WaitGroup
		changes.Go(func() {
			for range c.n(32) {
				select {
				case <-ended:
					return
				case <-c.moment(d.took / 16):
				}
				i := 1 + c.n(files-1) // the first one stays, so that there is always an object
				c.change(name(i), filepath.Join("pool", fmt.Sprintf("%02d-b.yaml", i)), states[i][c.n(2)])
			}
		})
		<-ended
		changes.Wait()
		c.judge(cmd, stdout.Bytes(), stderr.String(), valid, 0)
	}
	if err := os.RemoveAll(dir); err != nil {
		c.t.Error(err)
	}
}

// change replaces a file by something else.
func (c *chaos) change(file, twin, content string) {
	var err error
	switch c.n(8) {
	case 0: // in place, at once
		os.RemoveAll(file)
		err = os.WriteFile(file, []byte(content), 0o644)
	case 1: // in place, piece by piece
		err = inPieces(file, content, 7)
	case 2: // by rename
		next := file + ".next"
		if err = os.WriteFile(next, []byte(content), 0o644); err == nil {
			os.RemoveAll(file)
			err = os.Rename(next, file)
		}
	case 3:
		err = os.RemoveAll(file)
	case 4:
		os.RemoveAll(file)
		err = os.WriteFile(file, []byte(content[:c.n(len(content))]), 0o644)
	case 5:
		os.RemoveAll(file)
		err = os.Mkdir(file, 0o755)
	case 6:
		os.RemoveAll(file)
		err = os.Symlink([]string{twin, "../../../../etc/passwd", filepath.Base(file), "missing.yaml"}[c.n(4)], file)
	case 7:
		os.RemoveAll(file)
		err = syscall.Mkfifo(file, 0o644)
	}
	if err != nil {
		c.t.Error(err)
	}
}

// inPieces truncates a file, or makes it, and writes the content in so many pieces.
func inPieces(name, content string, pieces int) error {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		os.RemoveAll(name)
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	for piece := range slices.Chunk([]byte(content), len(content)/pieces+1) {
		if _, err := file.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// document returns an InferenceService with many annotations, no strict part of which is a document but the empty one.
func document(name string, annotations int) string {
	var b strings.Builder
	b.WriteString(`{"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService",` + "\n")
	fmt.Fprintf(&b, ` "metadata": {"name": %q, "annotations": {`+"\n", name)
	for i := range annotations {
		fmt.Fprintf(&b, "  \"example.com/a-%04d\": %q,\n", i, strings.Repeat(name+" ", 8))
	}
	b.WriteString(`  "example.com/last": ""}},` + "\n")
	b.WriteString(` "spec": {"predictor": {"model": {"modelFormat": {"name": "sklearn"}}}}}` + "\n")
	return b.String()
}

// inOrder returns an error unless the stream is made of the documents, each at most once and in the order of their
// numbers, from 0.
func inOrder(stream []byte, numbers map[string]int) error {
	documents, err := manifests.Decode(stream)
	if err != nil {
		return err
	}
	last := -1
	for _, document := range documents {
		number, ok := numbers[document]
		if !ok {
			return fmt.Errorf("a document of %d bytes that no file ever was: %.120s", len(document), document)
		}
		if number <= last || last < 0 && number > 0 {
			return fmt.Errorf("the document of file %d after that of file %d", number, last)
		}
		last = number
	}
	if last < 0 {
		return errors.New("no documents")
	}
	return nil
}
