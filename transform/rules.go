package transform

// Rules is the catalogue, in the order in which findings are reported and keys are inserted.
var Rules = []*Rule{
	execProbe,
	probePort,
	grpcProbe,
	runtimeProbe,
	surpriseAgent,
	externalAutoscaler,
	autoscalerName,
	autoscalerFinalizer,
	autoscalerOwner,
	autoscalerTarget,
	autoscalerIgnored,
	healthMetadata,
	duplicateEntries,
	reservedNames,
	modelcarVersion,
	storageContainerName,
	deploymentMode,
}
