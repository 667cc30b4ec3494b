package transform

import (
	"bytes"
	"math"
	"slices"
)

// rarest are the letters in the order of how seldom they are in manifests, roughly.
const rarest = "zqjxvkbwyfhgudmlcpnoisrate"

// sampleSize is enough of a text to tell which letters are seldom in it.
const sampleSize = 4 << 10

// words searches for several words at once. A fast search for one byte serves all words that have it.
type words []landmark

// landmark is a rare byte and the words that are found by it.
type landmark struct {
	byte  byte
	words []placed
}

// placed is a word and the offset of its landmark.
type placed struct {
	word []byte
	at   int
}

// newWords prepares the search in texts such as the sample, of which it looks at the beginning.
func newWords(list [][]byte, sample []byte) words {
	var counts [256]int
	for _, c := range sample[:min(len(sample), sampleSize)] {
		counts[c]++
	}
	var w words
	for _, word := range list {
		at := rareByte(word, &counts)
		i := slices.IndexFunc(w, func(l landmark) bool { return l.byte == word[at] })
		if i < 0 {
			i, w = len(w), append(w, landmark{byte: word[at]})
		}
		w[i].words = append(w[i].words, placed{word, at})
	}
	return w
}

// rareByte returns the offset of the letter of a word that was counted least, of several the rarest one.
func rareByte(word []byte, counts *[256]int) int {
	rare := 0
	least := math.MaxInt
	for _, letter := range []byte(rarest) {
		if at := bytes.IndexByte(word, letter); at >= 0 && counts[letter] < least {
			rare, least = at, counts[letter]
		}
	}
	return rare
}

// in reports whether a text has one of the words.
func (w words) in(text []byte) bool {
	return slices.ContainsFunc(w, func(l landmark) bool { return l.in(text) })
}

func (l landmark) in(text []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(text[at:], l.byte)
		if i < 0 {
			return false
		}
		at += i
		for _, w := range l.words {
			if at >= w.at && (w.at == 0 || text[at-1] == w.word[w.at-1]) && bytes.HasPrefix(text[at-w.at:], w.word) {
				return true
			}
		}
	}
}
