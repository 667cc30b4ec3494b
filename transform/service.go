package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
)

// Service is an InferenceService and the deployment mode it will run in.
type Service struct {
	*Object
	Mode          kserve.Mode // empty when unknown
	ModeEvidence  string      // why Mode is known, for messages
	Contradiction string      // evidence for two modes at once, for messages; Mode is then empty
}

// Components returns those that the service has.
func (s *Service) Components() []string {
	var present []string
	for _, c := range []string{kserve.Predictor, kserve.Transformer, kserve.Explainer} {
		if s.Get("spec").Has(c) {
			present = append(present, c)
		}
	}
	return present
}

// Class returns the autoscaler class that counts for a component and whether the component itself names it: its own
// annotation goes before the service's (components/predictor.go@v0.15.2 merges them in that order).
func (s *Service) Class(component string) (class string, own bool) {
	if v := s.Get("spec", component, "annotations", kserve.AutoscalerClassAnnotation).Str(); v != "" {
		return v, true
	}
	return s.Annotation(kserve.AutoscalerClassAnnotation), false
}

// resolveMode finds the deployment mode: the annotation, else what the render shows, else the cluster's default.
func (s *Service) resolveMode(r *Render) {
	if value := s.Annotation(kserve.DeploymentModeAnnotation); value != "" {
		if mode, ok := kserve.ParseMode(value); ok {
			s.Mode, s.ModeEvidence = mode, "annotation "+kserve.DeploymentModeAnnotation
			return
		}
	}
	standard, knative := s.standardEvidence(r), s.knativeEvidence()
	switch {
	case standard != "" && knative != "":
		s.Contradiction = fmt.Sprintf("%s means Standard, %s means Knative", standard, knative)
	case standard != "":
		s.Mode, s.ModeEvidence = kserve.Standard, standard
	case knative != "":
		s.Mode, s.ModeEvidence = kserve.Knative, knative
	case r.DefaultMode != "":
		s.Mode, s.ModeEvidence = r.DefaultMode, "default-deployment-mode"
	}
}

// standardEvidence names what only a Standard service has: a class of KServe's own autoscaler reconciler, or an
// autoscaler on the Deployment that KServe makes (Knative names its Deployments by revision).
func (s *Service) standardEvidence(r *Render) string {
	for _, component := range s.Components() {
		switch class, _ := s.Class(component); class {
		case "hpa", "external", "keda", "none":
			return "autoscalerClass " + class
		}
	}
	for _, a := range r.autoscalers() {
		if c := r.means(a); c != nil && c.service == s {
			return a.String()
		}
	}
	return ""
}

func (s *Service) knativeEvidence() string {
	paths := [][]any{{"metadata", "annotations"}}
	for _, component := range s.Components() {
		if s.Get("spec", component).Has("containerConcurrency") {
			return "containerConcurrency"
		}
		paths = append(paths, []any{"spec", component, "annotations"})
	}
	for _, path := range paths {
		annotations := s.Get(path...)
		if annotations == nil {
			continue
		}
		for _, e := range annotations.Entries {
			if strings.HasPrefix(e.Key.Value, "autoscaling.knative.dev/") {
				return "annotation " + e.Key.Value
			}
		}
	}
	return ""
}

// componentOf returns the component whose Deployment has the name, empty for none.
func (s *Service) componentOf(r *Render, deployment string) string {
	for _, c := range s.Components() {
		if deployment == kserve.ComponentName(s.Name, c) {
			return c
		}
	}
	if r.Versions.Any(kserve.NamedPredictor) && slices.Contains(s.namedPredictors(), deployment) {
		return kserve.Predictor
	}
	return ""
}

// namedPredictors are the Deployments of predictors, canaries too, that bear a name of their own.
func (s *Service) namedPredictors() []string {
	names := []string{s.Get("spec", "predictor", "name").Str()}
	if canaries := s.Get("spec", "canary"); canaries != nil {
		for _, canary := range canaries.Items {
			names = append(names, canary.Get("predictor", "name").Str())
		}
	}
	var deployments []string
	for _, name := range names {
		if name != "" {
			deployments = append(deployments, kserve.ComponentName(s.Name+"-"+name, kserve.Predictor))
		}
	}
	return deployments
}

// reserves returns the component whose autoscaler KServe looks for by the name, empty for none. The legacy names
// count only on releases that still look for them.
func (s *Service) reserves(r *Render, name string) string {
	if c := s.componentOf(r, name); c != "" {
		return c
	}
	for _, c := range s.Components() {
		if name == kserve.ComponentName(s.Name, c)+"-default" && !r.Versions.All(kserve.LegacyNamesGone) {
			return c
		}
	}
	return ""
}
