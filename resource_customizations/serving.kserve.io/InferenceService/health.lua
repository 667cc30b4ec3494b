-- Health of a KServe InferenceService (KServe 0.11 to 0.20; Standard, Knative, ModelMesh).
--
-- What decides is the Ready condition and what Ready leaves out. Not used on purpose:
-- status.observedGeneration. It is the generation of the Deployment or of the Knative Service, so it
-- runs ahead of metadata.generation when an autoscaler scales and stays behind it when a change does
-- not reach the child (github.com/kserve/kserve, inference_service_status.go, PropagateRawStatus).
--
-- Argo CD gives an override the base and table libraries and os.time and os.date: no string library.
-- Strings are therefore looked at by comparing them.

local os = require("os")

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

-- text is value when it is a string worth printing.
local function text(value)
  if type(value) ~= "string" or value == "" then
    return nil
  end
  if #value > longest_text then
    return "(a text of " .. #value .. " bytes, see the object's status)"
  end
  return value
end

-- starts needs no string library: "\255" sorts behind every byte of UTF-8.
local function starts(value, prefix)
  return value >= prefix and value < prefix .. "\255"
end

local metadata = field(obj, "metadata")
local annotations = field(metadata, "annotations")
local spec = field(obj, "spec")
local status = field(obj, "status")
local model = field(status, "modelStatus")

-- KServe writes some types twice; the last entry is the current one.
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

-- seconds_ago is that moment as Kubernetes writes it, so that moments compare as text. os.date with
-- "!" and a time gives local time under Argo CD, hence the detour over the UTC clock's own fields.
local function seconds_ago(seconds)
  return os.date("%Y-%m-%dT%H:%M:%SZ", os.time(os.date("!*t")) - seconds)
end

-- waiting is Progressing, or Degraded when condition name has stood still longer than the deadline.
local function waiting(name)
  local message = describe(name)
  local deadline = text(field(annotations, "argocd-kserve-plugin/progress-deadline-seconds"))
  local seconds = deadline and tonumber(deadline)
  local since = text(field(conditions[name], "lastTransitionTime"))
  if seconds and seconds > 0 and seconds < 1e9 and since and since > "2" and since < seconds_ago(seconds) then
    return verdict("Degraded", "no progress since " .. since .. ": " .. message)
  end
  return verdict("Progressing", message)
end

-- The characters of object names, in the order in which strings compare.
local name_characters = { "-", ".", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9",
  "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
  "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z" }
local longest_name = 100

-- skip_name returns read, a beginning of value, with the object name that follows it there.
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

-- rolled_out is true for PredictorReady=Unknown of a multi-node service whose head and worker both
-- finished their rollout: KServe 0.16 to 0.19 never get further (kserve#5703).
local function rolled_out()
  local message = text(field(conditions.PredictorReady, "message"))
  if message == nil or not is("PredictorReady", "Unknown") then
    return false
  end
  local read = ""
  for _, container in ipairs({ "predictor-container", ", worker-container" }) do
    read = read .. container .. ': ReplicaSet "'
    if not starts(message, read) then
      return false
    end
    read = skip_name(message, read) .. '" has successfully progressed.'
  end
  return message == read
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

-- required reads the list of conditions that argocd-kserve-plugin/health-conditions names, from left
-- to right. A list with a name that is not known here is no list: Ready alone decides then.
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

-- A service without a list of conditions may still report a model that no runtime can serve.
if type(status) ~= "table" or (next(conditions) == nil and model == nil) then
  return verdict("Progressing", "waiting for KServe to report a status")
end

if is("Stopped", "True") then
  return verdict("Suspended", "InferenceService is stopped")
end
local stop = field(annotations, "serving.kserve.io/stop")
if stop == "true" or stop == "True" or stop == "TRUE" then
  return verdict("Progressing", "waiting for KServe to stop the InferenceService; KServe before 0.16 (Knative: 0.15.1) never does")
end

local missing
for _, name in ipairs(required()) do
  if missing == nil and not holds(name) then
    missing = name
  end
end

local transition = field(model, "transitionStatus")
local failed_model = transition == "InvalidSpec" or transition == "BlockedByFailedLoad"

if missing == nil then
  -- Transformer and explainer are no part of Ready; neither is a canary or a newer Knative revision.
  for _, component in ipairs({ { "transformer", "TransformerReady" }, { "explainer", "ExplainerReady" } }) do
    if field(spec, component[1]) ~= nil and not is(component[2], "True") then
      return waiting(component[2])
    end
  end
  if is("CanaryPredictorReady", "False") then
    return waiting("CanaryPredictorReady")
  end
  if conditions.LatestDeploymentReady ~= nil and not is("LatestDeploymentReady", "True") then
    return waiting("LatestDeploymentReady")
  end
  -- The model's own status is read off one pod and says InProgress when there is none (scale to
  -- zero), so Ready outranks it. ModelMesh, the only mode without IngressReady, writes it itself:
  -- there a failed load means that the old model still serves.
  local modelmesh = conditions.PredictorReady ~= nil and conditions.IngressReady == nil
  if not (modelmesh and failed_model) then
    return verdict("Healthy", "InferenceService is ready")
  end
end

if failed_model then
  local message = "model is " .. transition
  for _, key in ipairs({ "reason", "message" }) do
    local detail = text(field(field(model, "lastFailureInfo"), key))
    if detail ~= nil then
      message = message .. ": " .. detail
    end
  end
  return verdict("Degraded", message)
end

local causes = { "PredictorReady", "TransformerReady", "ExplainerReady", "IngressReady", "Ready" }
local terminal = {
  ProgressDeadlineExceeded = true,
  FailedCreate = true,
  RevisionFailed = true,
  ContainerMissing = true,
  ReconcileFailed = true,
  InvalidGPUAllocation = true,
  InvalidWorkerSpecNotSet = true,
}
for _, name in ipairs(causes) do
  local reason = text(field(conditions[name], "reason"))
  if is(name, "False") and reason ~= nil and terminal[reason] then
    return verdict("Degraded", describe(name))
  end
end
for _, name in ipairs(causes) do
  if conditions[name] ~= nil and not holds(name) then
    return waiting(name)
  end
end
return waiting(missing)
