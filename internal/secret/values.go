package secret

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"iter"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// Values are the strings that may be values of Secrets. kustomize and Helm quote in their errors what they can't use,
// in many forms, and Argo CD shows errors to everybody who may see the application. So no word of a message stays that
// occurs in one of the values, in any form that can be recognized, unless it is a name. The zero value has none.
type Values struct {
	texts   []string        // those strings, folded
	numbers []float64       // those among them
	names   map[string]bool // folded strings that are not values: paths, kinds, names of objects

	size  int  // bytes of the texts
	large bool // the texts were too large to compare with, so they are empty, and only names remain
}

// maxTexts bounds the size of the texts. Their other forms take several times as much memory.
const maxTexts = 8 << 20

// maxMessage bounds a message that quotes a whole object.
const maxMessage = 4096

// Add adds a string that may be a value, a line of a file with variables, or a whole file, plain or in base64.
func (v *Values) Add(text string) {
	text = strings.TrimSpace(text)
	if text == "" || v.large {
		return
	}
	if v.size += len(text); v.size > maxTexts {
		v.texts, v.numbers, v.large = nil, nil, true
		return
	}
	encode := base64.StdEncoding.EncodeToString
	v.add(text, encode([]byte(text)), encode([]byte(text+"\n")), hex.EncodeToString([]byte(text)))
	if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
		v.add(string(decoded))
	}
	for line := range strings.Lines(text) {
		if _, value, found := strings.Cut(strings.TrimSpace(line), "="); found {
			v.add(encode([]byte(value)), encode([]byte(strings.Trim(value, `"'`))))
		}
	}
	if n, ok := number(text); ok && len(text) >= minWord {
		v.numbers = append(v.numbers, n)
		if float := fmt.Sprint(n); float != text { // as a chart sees it
			v.add(float, encode([]byte(float)), hex.EncodeToString([]byte(float)))
		}
	}
}

func (v *Values) add(texts ...string) {
	for _, text := range texts {
		v.texts = append(v.texts, fold(text))
	}
}

// Name adds a string whose words are not values.
func (v *Values) Name(text string) {
	if v.names == nil {
		v.names = map[string]bool{}
	}
	text = fold(text)
	v.names[text] = true
	for _, word := range word().FindAllString(text, -1) {
		v.names[word] = true
	}
}

var (
	// word matches what remains recognizable of a value however it is quoted.
	word = lazyregexp.New(`[\pL\pN]+`)

	// encoded matches what may be base64, base32 or hexadecimal.
	encoded = lazyregexp.New(`[A-Za-z0-9+/_-]{8,}=*`)

	// numeral matches numbers as Go, Helm's functions and schema errors print them.
	numeral = lazyregexp.New(`\d[\d,_]*(\.\d+)?([eE][-+]?\d+|×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?`)

	// escape matches the escapes of strings in YAML, JSON, Go, JavaScript, addresses and HTML.
	escape = lazyregexp.New(`\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|(%[0-9a-fA-F]{2})+|&(#\d+|[a-z]+);`)

	// codes matches bytes as Go prints them.
	codes = lazyregexp.New(`\[(\d+( \d+)*)\]`)

	// hexCodes matches bytes as Go prints them with %# x.
	hexCodes = lazyregexp.New(`\b0x[0-9a-f]{2}( 0x[0-9a-f]{2})+\b`)

	// frames matches what Helm, templates and YAML print around a message, and the positions in it.
	frames = lazyregexp.New(`template: |executing |execution error at |parse error at |error calling |` +
		`YAML parse error on |error converting YAML to JSON: |error unmarshaling JSON: while decoding JSON: json: |yaml: |` +
		`unmarshal errors: |into Go value of type map\[string\]interface {}|` +
		`line \d+: |nil pointer evaluating interface |can't evaluate field |missing property |` +
		`got (string|integer|number|boolean|object|array|null), want (string|integer|number|boolean|object|array|null)|` +
		`\.(ya?ml|tpl|txt|json):\d+(:\d+)?`)
)

