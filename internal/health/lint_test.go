package health

import (
	"strings"
	"testing"
)

func lintLines(t *testing.T, s Script) string {
	t.Helper()
	problems, err := Lint(s, today)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, problem := range problems {
		b.WriteString(problem.String() + "\n")
	}
	return b.String()
}

// TestLintOfBundled holds what is wrong with the checks that Argo CD bundles.
func TestLintOfBundled(t *testing.T) {
	var b strings.Builder
	for _, release := range []string{"2.14.21", "3.5.7"} {
		source := scriptOf(t, release, "InferenceService")
		b.WriteString(lintLines(t, Script{"Argo CD", release, "InferenceService", source, true}))
	}
	golden(t, "lint-bundled.txt", b.String())
}

// observed are spellings of the comparison that KServe makes wrong.
var observed = []string{
	`if obj.status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing" }
end
`,
	`local s = obj["status"]
local seen = s["observedGeneration"]
if seen == nil or seen < obj.metadata.generation then
  return { status = "Progressing" }
end
`,
	`local key = "observed" .. "Generation"
if tostring(obj.status[key]) ~= tostring(obj.metadata.generation) then
  return { status = "Progressing" }
end
`,
	`if (obj.status.observedGeneration or 0) > obj.metadata.generation then return { status = 'Degraded' } end
`,
	`if not obj.status.observedGeneration then
  return { status = "Progressing" }
end
`,
}

// sound judges all states right; a mistake is put in after the first line.
const sound = `if obj.status == nil then return { status = "Progressing" } end
local is = {}
for _, c in ipairs(obj.status.conditions) do is[c.type] = c.status end
if is.Ready == "True" then
  return { status = "Healthy" }
end
local model = obj.status.modelStatus
if model ~= nil and model.transitionStatus == "BlockedByFailedLoad" then
  return { status = "Degraded" }
end
return { status = "Progressing" }
`

func TestLint(t *testing.T) {
	first, rest, _ := strings.Cut(sound, "\n")
	if got := lintLines(t, Script{Kind: "InferenceService", Source: sound}); got != "" {
		t.Fatal(got)
	}
	for _, mistake := range observed {
		for _, kind := range []string{"InferenceService", "InferenceGraph"} {
			got := lintLines(t, Script{Object: "OBJECT", Key: "KEY", Kind: kind, Source: first + "\n" + mistake + rest})
			if kind == "InferenceGraph" && strings.Contains(mistake, "not obj") {
				continue // every graph that is Ready has the number
			}
			if strings.Count(got, "\n") != 1 || !strings.Contains(got, "instead of Healthy") ||
				!strings.Contains(got, "observedGeneration, which ") {
				t.Errorf("%s\n%s: %s", mistake, kind, got)
			}
		}
		// The number is the object's own there.
		if strings.Contains(mistake, "~=") {
			if got := lintLines(t, Script{Kind: "LLMInferenceService", Source: first + "\n" + mistake + rest}); got != "" {
				t.Errorf("%s\n%s", mistake, got)
			}
		}
	}
	const healthy = "local hs = {}\nhs.status = 'Healthy'\nreturn hs"
	const failing = "OBJECT: KEY: fails if KServe has not reported a status yet, which makes the object Unknown: "
	for _, tc := range []struct{ kind, source, want string }{
		{"InferenceService", first + "\n" + observed[0] + rest, "OBJECT: KEY: line 2: Progressing instead of Healthy if "},
		{"InferenceService", first + "\n" + observed[1] + rest, "OBJECT: KEY: line 3: Progressing instead of Healthy if "},
		{"InferenceService", `return { status = "Healthy" }`, "OBJECT: KEY: line 1: Healthy instead of Progressing if "},
		{"TrainedModel", healthy, "OBJECT: KEY: line 2: Healthy instead of Progressing if "},
		{"InferenceGraph", healthy, "OBJECT: KEY: line 2: Healthy instead of Progressing if "},
		{"LLMInferenceService", healthy, "OBJECT: KEY: line 2: Healthy instead of Progressing if "},
		{
			"InferenceService",
			first + "\nlocal hs = {}\nfor _, c in ipairs(obj.status.conditions) do\n" +
				"  if c.type == 'Ready' and c.status == 'False' then\n    hs.status = 'Degraded'\n    return hs\n  end\nend\n" +
				"hs.status = 'Healthy'\nreturn hs\n",
			"OBJECT: KEY: line 5: Degraded instead of Progressing if a new service starts",
		},
		{"InferenceService", "return {", "OBJECT: KEY: Argo CD cannot run it: "},
		{"TrainedModel", "return {", "OBJECT: KEY: Argo CD cannot run it: "},
		{"TrainedModel", "return {}", "OBJECT: KEY: fails if KServe has not "},
		{"ServingRuntime", "return {}", ""},
		{"Model", "return {}", `OBJECT: KEY: Argo CD never runs it, because KServe has no kind "Model"` + "\n"},
		{
			"inferenceservice", sound,
			`OBJECT: KEY: Argo CD never runs it, because KServe has no kind "inferenceservice": write InferenceService` + "\n",
		},
		{"InferenceService", "return 1", failing + "expect"},
		{"InferenceService", "local x = 1\nreturn obj.status.x", "OBJECT: KEY: line 2: fails if KServe has not"},
		{"InferenceService", "error({})", failing + "the error is a table instead of a text\n"},
		{"InferenceService", "while true do end", failing + "it runs too long: Argo CD stops a script after a second\n"},
		{
			"InferenceService", "if string.find('a', 'b') then end\n" + sound,
			strings.Replace(failing, "KEY: ", "KEY: line 1: ", 1) + "attempt to index a " +
				"non-table object(nil) with key 'find': Argo CD gives it no library but table, unless the key " +
				"resource.customizations.useOpenLibs.serving.kserve.io_InferenceService is \"true\"\n",
		},
	} {
		got := lintLines(t, Script{Object: "OBJECT", Key: "KEY", Kind: tc.kind, Source: tc.source})
		if !strings.HasPrefix(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%s\n got %s\nwant %s", tc.source, got, tc.want)
		}
	}
}

// TestLintIsConfined runs scripts that read files or print, with every library that there is.
func TestLintIsConfined(t *testing.T) {
	for _, call := range []string{
		`dofile("lint.go")`, `loadfile("lint.go")()`, `require("lint")`, `io.open("lint.go")`, `os.execute("true")`,
		`os.getenv("HOME")`, `package.loadlib("x", "y")`, `package.loaders[2]("lint")`, `module("x")`, `("x"):rep(2^40)`,
		`coroutine.wrap(function() end)()`, `debug.getinfo(1)`,
	} {
		got := lintLines(t, Script{"OBJECT", "KEY", "InferenceService", call + "\n" + sound, true})
		if !strings.HasPrefix(got, "OBJECT: KEY: line 1: fails if ") {
			t.Errorf("%s: %s", call, got)
		}
	}
	for _, call := range []string{`print("x")`, `("x"):rep(3)`, `os.time()`, `require("os").time()`, `math.max(1, 2)`} {
		source := "local x = " + call + "\n" + sound
		if got := lintLines(t, Script{"OBJECT", "KEY", "InferenceService", source, true}); got != "" {
			t.Errorf("%s: %s", call, got)
		}
	}
}
