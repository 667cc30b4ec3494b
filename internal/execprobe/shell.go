package execprobe

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
)

var shells = []string{"sh", "bash", "dash", "ash"}

// unwrap returns the words of the command itself, without the shell it may be given to.
func unwrap(command []string) ([]string, error) {
	if len(command) == 0 || !slices.Contains(shells, path.Base(command[0])) {
		if len(command) > 0 && strings.ContainsAny(command[0], " \t\n") {
			return nil, errors.New("is one word with blanks, which no program is called; its words belong into items of their own")
		}
		return command, nil
	}
	for i := 1; i < len(command); i++ {
		flags := command[i]
		switch {
		case !strings.HasPrefix(flags, "-") || strings.Trim(flags[1:], "aceluxo") != "":
			return nil, errors.New("runs a shell script from a file")
		case strings.Contains(flags, "c") && i+1 < len(command):
			return words(command[i+1])
		case strings.HasSuffix(flags, "o"): // -o pipefail
			i++
		}
	}
	return nil, errors.New("starts a shell without a command")
}

// quiet is an end of a command line that changes neither what it asks nor whether it fails.
var quiet = regexp.MustCompile(`(?:>\s*/dev/null|\s[12]>\s*/dev/null|\s2>&1|\s1?>&2|\s*\|\|\s*(?:exit\s+[1-9][0-9]?|false)|\s)+$`)

// words splits a shell command line. It is strict: one simple command of literal words, and nothing else.
func words(line string) ([]string, error) {
	line = strings.TrimSpace(line)
	if strings.ContainsAny(line, ">|") {
		if end := quiet.FindStringIndex(line); end != nil {
			line = line[:end[0]]
		}
	}
	var all []string
	var word strings.Builder
	inWord := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t':
			if inWord {
				all = append(all, word.String())
				word.Reset()
			}
			inWord = false
			continue
		case '\\':
			i++
			if i == len(line) {
				return nil, errors.New("ends in a backslash")
			}
			if line[i] == '\n' {
				continue // the next line continues this one
			}
			word.WriteByte(line[i])
		case '\'', '"':
			text, after, err := quoted(line, i)
			if err != nil {
				return nil, err
			}
			word.WriteString(text)
			i = after
		case '$', '`':
			return nil, errVariable
		case '|', '&', ';', '<', '>', '(', ')', '\n':
			return nil, errors.New("does more than run one program")
		case '#', '~':
			if !inWord {
				return nil, errors.New("uses a comment or a home directory")
			}
			word.WriteByte(c)
		default:
			word.WriteByte(c)
		}
		inWord = true
	}
	if inWord {
		all = append(all, word.String())
	}
	if len(all) > 1 && all[0] == "exec" {
		all = all[1:]
	}
	return all, nil
}

var errVariable = errors.New("uses variables or the output of another command")

// quoted returns the text of the string that starts at line[start] and the index of its closing quote.
func quoted(line string, start int) (text string, end int, err error) {
	var b strings.Builder
	quote := line[start]
	for i := start + 1; i < len(line); i++ {
		c := line[i]
		switch {
		case c == quote:
			return b.String(), i, nil
		case quote == '\'':
			b.WriteByte(c)
		case c == '$', c == '`':
			return "", 0, errVariable
		case c == '\\' && i+1 < len(line) && strings.IndexByte("$`\"\\\n", line[i+1]) >= 0:
			i++
			if line[i] != '\n' {
				b.WriteByte(line[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, errors.New("has an unclosed quote")
}
