package model

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Service is an InferenceService, or an InferenceGraph as far as KServe scales its router like a component, and the
// deployment mode it will run in.
type Service struct {
	*transform.Object
	Mode          kserve.Mode // empty when unknown
	ModeEvidence  string      // why Mode is known, for messages
	Contradiction string      // evidence for two modes at once, for messages; Mode is then empty

	// What only a service in Standard mode has, and what only one in Knative mode has, for messages. Empty when there is
	// nothing. They do not decide the mode where KServe itself decides it otherwise.
	StandardEvidence, KnativeEvidence string

	Elsewhere bool // another app has it: here, only an autoscaler's OwnerAnnotation names it

	order      int         // in the snapshot
	components []string    // see Components
	frameworks []framework // of the components
	predictors []string    // the predictor's own name, perhaps empty, and the names of those in its canaries
	containers func() []Container
}

// newService returns a service whose mode is still to be resolved.
func newService(o *transform.Object) *Service {
	s := &Service{Object: o}
	spec := s.Get("spec")
	if s.IsGraph() {
		s.components = onlyRouter
	} else {
		for _, c := range allComponents {
			if spec.Has(c) {
				s.components = append(s.components, c)
			}
		}
	}
	for _, c := range s.components {
		s.frameworks = append(s.frameworks, findFramework(spec.Get(c), c))
	}
	s.predictors = []string{spec.Get(kserve.Predictor, "name").Str()}
	for _, canary := range spec.Get("canary").List() {
		if name := canary.Get(kserve.Predictor, "name").Str(); name != "" {
			s.predictors = append(s.predictors, name)
		}
	}
	s.StandardEvidence, s.KnativeEvidence = s.standardEvidence(), s.knativeEvidence()
	return s
}

var onlyRouter = []string{kserve.Router}

var allComponents = []string{kserve.Predictor, kserve.Transformer, kserve.Explainer}

// Components returns the names of the components that the service has, or may have when it is Elsewhere. A graph has
// the router. Treat them as read-only.
func (s *Service) Components() []string { return s.components }

// IsGraph reports whether it is an InferenceGraph.
func (s *Service) IsGraph() bool { return s.Kind == kserve.InferenceGraph.Kind }

// MayBeStandard reports whether the service runs in Standard mode or its mode is unknown.
func (s *Service) MayBeStandard() bool { return s.Mode == kserve.Standard || s.Mode == "" }

// Annotated returns the value of an annotation that counts for a component: the component's own annotation overrides
// the service's (components/predictor.go@v0.15.2 merges them in that order).
func (s *Service) Annotated(component, annotation string) string {
	return cmp.Or(s.Get("spec", component, "annotations", annotation).Str(), s.Annotation(annotation))
}

// AnnotatedPath returns the path of that annotation. Without one it is the service's.
func (s *Service) AnnotatedPath(component, annotation string) yamldoc.Path {
	if own := (yamldoc.Path{"spec", component, "annotations", annotation}); s.Get(own...).Str() != "" {
		return own
	}
	return yamldoc.Path{"metadata", "annotations", annotation}
}

// Class returns the autoscaler class that counts for a component.
func (s *Service) Class(component string) string {
	return s.Annotated(component, kserve.AutoscalerClassAnnotation)
}

// ClassPath returns the path of the annotation with that class, as AnnotatedPath does.
func (s *Service) ClassPath(component string) yamldoc.Path {
	return s.AnnotatedPath(component, kserve.AutoscalerClassAnnotation)
}

// resolveMode finds the deployment mode as KServe does: from the annotation, else from the cluster's default, and from
// nothing else (GetDeploymentMode in utils.go@v0.14.1, @v0.15.2 and @v0.20.0). From 0.15.1 on, KServe asks the live
// status first, which Git does not have. The evidence in the render counts only while the default is unknown. Scaler
// is an autoscaler that targets the service's Deployment, if there is one.
func (s *Service) resolveMode(cluster kserve.Mode, scaler Autoscaler) {
	if s.StandardEvidence == "" && scaler.Object != nil {
		s.StandardEvidence = scaler.String() // Knative names its Deployments by revision
	}
	annotated, valid := kserve.ParseMode(s.Annotation(kserve.DeploymentModeAnnotation))
	switch {
	case valid:
		s.Mode, s.ModeEvidence = annotated, "annotation "+kserve.DeploymentModeAnnotation
	case cluster != "":
		s.Mode, s.ModeEvidence = cluster, "default-deployment-mode"
	case s.StandardEvidence != "" && s.KnativeEvidence != "":
		s.Contradiction = fmt.Sprintf("%s means Standard, %s means Knative", s.StandardEvidence, s.KnativeEvidence)
	case s.StandardEvidence != "":
		s.Mode, s.ModeEvidence = kserve.Standard, s.StandardEvidence
	case s.KnativeEvidence != "":
		s.Mode, s.ModeEvidence = kserve.Knative, s.KnativeEvidence
	}
}

// HasWorkers reports whether the predictor runs on several nodes.
func (s *Service) HasWorkers() bool { return !s.Get("spec", kserve.Predictor, "workerSpec").IsNull() }

// MultiNode reports whether a component is a predictor that runs on several nodes.
func (s *Service) MultiNode(component string) bool {
	return component == kserve.Predictor && s.HasWorkers()
}

// standardEvidence returns what only a Standard service has: an autoscaler class that KServe's own reconciler knows, or
// workers, which the webhook admits only with such a class.
func (s *Service) standardEvidence() string {
	for _, component := range s.Components() {
		switch class := s.Class(component); class {
		case "hpa", "external", "keda", "none":
			return "autoscalerClass " + class
		}
	}
	if s.HasWorkers() {
		return "workerSpec"
	}
	return ""
}

// knativeEvidence returns what only a Knative service has: containerConcurrency, or an annotation of Knative's
// autoscaler.
func (s *Service) knativeEvidence() string {
	for _, component := range s.Components() {
		if s.Get("spec", component).Has("containerConcurrency") {
			return "containerConcurrency"
		}
	}
	evidence := knativeAnnotation(s.Get("metadata", "annotations"))
	for _, component := range s.Components() {
		evidence = cmp.Or(evidence, knativeAnnotation(s.Get("spec", component, "annotations")))
	}
	return evidence
}

func knativeAnnotation(annotations *yamldoc.Node) (evidence string) {
	for key := range annotations.Children() {
		if name, ok := key.(string); ok && strings.HasPrefix(name, "autoscaling.knative.dev/") {
			return "annotation " + name
		}
	}
	return ""
}
