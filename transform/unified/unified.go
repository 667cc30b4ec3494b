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
	var lines []string // of the old text
	var changes []change
	for before, after := range parts {
		at := len(lines)
		lines = slices.AppendSeq(lines, strings.Lines(before))
		if before == after {
			continue
		}
		made := slices.Collect(strings.Lines(after))
		for _, d := range lcs.DiffLines(lines[at:], made) {
			changes = append(changes, change{at + d.Start, at + d.End, made[d.ReplStart:d.ReplEnd]})
		}
	}
	var hunks []Hunk
	added := 0
	for len(changes) > 0 {
		at := max(0, changes[0].start-context)
		h := Hunk{From: at + 1, To: at + 1 + added}
		for len(changes) > 0 && changes[0].start <= at+2*context {
			c := changes[0]
			h.add(Keep, lines[at:c.start])
			h.add(Delete, lines[c.start:c.end])
			h.add(Insert, c.lines)
			at, added, changes = c.end, added+len(c.lines)-(c.end-c.start), changes[1:]
		}
		h.add(Keep, lines[at:min(at+context, len(lines))])
		hunks = append(hunks, h)
	}
	return hunks
}

// change replaces the lines from start to end, counted from 0.
type change struct {
	start, end int
	lines      []string
}

func (h *Hunk) add(op Op, lines []string) {
	for _, line := range lines {
		h.Lines = append(h.Lines, Line{op, line})
	}
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
