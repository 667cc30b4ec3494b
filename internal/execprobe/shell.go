package execprobe

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

var (
	shells = []string{"sh", "bash", "dash", "ash"}

	// modes are the values of a shell's option -o that change neither what one command does nor its exit code.
	modes = []string{"pipefail", "errexit", "nounset", "xtrace"}
)

// unwrap returns the words of the command itself, without the shell it may be given to.
func unwrap(command []string) ([]string, error) {
	if len(command) == 0 || !slices.Contains(shells, path.Base(command[0])) {
		if len(command) > 0 && strings.ContainsAny(command[0], " \t\n") {
			return nil, errors.New("is a single string with spaces, not a program name; give each word an item of its own")
		}
		return command, nil
	}
	for i := 1; i < len(command); i++ {
		flags := command[i]
		switch {
		case len(flags) < 2 || flags[0] != '-' || strings.Trim(flags[1:], "aceluxo") != "":
			return nil, errors.New("runs a shell script from a file")
		case strings.Contains(flags, "o"):
			i++
			if strings.Contains(flags, "c") || i == len(command) || !slices.Contains(modes, command[i]) {
				return nil, fmt.Errorf("uses option %s of the shell, which is not understood", flags)
			}
		case strings.Contains(flags, "c") && i+1 < len(command):
			return words(command[i+1])
		}
	}
	return nil, errors.New("starts a shell without a command")
}

// maxScript bounds what is parsed: the parser is recursive.
const maxScript = 4096

var (
	errMore     = errors.New("does more than run one program")
	errVariable = errors.New("uses variables or the output of another command")
)

// words returns the words of the one command in a script that decides whether the script succeeds. Its words must mean
// the same to every shell.
func words(script string) ([]string, error) {
	switch {
	case len(script) > maxScript:
		return nil, fmt.Errorf("is a script of more than %d bytes", maxScript)
	case strings.ContainsAny(script, "\r\x00"): // the parser drops them, a shell does not
		return nil, errors.New("has a carriage return or a NUL in its script")
	case strings.Contains(script, `\\`+"\n"): // the parser can leave a line continuation in the word
		return nil, errors.New("has a line that ends in two backslashes")
	}
	for line := range strings.Lines(script) { // the parser joins a comment, too, to the next line
		if strings.Contains(line, "#") && strings.HasSuffix(line, "\\\n") {
			return nil, errors.New("has a line with # that ends in a backslash")
		}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(script), "")
	var invalid syntax.ParseError
	switch {
	case errors.As(err, &invalid) && strings.Contains(invalid.Text, "closing quote"):
		return nil, errors.New("has an unclosed quote")
	case errors.As(err, &invalid):
		return nil, fmt.Errorf("is not a valid script: %s", invalid.Text)
	case err != nil || len(file.Stmts) > 1: // an error here is about syntax of some shells only
		return nil, errMore
	case len(file.Stmts) == 0:
		return nil, nil
	}
	command, err := deciding(file.Stmts[0])
	if len(command) > 1 && command[0] == "exec" {
		command = command[1:]
	}
	return command, err
}

// deciding returns the words of the command that decides whether a statement succeeds: A in `A`, in `A || exit 1` and
// in `A && exit 0 || exit 1`.
func deciding(s *syntax.Stmt) ([]string, error) {
	switch {
	case s.Negated:
		return nil, errors.New(`runs "!", which turns failure into success`)
	case s.Background || !silences(s.Redirs):
		return nil, errMore
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return literals(c)
	case *syntax.BinaryCmd:
		last, err := deciding(c.Y)
		if err != nil {
			return nil, errMore
		}
		status, known := exitStatus(last)
		if known && (c.Op == syntax.OrStmt && status != 0 || c.Op == syntax.AndStmt && status == 0) {
			return deciding(c.X)
		}
	}
	return nil, errMore
}

// exitStatus is the exit status of the shell's own commands that do nothing else.
func exitStatus(command []string) (status uint64, known bool) {
	switch {
	case slices.Equal(command, []string{"true"}), slices.Equal(command, []string{":"}):
		return 0, true
	case slices.Equal(command, []string{"false"}):
		return 1, true
	case len(command) == 2 && command[0] == "exit":
		status, err := strconv.ParseUint(command[1], 10, 8)
		return status, err == nil
	}
	return 0, false
}

// silences reports whether redirections do no more than silence a program or join its outputs.
func silences(redirections []*syntax.Redirect) bool {
	for i, r := range redirections {
		to := r.Word.Lit()
		switch {
		case i > 0 && redirections[i-1].End() == r.Pos(): // dash takes the 1 in 2>&1>&2 for the beginning of 1>&2
			return false
		case r.N != nil && r.N.Value != "1" && r.N.Value != "2":
			return false
		case (r.Op == syntax.RdrOut || r.Op == syntax.AppOut) && to == "/dev/null":
		case r.Op == syntax.DplOut && (to == "1" || to == "2"):
		default:
			return false
		}
	}
	return true
}

func literals(c *syntax.CallExpr) ([]string, error) {
	if len(c.Assigns) > 0 {
		return nil, errors.New("sets variables")
	}
	var words []string
	for _, w := range c.Args {
		word, err := literal(w)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, nil
}

// literal returns what a word stands for, if no expansion decides about it.
func literal(w *syntax.Word) (string, error) {
	var b strings.Builder
	unquoted := ""
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(part.Value, "~") || strings.Contains(part.Value, "=~") ||
				strings.Contains(part.Value, ":~") {
				return "", errors.New("uses a home directory")
			}
			unquoted += part.Value
			if err := unescape(&b, part.Value, ""); err != nil {
				return "", err
			}
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", errVariable
				}
				if err := unescape(&b, lit.Value, "$`\"\\"); err != nil {
					return "", err
				}
			}
		default:
			return "", errVariable
		}
	}
	has := func(s string) bool { return strings.Contains(unquoted, s) }
	switch {
	case has("{") && (has(",") || has("..")):
		return "", errors.New("uses braces outside quotes, which some shells expand")
	case (has("*") || has("?") || has("[") && has("]")) && !strings.Contains(b.String(), ":"):
		// With a colon it is a URL or host:port. No file has such a name, and a pattern that matches no file stays unchanged.
		return "", errors.New("uses *, ? or [ outside quotes, which the shell may replace by file names")
	}
	return b.String(), nil
}

// unescape writes s without its backslashes, or only without those before one of the special characters.
func unescape(b *strings.Builder, s, special string) error {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '$':
			return errVariable
		case s[i] == '\\' && special == "" && i+1 == len(s):
			return errors.New("ends in a backslash")
		case s[i] == '\\' && i+1 < len(s) && (special == "" || strings.IndexByte(special, s[i+1]) >= 0):
			i++
		}
		b.WriteByte(s[i])
	}
	return nil
}
