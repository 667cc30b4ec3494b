package flags

import "errors"

// Path is a flag that names a file or directory. It refuses the empty value that a shell makes of an unset variable:
// without the flag the command would do less and say nothing.
type Path string

func (p *Path) String() string { return string(*p) }
func (p *Path) Type() string   { return "path" }

func (p *Path) Set(path string) error {
	if path == "" {
		return errors.New("the path is empty")
	}
	*p = Path(path)
	return nil
}