// The lengths of words that are removed: shorter ones say nothing, or occur in too many others.
const (
	minWord     = 3 // when a value has this word
	minPart     = 4 // when a value has it as a part of a word
	minContents = 6 // when a longer word contains it, or its letters are there with others between them
)

// Redact returns the start of a message with the mask in place of whatever the values contain.
func (v *Values) Redact(message string) string {
	message = unescape(strings.ToValidUTF8(message[:min(len(message), maxMessage)], ""))
	folded := fold(message)
	f := v.finder()
	hidden := make([]bool, len(folded))
	set := func(start, end int, value bool) {
		for i := start; i < end; i++ {
			hidden[i] = value
		}
	}
	for _, phrase := range f.phrases {
		for start := range occurrences(folded, phrase) {
			if end := start + len(phrase); !f.inName(folded, start, end) {
				set(start, end, true)
			}
		}
	}
	bare, offsets := bare(folded)
	for _, letters := range f.letters {
		for start := range occurrences(bare, letters) {
			if first, last := offsets[start], offsets[start+len(letters)-1]; !f.inName(folded, first, last+1) {
				set(first, last+1, true)
			}
		}
	}
	hide := func(pattern *regexp.Regexp, text string, hides func(string) bool) {
		for _, at := range pattern.FindAllStringIndex(text, -1) {
			if hides(text[at[0]:at[1]]) {
				set(at[0], at[1], true)
			}
		}
	}
	hide(word(), folded, f.word)
	hide(numeral(), folded, f.numeral)
	hide(encoded(), message, f.encoded)
	for _, at := range codes().FindAllStringSubmatchIndex(folded, -1) {
		set(at[2], at[3], true)
	}
	hide(hexCodes(), folded, func(string) bool { return true })
	for _, at := range frames().FindAllStringIndex(message, -1) {
		set(at[0], at[1], false)
	}
	return masked(message, hidden)
}

// finder finds values in messages.
type finder struct {
	*Values
	phrases []string // the texts, also on one line
	letters []string // their letters and digits, for functions that change what is between them
	words   map[string]bool
	long    []string // words that a longer one may contain
	all     string
}

func (v *Values) finder() *finder {
	texts := slices.DeleteFunc(slices.Clone(v.texts), func(text string) bool { return v.names[text] })
	f := &finder{Values: v, words: map[string]bool{}, all: strings.Join(texts, "\n")}
	for _, text := range texts {
		for _, form := range []string{text, strings.Join(strings.Fields(text), " ")} {
			if len(form) >= minPart && len(form) <= maxMessage {
				f.phrases = append(f.phrases, form)
			}
		}
		if letters, _ := bare(text); len(letters) >= minContents && len(letters) <= maxMessage {
			f.letters = append(f.letters, letters)
		}
	}
	for _, w := range word().FindAllString(f.all, -1) {
		if !f.words[w] && !v.names[w] {
			f.words[w] = true
			if len(w) >= minContents {
				f.long = append(f.long, w)
			}
		}
	}
	return f
}

// inName reports whether a part of a message is a part of a name.
func (f *finder) inName(message string, start, end int) bool {
	isPart := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	for {
		r, size := utf8.DecodeLastRuneInString(message[:start])
		if !isPart(r) {
			break
		}
		start -= size
	}
	for {
		r, size := utf8.DecodeRuneInString(message[end:])
		if !isPart(r) {
			break
		}
		end += size
	}
	return f.names[message[start:end]]
}

// word reports whether a word is one of the values, or a part of one, or has one as a part.
func (f *finder) word(w string) bool {
	if f.names[w] {
		return false
	}
	return len(w) >= minWord && (f.large || f.words[w]) || len(w) >= minPart && strings.Contains(f.all, w) ||
		slices.ContainsFunc(f.long, func(value string) bool { return strings.Contains(w, value) }) || f.inBase(w)
}

