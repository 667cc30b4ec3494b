// Vet runs the analyzers of go vet on source code alone: for another system than this one, go vet compiles all
// dependencies first, which takes ten times as long. GOOS chooses the system.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
