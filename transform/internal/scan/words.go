package scan

import (
	"bytes"
	"math"
	"slices"
)

// rarest lists the letters from the rarest to the most common in manifests, by a rough count.
const rarest = "zqjxvkbwyfhgudmlcpnoisrate"

// sampleSize is how many bytes show which letters are rare in a file.
const sampleSize = 4 << 10

// words searches for several words at once: one search for a byte finds all words that contain it.
type words []landmark

// landmark is a rare byte and the words that it finds.
type landmark struct {
	byte  byte
	words []placed
}

// placed is a word and the offset of its landmark.
type placed struct {
	word []byte
	at   int
}

// newWords prepares a search in files such as the sample.
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

// rareByte returns the offset in a word of the letter with the lowest count; rarest breaks ties.
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

// in reports whether the text contains one of the words.
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
