-- Health of a KServe InferenceService (KServe 0.11 to 0.20; Standard, Knative, ModelMesh).
--
-- The health follows from the Ready condition and from what Ready leaves out. It does not follow from
-- status.observedGeneration: that is the generation of the Deployment or of the Knative Service. It
-- runs ahead of metadata.generation when an autoscaler scales, and stays behind when a change does not
-- reach the child (github.com/kserve/kserve, inference_service_status.go, PropagateRawStatus).
--
-- Argo CD gives an override the base and table libraries, os.time and os.date, but no string library.
-- So this script examines strings by comparing them.

-- Shared lines: Argo CD loads each check alone, so each carries a copy, and a test compares them.
local os = require("os")

-- Seconds that `health config --grace --progress-deadline` sets. Without a deadline there is no limit.
local grace = 300
local progress_deadline = nil

local longest_text = 1024

local function field(value, key)
  if type(value) == "table" then
    return value[key]
  end
end

local function entries(value)
  if type(value) == "table" then
    return value
  end
  return {}
end

-- text returns value if it is a string to print, else nil.
local function text(value)
  if type(value) ~= "string" or value == "" then
    return nil
  end
  if #value > longest_text then
    return "(a text of " .. #value .. " bytes, see the object's status)"
  end
  return value
end

local metadata = field(obj, "metadata")
local annotations = field(metadata, "annotations")
local created = text(field(metadata, "creationTimestamp"))
local status = field(obj, "status")

-- KServe writes some types twice. The last entry is the current one.
local conditions = {}
for _, condition in pairs(entries(field(status, "conditions"))) do
  local name = field(condition, "type")
  if type(name) == "string" then
    conditions[name] = condition
  end
end

local function is(name, wanted)
  return field(conditions[name], "status") == wanted
end

local function describe(name)
  local condition = conditions[name]
  if condition == nil then
    return "waiting for condition " .. name
  end
  local description = name .. " is " .. (text(field(condition, "status")) or "not reported")
  for _, key in ipairs({ "reason", "message" }) do
    local detail = text(field(condition, key))
    if detail ~= nil then
      description = description .. ": " .. detail
    end
  end
  return description
end

local function verdict(health, message)
  return { status = health, message = message }
end

-- seconds_ago returns a time in the past in the format of Kubernetes, in which times compare as text.
-- Under Argo CD os.date with "!" and a time returns local time, so this starts from the UTC fields.
local function seconds_ago(seconds)
  return os.date("%Y-%m-%dT%H:%M:%SZ", os.time(os.date("!*t")) - seconds)
end

-- progressing returns Progressing, or Degraded if nothing has changed since a time for longer than the
-- annotation says, or without the annotation for longer than the limit.
local function progressing(message, since, limit)
  local given = text(field(annotations, "argocd-kserve-plugin/progress-deadline-seconds"))
  local seconds = given and tonumber(given)
  if not (seconds and seconds > 0 and seconds < 1e9) then
    seconds = limit
  end
  if seconds and since and since > "2" and since < seconds_ago(seconds) then
    return verdict("Degraded", "no progress since " .. since .. ": " .. message)
  end
  return verdict("Progressing", message)
end

local function waiting(name, limit)
  return progressing(describe(name), text(field(conditions[name], "lastTransitionTime")), limit or progress_deadline)
end

local function unreported()
  return progressing("waiting for KServe to report a status", created, progress_deadline)
end
-- End of the shared lines.

local spec = field(obj, "spec")
local model = field(status, "modelStatus")

-- starts reports whether value starts with prefix. "\255" sorts after every byte of UTF-8.
local function starts(value, prefix)
  return value >= prefix and value < prefix .. "\255"
end

-- The characters of object names, in the order in which strings compare.
local name_characters = { "-", ".", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9",
  "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
  "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z" }
local longest_name = 100

