// Package unified compares texts line by line, and writes the differences as diff -u does.
package unified

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// context is how many unchanged lines stand around a change, as with diff and git.
const context = 3

// Op says what happens to a line: it is the character before it.
type Op byte

const (
	Keep   Op = ' '
	Delete Op = '-'
	Insert Op = '+'
)

// Line is a line of either text, with its line end.
type Line struct {
	Op   Op
	Text string
}

// Hunk are changes close to each other, with the unchanged lines around them.
type Hunk struct {
	From, To int // its first line in the two texts, counted from 1
	Lines    []Line
}

// Diff returns the unified diff of two texts, "" if they are equal. From and to stand in its header.
func Diff(from, to, before, after string) string {
	hunks := Hunks(func(yield func(before, after string) bool) { yield(before, after) })
	if len(hunks) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("--- " + from + "\n+++ " + to + "\n")
	for _, h := range hunks {
		for line := range h.Text("") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Hunks compares two texts part by part. Parts consist of whole lines. The time that a part takes may grow with the
// square of its differences.
func Hunks(parts iter.Seq2[string, string]) []Hunk {
	c := comparison{from: 1, to: 1}
	for before, after := range parts {
		c.add(before, after)
	}
	c.end()
	return c.hunks
}

// Text yields the lines of the hunk as diff -u writes them. The heading follows the range of lines.
func (h Hunk) Text(heading string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(strings.TrimSuffix(h.ranges()+" "+heading, " ") + "\n") {
			return
		}
		for _, line := range h.Lines {
			text, ended := strings.CutSuffix(line.Text, "\n")
			if !yield(string(line.Op)+text+"\n") || !ended && !yield("\\ No newline at end of file\n") {
				return
			}
		}
	}
}

func (h Hunk) ranges() string {
	from, to := 0, 0
	for _, line := range h.Lines {
		if line.Op != Insert {
			from++
		}
		if line.Op != Delete {
			to++
		}
	}
	return "@@ -" + extent(h.From, from) + " +" + extent(h.To, to) + " @@"
}

// extent returns a range of lines as diff -u writes it.
func extent(first, count int) string {
	switch {
	case count > 1:
		return strconv.Itoa(first) + "," + strconv.Itoa(count)
	case count == 0:
		return "0,0" // of an empty text: any other hunk has unchanged lines
	}
	return strconv.Itoa(first)
}

// comparison is the state of Hunks.
type comparison struct {
	hunks    []Hunk
	from, to int      // the next lines of the two texts, counted from 1
	before   []string // unchanged lines before the next hunk
	open     bool     // whether the last hunk may go on
	kept     int      // unchanged lines at the end of an open hunk

	old, new []string // the lines of a part; their memory is used again
}

func (c *comparison) add(before, after string) {
	if before == after {
		c.keep(before)
		return
	}
	c.old = slices.AppendSeq(c.old[:0], strings.Lines(before))
	c.new = slices.AppendSeq(c.new[:0], strings.Lines(after))
	at := 0
	for _, d := range lcs.DiffLines(c.old, c.new) {
		for _, line := range c.old[at:d.Start] {
			c.keepLine(line)
		}
		for _, line := range c.old[d.Start:d.End] {
			c.change(Delete, line)
		}
		for _, line := range c.new[d.ReplStart:d.ReplEnd] {
			c.change(Insert, line)
		}
		at = d.End
	}
	for _, line := range c.old[at:] {
		c.keepLine(line)
	}
}

// keep adds unchanged lines. Of those far from changes it only counts the line ends.
func (c *comparison) keep(text string) {
	for c.open && text != "" {
		end := strings.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		c.keepLine(text[:end])
		text = text[end:]
	}
	start := len(text)
	for range context {
		start = strings.LastIndexByte(text[:max(0, start-1)], '\n') + 1
	}
	skipped := strings.Count(text[:start], "\n")
	c.from, c.to = c.from+skipped, c.to+skipped
	for line := range strings.Lines(text[start:]) {
		c.keepLine(line)
	}
}

func (c *comparison) keepLine(line string) {
	c.from, c.to = c.from+1, c.to+1
	if !c.open {
		c.before = append(c.before[max(0, len(c.before)+1-context):], line)
		return
	}
	last := &c.hunks[len(c.hunks)-1]
	last.Lines = append(last.Lines, Line{Keep, line})
	if c.kept++; c.kept > 2*context {
		for _, line := range last.Lines[len(last.Lines)-context:] {
			c.before = append(c.before, line.Text)
		}
		c.end()
	}
}

func (c *comparison) change(op Op, line string) {
	if !c.open {
		h := Hunk{From: c.from - len(c.before), To: c.to - len(c.before)}
		for _, line := range c.before {
			h.Lines = append(h.Lines, Line{Keep, line})
		}
		c.hunks = append(c.hunks, h)
		c.before, c.open = c.before[:0], true
	}
	last := &c.hunks[len(c.hunks)-1]
	last.Lines = append(last.Lines, Line{op, line})
	c.kept = 0
	if op == Delete {
		c.from++
	} else {
		c.to++
	}
}

// end takes the unchanged lines off the end of the last hunk that are too many.
func (c *comparison) end() {
	if c.open {
		last := &c.hunks[len(c.hunks)-1]
		last.Lines = last.Lines[:len(last.Lines)-max(0, c.kept-context)]
		c.open = false
	}
}
