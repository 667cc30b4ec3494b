package transform

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// trees are the documents that have a tree, which takes ten times the memory of its text. The first ones keep theirs.
// The small documents after them are parsed again when a rule looks at them, and only the last of these have a tree.
type trees struct {
	facts  func(*Object) any // Config.Facts
	most   int               // bytes of the texts of those that may keep their trees
	mutex  sync.Mutex
	kept   int         // bytes of the texts of those that keep their trees
	recent []*document // the other small ones, the oldest first
	size   int         // of their texts
}

// What rules and repairs need of a document takes as much memory as its tree. So the fewer texts there are, the more of
// them keep their trees: up to half of maxTexts all do.
const (
	maxTexts = 4 << 20
	minKept  = 64 << 10
	maxSmall = 16 << 10
)

// maxRecent is enough for what every processor looks at.
func maxRecent() int { return 4 * maxSmall * runtime.GOMAXPROCS(0) }

// share sets how many of the documents that may be parsed keep their trees.
func (t *trees) share(documents []*document) {
	size := 0
	for _, d := range documents {
		if d.content != object {
			size += len(d.source.Body)
		}
	}
	t.most = max(minKept, maxTexts-size)
}

// small reports whether it costs little to parse the document for one of its objects.
func (d *document) small() bool { return len(d.objects) <= 1 && len(d.source.Body) <= maxSmall }

// read returns a new tree of a document that could be parsed before.
func (d *document) read() *yamldoc.Tree {
	tree, err := yamldoc.Parse(d.body())
	if err != nil {
		panic(fmt.Sprintf("%s: %v", d.file.Path, err))
	}
	return tree
}

// parsed returns the tree of a document that could be parsed before.
func (d *document) parsed() *yamldoc.Tree {
	if tree := d.tree.Load(); tree != nil {
		return tree
	}
	tree := d.read()
	d.keep(tree)
	return tree
}

// borrow calls use with the tree of a document that could be parsed before. One that is made for it is gone afterwards.
func (d *document) borrow(use func(*yamldoc.Tree) error) error {
	if tree := d.tree.Load(); tree != nil {
		return use(tree)
	}
	tree := d.read()
	defer tree.Release()
	return use(tree)
}

// keep remembers the tree, perhaps not for long.
func (d *document) keep(tree *yamldoc.Tree) {
	if d.tree.CompareAndSwap(nil, tree) && !d.trees.admit(d) { // another goroutine may have parsed it at the same time
		d.trees.remember(d)
	}
}

// admit reports whether the document may keep its tree, and then counts it.
func (t *trees) admit(d *document) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if d.keeps {
		return true
	}
	size := len(d.source.Body)
	if d.small() && t.kept+size > t.most {
		return false
	}
	d.keeps = true
	t.kept += size
	return true
}

// remember makes the document the last one that has its tree for a while.
func (t *trees) remember(d *document) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.recent = append(t.recent, d)
	t.size += len(d.source.Body)
	for t.size > maxRecent() {
		oldest := t.recent[0]
		t.recent = t.recent[1:]
		t.size -= len(oldest.source.Body)
		if !oldest.keeps {
			oldest.tree.Store(nil)
		}
	}
}

// drop forgets the tree and the facts of a document whose text becomes another one.
func (d *document) drop() {
	for _, o := range d.objects {
		o.facts = nil
	}
	d.trees.mutex.Lock()
	defer d.trees.mutex.Unlock()
	if d.keeps {
		d.keeps = false
		d.trees.kept -= len(d.source.Body)
	}
	d.tree.Store(nil)
}
