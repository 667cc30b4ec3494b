package statuses

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	networking "knative.dev/networking/pkg/apis/networking/v1alpha1"
	"knative.dev/pkg/apis"
	duckv1 "knative.dev/pkg/apis/duck/v1"
	serving "knative.dev/serving/pkg/apis/serving/v1"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

// configurations are Knative's Configurations by name. They keep their conditions from act to act.
type configurations map[string]*serving.Configuration

// revision says how the newest revision of a Knative Service is.
type revision func(*serving.RevisionStatus)

// What the revision's reconciler writes (pkg/reconciler/revision of Knative Serving 0.39 to 0.48).
var (
	deploying  revision = func(*serving.RevisionStatus) {}
	revisionUp revision = func(r *serving.RevisionStatus) { r.MarkResourcesAvailableTrue(); r.MarkContainerHealthyTrue() }
	exiting    revision = func(r *serving.RevisionStatus) {
		message := serving.RevisionContainerExitingMessage("FileNotFoundError: model.joblib")
		r.MarkContainerHealthyFalse(serving.ExitCodeReason(1), message)
	}
	overdue revision = func(r *serving.RevisionStatus) {
		r.MarkResourcesAvailableFalse(serving.ReasonProgressDeadlineExceeded,
			`ReplicaSet "iris-predictor-00001-deployment-6c9f8d7b5" has timed out progressing.`)
	}
	notStarted revision = func(r *serving.RevisionStatus) { r.MarkResourcesAvailableFalse("PodInitializing", "") }
	noImage    revision = func(r *serving.RevisionStatus) {
		r.MarkResourcesAvailableFalse("ImagePullBackOff", "Back-off pulling image")
	}
	unschedulable revision = func(r *serving.RevisionStatus) {
		r.MarkResourcesAvailableFalse("Unschedulable", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.")
	}
)

// knativeService writes the status of a Knative Service as Knative's controller does (ReconcileKind of the reconcilers
// configuration, route and service). It does nothing if KServe has not made the Service. number is the newest
// revision's.
func (p *play) knativeService(name string, number int, newest revision) {
	service := &serving.Service{}
	key := types.NamespacedName{Namespace: p.key.Namespace, Name: name}
	if p.Client.Get(p.Context(), key, service) != nil {
		return
	}
	revisionName := fmt.Sprintf("%s-%05d", name, number)
	r := &serving.RevisionStatus{}
	r.InitializeConditions()
	newest(r)

	config := p.configurations[name]
	if config == nil {
		config = &serving.Configuration{}
		config.Name = name
		p.configurations[name] = config
	}
	config.Status.InitializeConditions()
	config.Status.ObservedGeneration = config.Generation
	config.Status.SetLatestCreatedRevisionName(revisionName)
	switch ready := r.GetCondition(serving.RevisionConditionReady); {
	case ready.IsTrue():
		config.Status.SetLatestReadyRevisionName(revisionName)
	case ready.IsFalse():
		config.Status.MarkLatestCreatedFailed(revisionName, ready.GetMessage())
	}

	route := &serving.Route{}
	route.Status.InitializeConditions()
	if config.Status.LatestReadyRevisionName == "" {
		if config.IsFailed() {
			route.Status.MarkConfigurationFailed(name)
		} else {
			route.Status.MarkConfigurationNotReady(name)
		}
	} else {
		route.Status.URL = apis.HTTP(fmt.Sprintf("%s.%s.example.com", name, key.Namespace))
		inside := apis.HTTP(fmt.Sprintf("%s.%s.svc.cluster.local", name, key.Namespace))
		route.Status.Address = &duckv1.Addressable{URL: inside}
		route.Status.MarkTLSNotEnabled(serving.ExternalDomainTLSNotEnabledMessage)
		route.Status.MarkTrafficAssigned()
		ingress := networking.IngressStatus{}
		ingress.InitializeConditions()
		ingress.MarkNetworkConfigured()
		if p.noGateway {
			ingress.MarkLoadBalancerNotReady()
		} else {
			ingress.MarkLoadBalancerReady(nil, nil)
		}
		route.Status.PropagateIngressStatus(ingress)
		for _, target := range service.Spec.Traffic {
			if target.RevisionName == "" {
				target.RevisionName = config.Status.LatestReadyRevisionName
			}
			route.Status.Traffic = append(route.Status.Traffic, target)
		}
	}

	service.Status.InitializeConditions()
	service.Status.PropagateConfigurationStatus(&config.Status)
	service.Status.PropagateRouteStatus(&route.Status)
	service.Status.ObservedGeneration = service.Generation
	p.must(p.Client.Status().Update(p.Context(), service))
}

func inKnative(r controlplane.Release, config map[string]any) error { return inMode(config, r.Knative) }

func (p *play) revisionPod(name string, number int, state podState) {
	p.pod("serving.knative.dev/revision", fmt.Sprintf("%s-%05d", name, number), state)
}

// startKnative lets the service get ready.
func (p *play) startKnative() {
	p.apply(runtimeManifest)
	p.settle()
	p.knativeService(predictor, 1, revisionUp)
	p.revisionPod(predictor, 1, podServing)
	p.settle()
}
