local health_status = {}

-- KServe 0.16 to 0.19 leave PredictorReady and Ready of a multi-node service at Unknown, see
-- https://github.com/kserve/kserve/pull/5703. Only the message tells that the head and the workers are rolled out:
-- https://github.com/kserve/kserve/blob/v0.16.0/pkg/apis/serving/v1beta1/inference_service_status.go#L440
local function rolled_out(condition)
  return condition ~= nil and condition.status == "Unknown" and string.match(condition.message or "",
    '^predictor%-container: ReplicaSet "[^"]+" has successfully progressed%., '
    .. 'worker%-container: ReplicaSet "[^"]+" has successfully progressed%.$') ~= nil
end

health_status.status = "Progressing"
health_status.message = "Waiting for InferenceService to report status..."

-- These do not go away without a change of the service. ReconcileFailed may, since the controller tries again.
local terminal = {
  -- https://github.com/kserve/kserve/blob/v0.20.0/pkg/apis/serving/v1beta1/inference_service_status.go#L389
  ProgressDeadlineExceeded = true,
  -- https://github.com/kserve/kserve/blob/v0.20.0/pkg/apis/serving/v1beta1/inference_service_status.go#L440
  FailedCreate = true,
  -- https://github.com/kserve/kserve/blob/v0.20.0/pkg/apis/serving/v1beta1/inference_service_status.go#L245
  InvalidGPUAllocation = true,
  InvalidWorkerSpecNotSet = true,
  -- https://github.com/knative/serving/blob/v0.48.1/pkg/apis/serving/v1/configuration_lifecycle.go#L99
  RevisionFailed = true,
  -- Unknown with this reason means that Knative still waits for the revision:
  -- https://github.com/knative/serving/blob/v0.48.1/pkg/apis/serving/v1/route_lifecycle.go#L130
  RevisionMissing = true,
  -- https://github.com/knative/serving/blob/v0.48.1/pkg/apis/serving/v1/revision_lifecycle.go#L35
  ContainerMissing = true,
}

if obj.status ~= nil then

  local failed = false
  local progressing = false
  local degraded = false
  local status_false = 0
  local status_unknown = 0
  local msg = ""

  if obj.status.modelStatus ~= nil then
    -- transitionStatus is empty as long as KServe knows nothing about the model, and after a stop:
    -- https://github.com/kserve/kserve/blob/v0.20.0/pkg/apis/serving/v1beta1/inference_service_status.go#L190
    local transition = obj.status.modelStatus.transitionStatus or ""
    if transition ~= "UpToDate" then
      if transition == "InvalidSpec" or transition == "BlockedByFailedLoad" then
        degraded = true
      else
        progressing = true
      end
      msg = msg .. "0: transitionStatus | " .. transition
    end
  end

  -- Up to 0.15, KServe reports a model that no runtime can serve without any condition:
  -- https://github.com/kserve/kserve/blob/v0.15.2/pkg/controller/v1beta1/inferenceservice/components/predictor.go#L321
  if obj.status.conditions == nil or next(obj.status.conditions) == nil then
    if degraded then
      health_status.status = "Degraded"
      health_status.message = msg
    end
    return health_status
  end

  if obj.status.conditions ~= nil then
    -- Ready depends on these two alone:
    -- https://github.com/kserve/kserve/blob/v0.20.0/pkg/apis/serving/v1beta1/inference_service_status.go#L295
    -- It leaves out the transformer, the explainer, a canary, and the newest revision of Knative. All other conditions
    -- are parts of these, or advice such as OciImageVolumeCompatible:
    -- https://github.com/kserve/kserve/blob/v0.20.0/pkg/controller/v1beta1/inferenceservice/controller.go#L775
    local spec = obj.spec or {}
    local counted = {
      Ready = true,
      PredictorReady = true,
      IngressReady = true,
      TransformerReady = spec.transformer ~= nil,
      ExplainerReady = spec.explainer ~= nil,
      CanaryPredictorReady = true,
      LatestDeploymentReady = true,
    }
    local conditions = {}
    for i, condition in pairs(obj.status.conditions) do
      conditions[condition.type] = condition

      -- Check if the InferenceService is Stopped
      if condition.type == "Stopped" and condition.status == "True" then 
        health_status.status = "Suspended"
        health_status.message = "InferenceService is Stopped"
        return health_status
      end

      -- Check for unhealthy statuses
      if counted[condition.type] and condition.status == "Unknown" then
        status_unknown = status_unknown + 1
      elseif counted[condition.type] and condition.status == "False" then
        status_false = status_false + 1
        failed = failed or terminal[condition.reason] == true
          or string.find(condition.message or "", '" has timed out progressing.', 1, true) ~= nil -- of several nodes, one
      end

      -- Add the error messages if the status is unhealthy
      if condition.status ~= "True" and condition.type ~= "Stopped" then
        msg = msg .. " | " .. i .. ": " .. condition.type .. " | " .. condition.status
        if condition.reason ~= nil and condition.reason ~= "" then
          msg = msg .. " | " .. condition.reason
        end
        if condition.message ~= nil and condition.message ~= "" then
          msg = msg .. " | " .. condition.message
        end
      end

    end

    local ready = conditions["Ready"]
    if ready == nil and degraded == false then
      return health_status
    end

    -- modelStatus comes from a single pod. It is InProgress if there is none, as after a scale to zero, so Ready wins:
    -- https://github.com/kserve/kserve/blob/v0.20.0/pkg/apis/serving/v1beta1/inference_service_status.go#L729
    -- Only ModelMesh, which has no IngressReady, writes it for the new model while the old one still serves. In every mode,
    -- InvalidSpec is about the new spec while the old one still serves.
    if conditions["IngressReady"] ~= nil and ready ~= nil then
      if ready.status == "True" then
        progressing = false
        degraded = obj.status.modelStatus ~= nil and obj.status.modelStatus.transitionStatus == "InvalidSpec"
      elseif conditions["IngressReady"].status == "True" and rolled_out(conditions["PredictorReady"]) then
        progressing = false
        degraded = false
        status_unknown = 0
      end
    end

    -- KServe has not reported a component of the spec yet.
    for _, name in ipairs({ "TransformerReady", "ExplainerReady" }) do
      if counted[name] and conditions[name] == nil then
        progressing = true
        msg = msg .. " | " .. name .. " is not reported"
      end
    end

    if progressing == false and degraded == false and status_unknown == 0 and status_false == 0 then
      health_status.status = "Healthy"
      msg = "InferenceService is healthy."
    elseif degraded == false and failed == false then
      health_status.status = "Progressing"
    else
      health_status.status = "Degraded"
    end

    health_status.message = msg
  end
end

return health_status
