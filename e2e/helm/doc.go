// Package helm compares what the plugin makes of Helm charts with what the real helm makes of them, object by object.
//
// testdata/charts has a chart for each group of Helm's features, written to be read.
package helm
