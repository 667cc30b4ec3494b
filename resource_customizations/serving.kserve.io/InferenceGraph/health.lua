-- Health of a KServe InferenceGraph (KServe 0.11 to 0.20; Standard and Knative).
-- Knative mode copies the conditions of the Knative Service; Standard mode reports only Ready.
-- status.observedGeneration is the generation of the child, so it is not used.

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

if next(conditions) == nil then
  return unreported()
end

-- Where KServe obeys serving.kserve.io/stop, a graph that runs has the condition Stopped, too.
local stop = field(annotations, "serving.kserve.io/stop")
local stopping = stop == "true" or stop == "True" or stop == "TRUE"
if is("Stopped", "True") then
  if stopping then
    return verdict("Suspended", "InferenceGraph is stopped")
  end
  return verdict("Progressing", "waiting for KServe to resume the InferenceGraph")
end
if stopping and not (is("Ready", "True") and conditions.Stopped == nil) then
  return verdict("Progressing", "waiting for KServe to stop the InferenceGraph; KServe before 0.16 never does")
end

if is("Ready", "True") then
  local message = "InferenceGraph is ready"
  -- Only Knative mode has this condition. In Standard mode Ready says that the Deployment has a condition
  -- Available, be it True or False (raw_ig.go@v0.20.0, PropagateRawStatus).
  if conditions.RoutesReady == nil then
    message = message .. "; in Standard mode KServe does not report whether its pods are available"
  end
  if stopping then
    message = message .. "; this KServe does not obey serving.kserve.io/stop"
  end
  return verdict("Healthy", message)
end

local terminal = {
  ProgressDeadlineExceeded = true,
  FailedCreate = true,
  RevisionFailed = true,
  ContainerMissing = true,
}
local causes = { "ConfigurationsReady", "RoutesReady", "Ready" }
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