-- skip_name returns read, which value starts with, and the object name that follows it in value.
local function skip_name(value, read)
  for _ = 1, longest_name do
    local last = #name_characters
    while last > 1 and value < read .. name_characters[last] do
      last = last - 1
    end
    if not starts(value, read .. name_characters[last]) then
      break
    end
    read = read .. name_characters[last]
  end
  return read
end

-- rollouts returns "complete" if the head and the worker of a multi-node service have both finished their rollout,
-- "failed" if one is past its deadline and nothing else is under way, else nil. The message of PredictorReady says it.
local function rollouts()
  local message = text(field(conditions.PredictorReady, "message"))
  local result, read = "complete", ""
  for _, container in ipairs({ "predictor-container", ", worker-container" }) do
    read = read .. container .. ': ReplicaSet "'
    if message == nil or not starts(message, read) then
      return nil
    end
    read = skip_name(message, read)
    if starts(message, read .. '" has timed out progressing.') then
      result, read = "failed", read .. '" has timed out progressing.'
    else
      read = read .. '" has successfully progressed.'
    end
  end
  if message == read then
    return result
  end
end

-- rolled_out reports whether head and worker are ready. KServe 0.16 to 0.19 never get further than
-- PredictorReady=Unknown (kserve#5703).
local function rolled_out()
  return is("PredictorReady", "Unknown") and rollouts() == "complete"
end

local function holds(name)
  if is(name, "True") then
    return true
  elseif name == "PredictorReady" then
    return rolled_out()
  elseif name == "Ready" then
    return is("Ready", "Unknown") and is("IngressReady", "True") and rolled_out()
  end
  return false
end

-- required returns the conditions in the annotation argocd-kserve-plugin/health-conditions, read from
-- left to right. If the list has an unknown name, only Ready is required.
local function required()
  local list = text(field(annotations, "argocd-kserve-plugin/health-conditions")) or ""
  local names, read = {}, ""
  repeat
    if starts(list, read .. " ") then
      read = read .. " "
    end
    local before = read
    for _, name in ipairs({ "PredictorReady", "TransformerReady", "ExplainerReady", "IngressReady",
      "LatestDeploymentReady", "RoutesReady", "Ready" }) do
      if list == read .. name then
        names[#names + 1] = name
        return names
      elseif starts(list, read .. name .. ",") then
        names[#names + 1] = name
        read = read .. name .. ","
        break
      end
    end
  until read == before
  return { "Ready" }
end

local causes = { "PredictorReady", "TransformerReady", "ExplainerReady", "IngressReady", "Ready" }
local terminal = {
  ProgressDeadlineExceeded = true,
  FailedCreate = true,
  RevisionFailed = true,
  RevisionMissing = true, -- Knative: Unknown with this reason means that the revision is still waited for
  ContainerMissing = true,
  InvalidGPUAllocation = true,
  InvalidWorkerSpecNotSet = true,
}
-- Another app may bring the runtime, and the next try may succeed.
local passing = {
  RuntimeNotRecognized = true,
  NoSupportingRuntime = true,
  ReconcileFailed = true,
}

-- What says why there is no revision.
local configuration = {
  PredictorReady = "PredictorConfigurationReady",
  TransformerReady = "TransformerConfigurationReady",
  ExplainerReady = "ExplainerConfigurationReady",
}

-- failure returns the verdict on a condition that is False because of a failure, else nil.
local function failure(name)
  local reason = text(field(conditions[name], "reason"))
  if not is(name, "False") or reason == nil then
    return nil
  elseif terminal[reason] then
    local message = describe(name)
    if reason == "RevisionMissing" and is(configuration[name], "False") then
      message = message .. "; " .. describe(configuration[name])
    end
    return verdict("Degraded", message)
  elseif passing[reason] then
    return waiting(name, grace)
  elseif name == "PredictorReady" and rollouts() == "failed" then
    return verdict("Degraded", describe(name))
  end
end

local function first_failure()
  for _, name in ipairs(causes) do
    local found = failure(name)
    if found ~= nil then
      return found
    end
  end
end

-- A service without a list of conditions may still report a model that no runtime can serve.
if type(status) ~= "table" or (next(conditions) == nil and model == nil) then
  return unreported()
end

-- Where KServe obeys serving.kserve.io/stop, a service that runs has the condition Stopped, too.
local stop = field(annotations, "serving.kserve.io/stop")
local stopping = stop == "true" or stop == "True" or stop == "TRUE"
if is("Stopped", "True") then
  if stopping then
    return verdict("Suspended", "InferenceService is stopped")
  end
  return first_failure() or verdict("Progressing", "waiting for KServe to resume the InferenceService")
end
if stopping and not (is("Ready", "True") and conditions.Stopped == nil) then
  return verdict("Progressing",
    "waiting for KServe to stop the InferenceService; KServe before 0.16 (Knative: 0.15.1) never does")
end

local missing
for _, name in ipairs(required()) do
  if missing == nil and not holds(name) then
    missing = name
  end
end

local transition = field(model, "transitionStatus")
local failed_model = transition == "InvalidSpec" or transition == "BlockedByFailedLoad"
local cause = field(model, "lastFailureInfo")
local model_message = "model is " .. (text(transition) or "not reported")
for _, key in ipairs({ "reason", "message" }) do
  local detail = text(field(cause, key))
  if detail ~= nil then
    model_message = model_message .. ": " .. detail
  end
end

if missing == nil then
  -- Ready leaves out the transformer, the explainer, a canary and a newer Knative revision.
  for _, component in ipairs({ { "transformer", "TransformerReady" }, { "explainer", "ExplainerReady" } }) do
    if field(spec, component[1]) ~= nil and not is(component[2], "True") then
      return failure(component[2]) or waiting(component[2])
    end
  end
  if is("CanaryPredictorReady", "False") then
    return waiting("CanaryPredictorReady")
  end
  if conditions.LatestDeploymentReady ~= nil and not is("LatestDeploymentReady", "True") then
    return waiting("LatestDeploymentReady")
  end
  -- KServe takes the model's status from one pod, be it an old one, and reports InProgress if there is none (scale
  -- to zero), so Ready outranks it. ModelMesh, the only mode without IngressReady, writes the status itself: there a
  -- failed load means that the old model still serves. An invalid spec means that in every mode.
  local modelmesh = conditions.PredictorReady ~= nil and conditions.IngressReady == nil
  if modelmesh and transition == "InProgress" then
    return verdict("Progressing", "ModelMesh is loading the new model")
  elseif transition ~= "InvalidSpec" and not (modelmesh and failed_model) then
    local message = "InferenceService is ready"
    if failed_model then
      message = message .. "; of one pod the " .. model_message
    end
    if stopping then
      message = message .. "; this KServe does not obey serving.kserve.io/stop"
    end
    return verdict("Healthy", message)
  end
end

if failed_model then
  local since = text(field(conditions.PredictorReady, "lastTransitionTime"))
  if transition == "InvalidSpec" and passing[text(field(cause, "reason"))] then
    if missing == nil then
      return verdict("Progressing", model_message .. "; the previous spec is ready")
    elseif next(conditions) == nil then
      since = created
    end
    return progressing(model_message, since, grace)
  end
  -- The failed pod may belong to the revision before the one that is waited for.
  if transition == "BlockedByFailedLoad" and is("PredictorReady", "Unknown") then
    return progressing(model_message .. "; " .. describe("PredictorReady"), since, grace)
  end
  local found = first_failure()
  if found ~= nil then
    model_message = model_message .. "; " .. found.message
  end
  return verdict("Degraded", model_message)
end

local found = first_failure()
if found ~= nil then
  return found
end
for _, name in ipairs(causes) do
  if conditions[name] ~= nil and not holds(name) then
    return waiting(name)
  end
end
return waiting(missing)