// inBase reports whether a word is a number of the values with another base.
func (f *finder) inBase(w string) bool {
	return len(w) >= minWord && slices.ContainsFunc([]int{2, 8, 16}, func(base int) bool {
		n, err := strconv.ParseInt(w, base, 64)
		return err == nil && slices.Contains(f.numbers, float64(n))
	})
}

// precision is how much a number may differ from a value that was rounded to three digits.
const precision = 0.005

// numeral reports whether a number is one of the values, perhaps rounded, or has the digits of a part of one.
func (f *finder) numeral(text string) bool {
	n, ok := number(text)
	if !ok || f.names[text] {
		return false
	}
	digits, _ := bare(text)
	return slices.ContainsFunc(f.numbers, func(value float64) bool {
		return math.Abs(math.Abs(value)-n) <= precision*math.Abs(value)
	}) || len(digits) >= minPart && slices.ContainsFunc(f.letters, func(letters string) bool {
		return strings.Contains(letters, digits)
	})
}

// encoded reports whether a word of the values is in what a string encodes.
func (f *finder) encoded(text string) bool {
	if f.names[fold(text)] {
		return false
	}
	text = strings.TrimRight(text, "=")
	for _, decode := range []func(string) ([]byte, error){
		base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
		base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString, hex.DecodeString,
	} {
		plain, err := decode(text)
		if err == nil && utf8.Valid(plain) && slices.ContainsFunc(word().FindAllString(fold(string(plain)), -1), f.word) {
			return true
		}
	}
	return false
}

// masked returns a message with the mask in place of its hidden bytes. What is between two masks without a word is
// hidden too.
func masked(message string, hidden []bool) string {
	var b strings.Builder
	for start := 0; start < len(message); {
		end := start
		for end < len(message) && hidden[end] == hidden[start] {
			end++
		}
		part := message[start:end]
		switch inside := start > 0 && end < len(message); {
		case hidden[start] && !strings.HasSuffix(b.String(), Mask):
			b.WriteString(Mask)
		case !hidden[start] && (!inside || word().MatchString(part)):
			b.WriteString(part)
		}
		start = end
	}
	return b.String()
}

// occurrences returns where a string has a part, without overlaps.
func occurrences(text, part string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; at += len(part) {
			i := strings.Index(text[at:], part)
			if at += i; i < 0 || !yield(at) {
				return
			}
		}
	}
}

// bare returns the letters and digits of a string, and the offset of each of their bytes in it.
func bare(text string) (letters string, offsets []int) {
	var b strings.Builder
	for at, r := range text {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			for i := range utf8.RuneLen(r) {
				offsets = append(offsets, at+i)
			}
			b.WriteRune(r)
		}
	}
	return b.String(), offsets
}

func unescape(message string) string {
	return escape().ReplaceAllStringFunc(message, func(code string) string {
		var char string
		switch code[0] {
		case '%':
			char, _ = url.PathUnescape(code)
		case '&':
			char = html.UnescapeString(code)
		default:
			if r, _, _, err := strconv.UnquoteChar(code, 0); err == nil {
				char = string(r)
			}
		}
		if char = strings.ToValidUTF8(char, " "); strings.TrimSpace(char) == "" {
			return " "
		}
		return char
	})
}

// exponents makes Go's exponents of those in schema errors, such as ×10⁷.
var exponents = strings.NewReplacer("×10", "e", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6",
	"⁷", "7", "⁸", "8", "⁹", "9")

// number returns the size of a number, in the forms of numeral and with a base.
func number(text string) (float64, bool) {
	text = strings.ReplaceAll(strings.TrimLeft(exponents.Replace(text), "+-"), ",", "")
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return float64(n), true
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsInf(n, 0) && !math.IsNaN(n)
}

// fold returns a string without case, and with every byte at its offset.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if lower := unicode.ToLower(r); utf8.RuneLen(lower) == utf8.RuneLen(r) {
			return lower
		}
		return r
	}, text)
}
