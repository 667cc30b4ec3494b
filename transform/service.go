package transform

import (
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Service is an InferenceService and the deployment mode it will run in.
type Service struct {
	*Object
	Mode          kserve.Mode // empty when unknown
	ModeEvidence  string      // why Mode is known, for messages
	Contradiction string      // evidence for two modes at once, for messages; Mode is then empty

	standard string // evidence for Standard mode, for messages
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

// mayBeStandard reports whether the service is not known to run in another mode.
func (s *Service) mayBeStandard() bool { return s.Mode == kserve.Standard || s.Mode == "" }

// inherited returns the value of an annotation that counts for a component, and where it is written: the component's
// own goes before the service's (components/predictor.go@v0.15.2 merges them in that order). Without any the place is
// the service's.
func (s *Service) inherited(component, annotation string) (value string, at yamldoc.Path) {
	at = yamldoc.Path{"spec", component, "annotations", annotation}
	if v := s.Get(at...).Str(); v != "" {
		return v, at
	}
	return s.Annotation(annotation), yamldoc.Path{"metadata", "annotations", annotation}
}

// Class returns the autoscaler class that counts for a component, and where it is written.
func (s *Service) Class(component string) (class string, at yamldoc.Path) {
	return s.inherited(component, kserve.AutoscalerClassAnnotation)
}

// resolveMode finds the deployment mode: the annotation, else what the render shows, else the cluster's default.
func (s *Service) resolveMode(cluster kserve.Mode, scaler autoscaler) {
	s.standard = s.standardEvidence(scaler)
	knative := s.knativeEvidence()
	if value := s.Annotation(kserve.DeploymentModeAnnotation); value != "" {
		if mode, ok := kserve.ParseMode(value); ok {
			s.Mode, s.ModeEvidence = mode, "annotation "+kserve.DeploymentModeAnnotation
			return
		}
	}
	switch {
	case s.standard != "" && knative != "":
		s.Contradiction = fmt.Sprintf("%s means Standard, %s means Knative", s.standard, knative)
	case s.standard != "":
		s.Mode, s.ModeEvidence = kserve.Standard, s.standard
	case knative != "":
		s.Mode, s.ModeEvidence = kserve.Knative, knative
	case cluster != "":
		s.Mode, s.ModeEvidence = cluster, "default-deployment-mode"
	}
}

// hasWorkers reports whether the predictor runs on several nodes.
func (s *Service) hasWorkers() bool { return !s.Get("spec", kserve.Predictor, "workerSpec").IsNull() }

// standardEvidence names what only a Standard service has: a class of KServe's own autoscaler reconciler, workers (which
// the webhook admits only with such a class), or an autoscaler on the Deployment that KServe makes (Knative names its
// Deployments by revision).
func (s *Service) standardEvidence(scaler autoscaler) string {
	for _, component := range s.Components() {
		switch class, _ := s.Class(component); class {
		case "hpa", "external", "keda", "none":
			return "autoscalerClass " + class
		}
	}
	switch {
	case s.hasWorkers():
		return "workerSpec"
	case scaler.Object != nil:
		return scaler.String()
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

// deployments are the names that the component's Deployment can have, the surest first. From KServe 0.20 on the name of
// a predictor is part of it, and each canary has one of its own.
func (s *Service) deployments(v kserve.Versions, component string) []string {
	plain := kserve.ComponentName(s.Name, component)
	if component != kserve.Predictor || !v.Any(kserve.NamedPredictor) {
		return []string{plain}
	}
	named := func(predictor string) string { return kserve.ComponentName(s.Name+"-"+predictor, component) }
	var names []string
	name := s.Get("spec", component, "name").Str()
	if name == "" || !v.All(kserve.NamedPredictor) {
		names = append(names, plain)
	}
	if name != "" {
		names = append(names, named(name))
	}
	if canaries := s.Get("spec", "canary"); canaries != nil {
		for _, canary := range canaries.Items {
			if name := canary.Get(component, "name").Str(); name != "" {
				names = append(names, named(name))
			}
		}
	}
	return names
}
