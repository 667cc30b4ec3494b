package rules

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
)

// templateFunctions are the functions that the templates of LLM services may call on some release. Only their names
// count here (ReplaceVariables in config_merge.go of pkg/controller/v1alpha1/llmisvc@v0.16.0 and of
// pkg/controller/v1alpha2/llmisvc at v0.17.0, v0.19.0 and v0.20.0).
var templateFunctions = template.FuncMap{
	"ChildName":        func() string { return "" },
	"kvTransferConfig": func() string { return "" },
	"shutdownTimeout":  func() string { return "" },
}

const templateAdvice = "KServe reads {{ as the start of a Go template: write {{`{{`}} for a literal {{, and `text` for a " +
	"string in a template"

// templateFault returns what KServe says about a string with a broken template, nil if the string has no fault. KServe
// merges a service with its Configs, writes the result as JSON, and reads that as one template. So a block may start in
// one string and end in another.
func templateFault(s string) error {
	if !strings.Contains(s, "{{") {
		return nil
	}
	written, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = template.New("config").Funcs(templateFunctions).Parse(string(written))
	if err == nil || strings.Contains(err.Error(), "unexpected EOF") || strings.Contains(err.Error(), "unexpected {{e") {
		return nil
	}
	return fmt.Errorf("failed to parse template config: %w", err)
}
