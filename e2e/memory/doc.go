// Package memory measures the plugin's process while it renders what takes more memory than it may: little input that
// makes much, such as a chart that repeats a string.
package memory
