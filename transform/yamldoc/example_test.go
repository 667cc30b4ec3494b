package yamldoc_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Edit every document of a stream, and write the stream again.
func Example() {
	stream := `# the fraud team's services
kind: ConfigMap
data: {retries: "3"}
---
kind: InferenceService
metadata:
  name: fraud # do not rename
`
	docs, err := yamldoc.Split([]byte(stream))
	if err != nil {
		log.Fatal(err)
	}
	for i, doc := range docs {
		tree, err := yamldoc.Parse(doc.Body)
		if err != nil {
			log.Fatal(err)
		}
		if tree.Root.Get("kind").Str() != "InferenceService" {
			continue
		}
		edited, err := tree.Apply([]yamldoc.Edit{
			yamldoc.Set(yamldoc.Path{"metadata", "annotations", "example.com/owner"}, "fraud team"),
		})
		if err != nil {
			log.Fatal(err)
		}
		docs[i].Body = edited.Bytes()
	}
	parts, err := yamldoc.Join([][]yamldoc.Document{docs})
	if err != nil {
		log.Fatal(err)
	}
	for _, part := range parts {
		fmt.Printf("%s", part)
	}
	// Output:
	// # the fraud team's services
	// kind: ConfigMap
	// data: {retries: "3"}
	// ---
	// kind: InferenceService
	// metadata:
	//   name: fraud # do not rename
	//   annotations:
	//     example.com/owner: fraud team
}

// The documents are slices of the stream. Head and Body hold every byte of it.
func ExampleSplit() {
	docs, err := yamldoc.Split([]byte("# one\na: 1\n--- # two\nb: 2\n"))
	if err != nil {
		log.Fatal(err)
	}
	for _, doc := range docs {
		fmt.Printf("line %d: head %q, body %q\n", doc.Line, doc.Head, doc.Body)
	}
	// Output:
	// line 1: head "", body "# one\na: 1\n"
	// line 4: head "--- # two\n", body "b: 2\n"
}

// Split refuses a stream that Kubernetes' decoder would misread.
func ExampleSplit_refused() {
	_, err := yamldoc.Split([]byte("a: 1\n...\nb: 2\n"))
	var fault *yamldoc.Error
	if errors.As(err, &fault) {
		fmt.Printf("line %d, column %d: %s\n", fault.Line, fault.Col, fault.Msg)
	}
	// Output:
	// line 3, column 1: content after `...`, which Kubernetes drops silently: separate documents with ---
}

// Join separates the documents of several files and ends each with a line end.
func ExampleJoin() {
	var files [][]yamldoc.Document
	for _, file := range []string{"a: 1", "---\nb: 2\n"} {
		docs, err := yamldoc.Split([]byte(file))
		if err != nil {
			log.Fatal(err)
		}
		files = append(files, docs)
	}
	parts, err := yamldoc.Join(files)
	if err != nil {
		log.Fatal(err)
	}
	for _, part := range parts {
		fmt.Printf("%s", part)
	}
	// Output:
	// a: 1
	// ---
	// b: 2
}

// Get finds a value, through aliases and merge keys, and Position tells where it is.
func ExampleParse() {
	tree, err := yamldoc.Parse([]byte(`ports:
- name: http
  containerPort: 8080
- &metrics
  name: metrics
  containerPort: 9090
probe: *metrics
`))
	if err != nil {
		log.Fatal(err)
	}
	port := tree.Root.Get("probe", "containerPort")
	number, _ := port.Int()
	line, col := tree.Position(port.Start)
	fmt.Println(number, "on line", line, "column", col)
	fmt.Println("missing:", tree.Root.Get("ports", 2, "name").Str() == "")
	// Output:
	// 9090 on line 6 column 18
	// missing: true
}

// Every edit names a path in the original document. Renaming and setting exec replaces the entry in its place. All
// other bytes stay as they are.
func ExampleTree_Apply() {
	tree, err := yamldoc.Parse([]byte(`readinessProbe: # keep in step with the image
    exec:
        command: [ curl, -f, 'http://localhost:8080/ready' ]
    periodSeconds:   5
    timeoutSeconds: 1   # too short
env:
  - {name: "LOG_LEVEL", value: "debug"}
`))
	if err != nil {
		log.Fatal(err)
	}
	probe := yamldoc.Path{"readinessProbe"}
	edited, err := tree.Apply([]yamldoc.Edit{
		yamldoc.Rename(probe.With("exec"), "httpGet"),
		yamldoc.Set(probe.With("exec"), yamldoc.Map{{Key: "path", Value: "/ready"}, {Key: "port", Value: 8080}}),
		yamldoc.Delete(probe.With("timeoutSeconds")),
		yamldoc.Set(yamldoc.Path{"env", 0, "value"}, "no"),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", edited.Bytes())
	// Output:
	// readinessProbe: # keep in step with the image
	//     httpGet:
	//         path: /ready
	//         port: 8080
	//     periodSeconds:   5
	// env:
	//   - {name: "LOG_LEVEL", value: "no"}
}

// Edits that contradict each other fail, and nothing is edited.
func ExampleTree_Apply_conflict() {
	tree, err := yamldoc.Parse([]byte("replicas: 1\n"))
	if err != nil {
		log.Fatal(err)
	}
	replicas := yamldoc.Path{"replicas"}
	_, err = tree.Apply([]yamldoc.Edit{yamldoc.Set(replicas, 2), yamldoc.Set(replicas, 3)})
	var conflict *yamldoc.ConflictError
	fmt.Println(errors.As(err, &conflict), err)
	// Output:
	// true conflicting edits of replicas: set to 2 and to 3
}

// An edit behind an alias would also change the value at the anchor.
func ExampleTree_Check() {
	tree, err := yamldoc.Parse([]byte(`base: &limits
  memory: 1Gi
large:
  <<: *limits
`))
	if err != nil {
		log.Fatal(err)
	}
	err = tree.Check(yamldoc.Set(yamldoc.Path{"large", "memory"}, "2Gi"))
	var unsafe *yamldoc.UnsafeError
	fmt.Println(errors.As(err, &unsafe), err)
	// Output:
	// true 4:3: large: this mapping has a merge key (<<): write the merged keys out here
}
