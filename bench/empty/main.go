// Empty does nothing. It is what starting a Go program costs.
package main

func main() {}
