package yamldoc

import "sync"

// Trail is the position of a walk through a tree. It makes a Path only when asked for one.
type Trail struct {
	start Path
	steps []trailStep
}

// trailStep is a key, or the index of an item.
type trailStep struct {
	key   string
	index int // noIndex for a key
}

const noIndex = -1

var trails = sync.Pool{New: func() any { return &Trail{steps: make([]trailStep, 0, 10)} }}

// AlongTrail calls walk with the trail of a walk that starts at a path. The trail is valid until walk returns.
func AlongTrail(start Path, walk func(*Trail)) {
	at := trails.Get().(*Trail)
	at.start = start
	walk(at)
	trails.Put(at)
}

// Key goes to the entry with a key.
func (t *Trail) Key(key string) { t.steps = append(t.steps, trailStep{key, noIndex}) }

// Item goes to an item of a sequence.
func (t *Trail) Item(i int) { t.steps = append(t.steps, trailStep{index: i}) }

// Each calls visit for every value of a mapping and every item of a sequence, while the trail leads to it. Other nodes
// have none.
func (t *Trail) Each(n *Node, visit func(child *Node)) {
	if n == nil {
		return
	}
	for i := range n.Entries {
		t.Key(n.Entries[i].Key.Value)
		visit(n.Entries[i].Value)
		t.Up()
	}
	for i, item := range n.Items {
		t.Item(i)
		visit(item)
		t.Up()
	}
}

// Up goes back to where the last Key or Item came from.
func (t *Trail) Up() { t.steps = t.steps[:len(t.steps)-1] }

// Len returns the number of steps of the path.
func (t *Trail) Len() int { return len(t.start) + len(t.steps) }

// Path returns a new path that leads to where the walk is.
func (t *Trail) Path() Path {
	path := make(Path, len(t.start), len(t.start)+len(t.steps)+2) // callers often add a step or two
	copy(path, t.start)
	for _, step := range t.steps {
		if step.index == noIndex {
			path = append(path, step.key)
		} else {
			path = append(path, step.index)
		}
	}
	return path
}
