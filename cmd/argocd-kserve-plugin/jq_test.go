//go:build linux

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/itchyny/gojq"
)

// jq is what install/github/comment needs of jq, which a machine with Go need not have: the options -r, -R, -s and a
// last one --arg.
func jq() {
	raw, text := flag.Bool("r", false, "strings without quotes"), flag.Bool("R", false, "the input is text")
	slurp, name := flag.Bool("s", false, "with -R: all of it is one string"), flag.String("arg", "", "a variable and its value")
	flag.Parse()
	args, names, values := flag.Args(), []string(nil), []any(nil)
	if *name != "" {
		names, values, args = []string{"$" + *name}, []any{args[0]}, args[1:]
	}
	query, err := gojq.Parse(args[0])
	fatal(err)
	code, err := gojq.Compile(query, gojq.WithVariables(names))
	fatal(err)
	source := os.Stdin
	if len(args) > 1 {
		source, err = os.Open(args[1])
		fatal(err)
	}
	data, err := io.ReadAll(source)
	fatal(err)
	var input any = string(data)
	if *text != *slurp {
		log.Fatal("-R and -s belong together")
	}
	if !*text {
		fatal(json.Unmarshal(data, &input))
	}
	for results := code.Run(input, values...); ; {
		result, more := results.Next()
		if !more {
			return
		}
		if err, failed := result.(error); failed {
			log.Fatal(err)
		}
		if line, ok := result.(string); ok && *raw {
			fmt.Println(line)
			continue
		}
		line, err := gojq.Marshal(result)
		fatal(err)
		fmt.Println(string(line))
	}
}

func fatal(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
