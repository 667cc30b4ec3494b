package helm

import "testing"

func (o options) parameters(t *testing.T) []string { return nil }
