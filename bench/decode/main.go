// Decode reads all documents of a YAML file with yaml.v3 and prints nothing. It is what one pass of that decoder costs.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"gopkg.in/yaml.v3"
)

func main() {
	if err := decode(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "decode:", err)
		os.Exit(1)
	}
}

func decode(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for decoder := yaml.NewDecoder(bufio.NewReader(file)); ; {
		var document yaml.Node
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
