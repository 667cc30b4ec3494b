-- Health of a KServe LLMInferenceService (KServe 0.16 to 0.20). Ready sums up WorkloadsReady and
-- RouterReady. It leaves out PresetsCombined (False: the spec is not being applied) and the routing
-- group (GroupReady False or GroupDegraded True: the split of traffic that was asked for is not in
-- place). Those are waited for, since the missing member of a group may be next in the same sync.
-- OciImageVolumeCompatible is advice. KServe never sets status.observedGeneration here.

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

local annotations = field(field(obj, "metadata"), "annotations")
local status = field(obj, "status")

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

if next(conditions) == nil then
  return verdict("Progressing", "waiting for KServe to report a status")
end

local stop = field(annotations, "serving.kserve.io/stop")
local stopping = stop == "true" or stop == "True" or stop == "TRUE"
if stopping then
  for _, condition in pairs(conditions) do
    if field(condition, "reason") == "Stopped" then
      return verdict("Suspended", "LLMInferenceService is stopped")
    end
  end
  return verdict("Progressing", "waiting for KServe to stop the LLMInferenceService; KServe before 0.17 never does")
end

if is("Ready", "True") then
  for _, name in ipairs({ "PresetsCombined", "GroupReady" }) do
    if is(name, "False") then
      return waiting(name)
    end
  end
  if is("GroupDegraded", "True") then
    return waiting("GroupDegraded")
  end
  return verdict("Healthy", "LLMInferenceService is ready")
end

local terminal = {
  ProgressDeadlineExceeded = true,
  FailedCreate = true,
  CombineBaseError = true,
}
local causes = { "PresetsCombined", "MainWorkloadReady", "WorkerWorkloadReady", "PrefillWorkloadReady",
  "PrefillWorkerWorkloadReady", "ScalingReady", "PrefillScalingReady", "SchedulerWorkloadReady", "GatewaysReady",
  "HTTPRoutesReady", "InferencePoolReady", "WorkloadsReady", "RouterReady", "Ready" }
for _, name in ipairs(causes) do
  local reason = text(field(conditions[name], "reason"))
  if is(name, "False") and reason ~= nil and terminal[reason] then
    return verdict("Degraded", describe(name))
  end
end
for _, name in ipairs(causes) do
  if conditions[name] ~= nil and not is(name, "True") then
    return waiting(name)
  end
end
return waiting("Ready")
