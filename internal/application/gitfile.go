package application

import (
	"fmt"
	"iter"
	"regexp"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// gitSetting is a setting in a file of git's configuration.
type gitSetting struct {
	key    string // such as remote.origin.url, with the section and the last part in lower case
	value  string
	valued bool // whether it has a value: without one it is true
}

// What such a file consists of (git_parse_source in config.c of git v2.39.5).
var (
	gitSpace   = lazyregexp.New(`^(?:[ \t\r\n]|[#;].*\n)+`)
	gitSection = lazyregexp.New(`^\[([-.0-9A-Za-z]*)(?:[ \t]+"((?:\\.|[^"\\\n])*)")?\]`)
	gitKey     = lazyregexp.New(`^([A-Za-z][-0-9A-Za-z]*)[ \t]*(?:\n|=[ \t]*)`)
	gitValue   = lazyregexp.New(`^((?:"(?:\\[tbn"\\\n]|[^"\\\n])*"|\\[tbn"\\\n]|[^"\\\n#;])*)(?:[#;].*)?\n`)
	gitEscape  = lazyregexp.New(`\\(?s:.)|"`)
)

// gitEscapes are what stands for other characters in a value, or for none.
var gitEscapes = map[string]string{
	`\t`: "\t", `\b`: "\b", `\n`: "\n", `\"`: `"`, `\\`: `\`, "\\\n": "", `"`: "",
}

// gitSettings yields the settings of a file. An error is the last, with line and column.
func gitSettings(text string) iter.Seq2[gitSetting, error] {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n") + "\n"
	return func(yield func(gitSetting, error) bool) {
		section, rest := "", text
		take := func(pattern func() *regexp.Regexp) []string {
			found := pattern().FindStringSubmatch(rest)
			if found != nil {
				rest = rest[len(found[0]):]
			}
			return found
		}
		for {
			take(gitSpace)
			if rest == "" {
				return
			}
			if header := take(gitSection); header != nil {
				section = strings.ToLower(header[1]) + "."
				if strings.HasSuffix(header[0], `"]`) {
					section += strings.NewReplacer(`\\`, `\`, `\`, "").Replace(header[2]) + "."
				}
				continue
			}
			setting, valid := gitSetting{}, false
			if key := take(gitKey); key != nil {
				setting.key, setting.valued, valid = section+strings.ToLower(key[1]), strings.Contains(key[0], "="), true
			}
			if setting.valued {
				value := take(gitValue)
				if valid = value != nil; valid {
					setting.value = gitEscape().ReplaceAllStringFunc(strings.TrimRight(value[1], " \t\r"),
						func(escape string) string { return gitEscapes[escape] })
				}
			}
			if !valid {
				before := text[:len(text)-len(rest)]
				yield(gitSetting{}, fmt.Errorf("%d:%d: not a setting that git reads", strings.Count(before, "\n")+1,
					len(before)-strings.LastIndexByte(before, '\n')))
				return
			}
			if !yield(setting, nil) {
				return
			}
		}
	}
}
