package chart

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// schemaURL is the address of a chart's own schema, as in Helm (pkg/chart/common/util/jsonschema.go@v4.3.1).
const schemaURL = "file:///values.schema.json"

// validate checks values against the values.schema.json of a chart and of its subcharts, as Helm does. But a schema
// cannot refer to other files or addresses: Helm would read any file of the machine, and connect to any host.
func validate(c *chart.Chart, values map[string]any) error {
	var faults []error
	if c.Schema != nil {
		if err := validateOne(c.Schema, values); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", c.ChartPath(), err))
		}
	}
	for _, sub := range c.Dependencies() {
		switch below := values[sub.Name()].(type) {
		case nil:
		case map[string]any:
			faults = append(faults, validate(sub, below))
		default:
			faults = append(faults, fmt.Errorf("%s: its values must be a mapping, not %T", sub.ChartPath(), below))
		}
	}
	return errors.Join(faults...)
}

func validateOne(schema []byte, values map[string]any) (err error) {
	defer func() {
		if r := recover(); r != nil { // at numbers such as 1e1000000000
			err = fmt.Errorf("values.schema.json: the values can't be checked: %v", r)
		}
	}()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return fmt.Errorf("values.schema.json: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(refuse{})
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return fmt.Errorf("values.schema.json: %w", err)
	}
	compiled, err := compiler.Compile(schemaURL)
	if err != nil {
		return fmt.Errorf("values.schema.json: %w", err)
	}
	var faults *jsonschema.ValidationError
	if err := compiled.Validate(values); errors.As(err, &faults) {
		sortCauses(faults)
		return fmt.Errorf("the values do not fit values.schema.json:%s",
			strings.TrimPrefix(faults.Error(), "jsonschema validation failed with '"+schemaURL+"#'"))
	} else if err != nil {
		return err
	}
	return nil
}

// sortCauses sorts the faults by the places of the values. The library visits them in a random order.
func sortCauses(fault *jsonschema.ValidationError) {
	slices.SortStableFunc(fault.Causes, func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(slices.Compare(a.InstanceLocation, b.InstanceLocation), cmp.Compare(a.Error(), b.Error()))
	})
	for _, cause := range fault.Causes {
		sortCauses(cause)
	}
}

// refuse is the loader of schemas that refer to others. A schema with a URN accepts everything, as in Helm.
type refuse struct{}

func (refuse) Load(url string) (any, error) {
	if strings.HasPrefix(url, "urn:") {
		return true, nil
	}
	return nil, fmt.Errorf("%s is not read: a schema may refer only to its own definitions; copy them into it", url)
}
