package stream

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
)

// TestCharacters joins JSON files that have characters of all kinds in their strings, raw and escaped, with other
// files.
func TestCharacters(t *testing.T) {
	var parts []string
	for r := rune(' '); r <= 0x10ffff; r++ {
		switch {
		case r < 0x100, r >= 0x2000 && r < 0x2070, r >= 0xfdc8 && r < 0xfdf8, r >= 0xfe00 && r < 0xfe10,
			r >= 0xfef8 && r < 0x10008, r&0xfffe == 0xfffe, r == 0xd7ff, r == 0xe000:
		default:
			continue
		}
		if r != '"' && r != '\\' {
			parts = append(parts, string(r))
		}
	}
	for r := range 0x120 {
		parts = append(parts, fmt.Sprintf(`\u%04x`, r))
	}
	parts = append(parts, `\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u2028`, `\u2029`, `\ufeff`, `\ufffe`, `\uffff`,
		`\ud83d\ude00`, `\uD83D\uDE00`, `\ud83f\udffe`, `\udbff\udfff`, `\\ud83d\\ude00`, `\\\u0085`, "\\\\\u0085")
	for _, part := range parts {
		for _, text := range []string{part, "x" + part, part + "x", "x " + part + " x", part + part, " " + part, part + " "} {
			proved(t, fmt.Sprintf(`{"v": "%s", "l": ["%[1]s", "%[1]s"]}`, text))
			proved(t, fmt.Sprintf(`{"%s": 1}`, text))
		}
	}
}

// TestPairs puts the characters that YAML treats differently next to each other and to what surrounds strings.
func TestPairs(t *testing.T) {
	for _, text := range upTo(3, []string{
		"\u007f", "\u0085", "\u0080", "\u009f", "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff", `\u0085`, `\\`, `\"`, `\/`,
		`\n`, " ", "#", ":", "-", "---", "x", "{", "}", ",", "'", "é", `\ud83d\ude00`, "😀",
	}) {
		proved(t, `{"v": "`+text+`"}`)
	}
}

// TestNumbers joins JSON files with numbers. Only the sign of a zero may get lost, so those with one are left out.
func TestNumbers(t *testing.T) {
	for _, text := range upTo(5, []string{"-", "0", "1", ".", "e", "E", "+"}) {
		value, err := strconv.ParseFloat(text, 64)
		if err == nil && json.Valid([]byte(text)) && !(value == 0 && text[0] == '-') {
			proved(t, `{"v": `+text+`}`)
		}
	}
	for _, text := range []string{
		"9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
		"18446744073709551615", "18446744073709551616", "123456789012345678901234567890", "1e21", "0.1",
		"1.0", "1e2", "1E2", "1e+2", "1e-2", "0.30000000000000004", "1e308", "5e-324", "123456789.123456789",
	} {
		proved(t, `{"v": `+text+`, "l": [`+text+`]}`)
	}
}

// proved joins a JSON file with others. Each has to be read alone, and as part of the stream as it is alone.
func proved(t *testing.T, file string) {
	t.Helper()
	for _, files := range [][]string{{file, "a: 1\n"}, {"a: 1\n", file}, {file, file}} {
		if !check(t, files...) {
			_, err := join(files...)
			t.Errorf("%q proves nothing: %v", files, err)
		}
	}
}
